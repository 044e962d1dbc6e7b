// Applies events from the kernel to the document.
//
// Only the tab that is the writer does so.

import type { ISharedNotebook } from '@jupyter/ydoc';
import type { Decisions } from './decisions';
import type { DocumentApplier } from './documentApplier';
import type { CellChange, Event, ProposalChanged } from './messages';
import { isDecidable, isOfDocument, isOpen, isTakenBack, proposalsOf, turnOf } from './selectors';
import { type FullProposal, fullProposal, type State } from './state';
import { find } from './sharedModel';
import type { Store } from './store';
import type { KernelRestore } from './restoreKernel';
import type { LiveWriter } from './liveWriter';

/** What an event is compared with: how things stood before it. */
export interface ProposalsBefore {
  readonly proposals: State['proposals'];
  readonly all: State['all'];
  /** Whether this tab was the writer. */
  readonly writes: boolean;
}

/** What is used of a notebook's session. */
interface Session {
  readonly notebook: ISharedNotebook;
  readonly store: Store;
  readonly writer: LiveWriter;
  readonly isWriter: boolean;
  readonly decisions: Decisions;
  cancel(): void;
}

/** Brings events into one document. The store has taken them in before. */
export class EventApplier {
  constructor(
    private readonly session: Session,
    private readonly _document: DocumentApplier,
    private readonly _kernelRestore: KernelRestore
  ) {
    session.writer.dropped.connect((_, cellId) => this._onDropped(cellId));
  }

  /** How things stand. */
  get proposalsNow(): ProposalsBefore {
    const { all, hello, proposals } = this.session.store.state;
    return { all, proposals, writes: hello?.writer ?? false };
  }

  /** Only new cells are written; the draft of an edit is kept in the store until it is accepted. */
  write(changes: readonly CellChange[], before: ProposalsBefore): void {
    const { proposals } = this.session.store.state;
    const isHere = ({ cell_id }: CellChange) => {
      const proposal = proposals.get(cell_id) ?? before.proposals.get(cell_id);
      return proposal?.kind !== 'edit' && (!proposal || this._writes(proposal.turn_id));
    };
    if (this.session.isWriter && before.writes) {
      this.session.writer.write(changes.filter(isHere));
    }
  }

  /** Do what an event means for the document. Before a kernel is taught, the document is as that kernel says. */
  follow(event: Event, before: ProposalsBefore): void {
    if (!this.session.isWriter) {
      if (before.writes) {
        this.session.writer.release();
      }
      return;
    }
    if (event.type === 'Snapshot' || (event.type === 'Hello' && !before.writes)) {
      this._restore();
    } else if (event.type === 'ProposalChanged' && this._writes(event.proposal.turn_id)) {
      this._onProposal(event, before.all.find(one => isSame(one, event.proposal)));
    } else if (event.type === 'TurnEnded' && event.outcome === 'completed' && this._writes(event.turn_id)) {
      const turn = turnOf(this.session.store.state, event.turn_id);
      if (turn?.hint && turn.target.after) {
        this._document.noteHint(turn.target.after, turn.hint);
      }
    } else if (event.type === 'RunRequested') {
      this.session.writer.finish(event.cell_id);
    }
  }

  /** Whether what that turn writes is brought into this notebook, and here. */
  private _writes(turnId: string): boolean {
    const { isWriter, store } = this.session;
    return isWriter && isOfDocument(store.state, turnOf(store.state, turnId));
  }

  private _onProposal(event: ProposalChanged, before: FullProposal | undefined): void {
    const proposal = fullProposal(event.proposal);
    const { cell_id: cellId, state } = proposal;
    if (state === 'streaming') {
      return;
    }
    if (before?.state !== state || state === 'accepted') {
      this.session.writer.finish(cellId);
    }
    if (before?.state !== state) {
      this._decide(proposal, before, event.held ?? false);
    }
    if (!isOpen(proposal)) {
      this.session.writer.forget(cellId);
      // A cell that was accepted here says so since then, of the text that it had: it may have been typed in meanwhile.
      const isSaid = before?.state === 'accepted' && before.source === proposal.source;
      const isElsewhere = state === 'accepted' && event.held && this._document.cellSource(cellId) !== proposal.source; // on its way here
      if (!isElsewhere) {
        this._document.mark(cellId, { anew: state === 'accepted' && !event.held && !isSaid });
      }
    }
  }

  /** Bring into the document what became of a proposal, unless it is `held` so already. */
  private _decide(proposal: FullProposal, before: FullProposal | undefined, held: boolean): void {
    const { cell_id: cellId, state } = proposal;
    if (state === 'accepted' && !held) {
      const base = this._document.cellSource(cellId);
      this._document.apply(proposal, proposal.source, { asked: false });
      if (proposal.kind === 'edit' && base !== null && base !== proposal.source) {
        this.session.store.reduce({ type: 'ProposalChanged', proposal: { ...proposal, base } });
      }
    } else if (isTakenBack(proposal) && !held) {
      this._document.takeBack(before ?? proposal);
    } else if (isDecidable(proposal) && this._discarded.delete(cellId)) {
      this.session.decisions.reject(cellId);
    }
  }

  /** The user deleted the cell while it grew. A proposal can't be rejected before it is whole, so that waits. */
  private _onDropped(cellId: string): void {
    const proposal = this.session.store.state.proposals.get(cellId);
    if (proposal && isDecidable(proposal)) {
      this.session.decisions.reject(cellId);
      return;
    }
    this._discarded.add(cellId);
    if (proposal && isOpen(proposal)) {
      this.session.cancel(); // nobody would see what comes
    }
  }

  /** Bring the document up to the store, as after a reload: cells that are missing come back, beginnings are completed. */
  private _restore(): void {
    const { notebook, store, writer } = this.session;
    for (const turn of store.state.turns.filter(turn => isOfDocument(store.state, turn))) {
      const { edit, reuse, after } = turn.target;
      let above = edit ?? reuse ?? after ?? notebook.cells.at(-1)?.id ?? null;
      for (const proposal of proposalsOf(store.state, turn.id)) {
        if (proposal.kind === 'edit') {
          continue;
        }
        const { cell_id, cell_type } = proposal;
        if (isOpen(proposal) && this._kernelRestore.knows(cell_id) && !this._discarded.has(cell_id)) {
          writer.restore({ type: 'insert', cell_id, cell_type, after: above }, proposal.source, { streams: proposal.state === 'streaming' });
        }
        above = find(notebook, cell_id) ? cell_id : above;
      }
    }
    for (const proposal of store.state.proposals.values()) {
      if (proposal.state !== 'streaming') {
        writer.finish(proposal.cell_id);
      }
    }
  }

  /** Cells that the user deleted while they grew, until that is said: they may come back by Undo. */
  private readonly _discarded = new Set<string>();
}

/** Whether both are what one turn proposes for one cell. */
function isSame(one: FullProposal, other: ProposalChanged['proposal']): boolean {
  return one.turn_id === other.turn_id && one.cell_id === other.cell_id;
}
