// Decisions on proposals: accept, reject, run, try, revert.
//
// Where tabs have a document each, the one that writes applies them, whoever decided. In a document that all share, who decides applies
// them, so that each person's Undo takes back what that person accepted. The kernel is told in any case.

import type { ISharedNotebook } from '@jupyter/ydoc';
import { type ISignal, Signal } from '@lumino/signaling';
import type { UserEdits } from './userEdits';
import type { DocumentApplier } from './documentApplier';
import type { Permission, Person } from './messages';
import { decidable, isDecidable, isTakenBack, proposalsOf, turnOf } from './selectors';
import { find } from './sharedModel';
import type { FullProposal } from './state';
import type { Store } from './store';
import type { KernelRestore } from './restoreKernel';
import type { Transport } from './transport';
import type { LiveWriter } from './liveWriter';
import { t } from './translation';

/** Milliseconds for which the kernel's word on a cell is waited for. It ends its own waiting sooner. */
const PATIENCE = 10_000;

/** How a proposal is accepted. */
export interface AcceptOptions {
  readonly byRunning?: boolean;
  readonly confirmed?: boolean;
  readonly turnId?: string;
}

/** A cell is to be run now: somebody said so. */
export interface RunRequest {
  readonly cellId: string;
  /** Whether that was said here, and not by a magic or another front end. */
  readonly here: boolean;
}

/** What is used of a notebook's session. */
interface Session {
  readonly notebook: ISharedNotebook;
  readonly store: Store;
  readonly transport: Transport;
  readonly writer: LiveWriter;
  readonly isWriter: boolean;
  /** Who decides here. */
  readonly person: Person | null;
  /** Whether all tabs with this notebook have one document. */
  readonly collaborative: boolean;
}

/** The decisions on one notebook's proposals. */
export class Decisions {
  constructor(
    private readonly session: Session,
    private readonly _document: DocumentApplier,
    private readonly _userEdits: UserEdits,
    private readonly _kernelRestore: KernelRestore
  ) {}

  /** A cell is to be run now. */
  get runRequested(): ISignal<this, RunRequest> {
    return this._runRequested;
  }

  dispose(): void {
    Signal.clearData(this);
  }

  /**
   * Keep a proposal. `source` is what an edited cell is to hold; without it, all that is proposed. `confirmed` is the second yes that a
   * cell needs which does not parse; who runs a cell has given it. Of several for the cell it is the one of `turnId`.
   */
  accept(cellId: string, source?: string, { byRunning = false, confirmed = byRunning, turnId }: AcceptOptions = {}): void {
    const decidable = this._decidable(cellId, turnId);
    if (!decidable) {
      return;
    }
    const { person, store, transport } = this.session;
    const proposal = { ...decidable, byRunning, decided_by: person ?? null };
    if (this._applies(cellId) && !this._document.fits(proposal)) {
      return;
    }
    const kept = source ?? this._standing(proposal);
    const known = this._kernelRestore.knows(cellId);
    const applies = this._applies(cellId);
    const before = (applies ? this._document.cellSource(cellId) : null) ?? proposal.base;
    if (applies) {
      const base = proposal.kind === 'edit' ? before : proposal.base;
      this._document.apply(proposal, kept, { asked: true });
      store.dispatch({ type: 'ProposalChanged', proposal: { ...proposal, base, source: kept, state: 'accepted' } });
    }
    if (known) {
      this._unconfirmed.add(cellId);
      void transport.send({ type: 'Accept', cell_id: cellId, source: kept, before, confirmed, turn_id: turnId ?? null, written: this._isShared(cellId) });
    }
  }

  /** Whether the kernel has yet to say what is kept of a cell: credentials come back into its code then. */
  isUnconfirmed(cellId: string): boolean {
    return this._unconfirmed.has(cellId);
  }

  /** Resolved when what a cell is to hold is in the document. False where the kernel does not say it. */
  async confirmed(cellId: string): Promise<boolean> {
    const { store, writer } = this.session;
    await store.until(() => !this.isUnconfirmed(cellId), PATIENCE);
    writer.flush();
    if (this.isUnconfirmed(cellId)) {
      const message = t('The kernel did not confirm the accepted cell within %1 seconds, so it was not run.', PATIENCE / 1000);
      store.dispatch({ type: 'Problem', code: 'no_answer', message, remedy: t('Run it again.') });
      return false;
    }
    return true;
  }

  /** The kernel has said what is kept of a cell. */
  settle(cellId: string): void {
    this._unconfirmed.delete(cellId);
  }

  /** The kernel that was asked is gone. */
  forget(): void {
    this._unconfirmed.clear();
  }

  /** Discard a cell's proposal; of several, that of `turnId`. */
  reject(cellId: string, turnId?: string): void {
    const proposal = this._decidable(cellId, turnId);
    if (!proposal) {
      return;
    }
    const known = this._kernelRestore.knows(cellId);
    const written = this._isShared(cellId);
    if (this._applies(cellId)) {
      this._takeBack(proposal, 'rejected');
    }
    if (known) {
      void this.session.transport.send({ type: 'Reject', cell_id: cellId, written });
    }
  }

  /** What can be decided here, in order: new cells that only another tab has are decided there, where they are seen. */
  get waiting(): readonly FullProposal[] {
    const { notebook, store } = this.session;
    return decidable(store.state).filter(proposal => find(notebook, proposal.cell_id) !== null);
  }

  /** Reject every open proposal: where an edit is proposed on top of a new cell, first the edit, then the cell. */
  rejectAll(): void {
    const { notebook, store } = this.session;
    const open = store.state.all.filter(one => isDecidable(one) && find(notebook, one.cell_id) !== null);
    [...open].reverse().forEach(({ cell_id, turn_id }) => this.reject(cell_id, turn_id));
  }

  /**
   * Resolved when a cell's proposal has been judged, by the slower checks too: then it is known what blocks it. One that was read from
   * the notebook is judged by the kernel where there is one; where there is none, it asks for a second yes.
   */
  async inspected(cellId: string): Promise<void> {
    const { store, transport } = this.session;
    if (store.state.proposals.get(cellId)?.recalled) {
      await transport.attach({ load: true });
      if (transport.status === 'ready') {
        await store.until(({ proposals }) => !proposals.get(cellId)?.recalled, PATIENCE);
      }
    }
    await store.until(({ proposals }) => !proposals.get(cellId)?.inspecting, PATIENCE);
  }

  /** Keep a proposal and run it. `confirmed` is the second yes that a blocking finding needs. */
  run(cellId: string, { confirmed = false, unasked = false, source }: { confirmed?: boolean; unasked?: boolean; source?: string } = {}): void {
    const known = this._kernelRestore.knows(cellId);
    this.accept(cellId, source, { confirmed });
    if (known) {
      this._runs.add(cellId);
      void this.session.transport.send({ type: 'Run', cell_id: cellId, confirmed, unasked });
    } else {
      this._runRequested.emit({ cellId, here: true });
    }
  }

  /**
   * The kernel has said that a cell is to be run now. Where an agent asked for it and nobody pressed Run here, only the text runs that
   * was judged: the user may be typing in the cell.
   */
  onRunRequested(cellId: string): void {
    const here = this._runs.delete(cellId);
    const { store } = this.session;
    const proposal = store.state.proposals.get(cellId);
    const ofAgent = proposal !== undefined && turnOf(store.state, proposal.turn_id)?.agent;
    if (!here && ofAgent && this._document.cellSource(cellId) !== proposal.source) {
      store.dispatch({ type: 'Problem', code: 'changed_meanwhile', message: t('The cell has changed since the agent asked to run it, so it was not run.'), remedy: t('Run it yourself.') });
      return;
    }
    this._runRequested.emit({ cellId, here });
  }

  /** Run a proposal in a copy of the kernel. `source` as in `accept`; what is in `allow` it may do outside the copy. */
  tryOut(cellId: string, { source, allow = [] }: { source?: string; allow?: readonly Permission[] } = {}): void {
    const { store, transport } = this.session;
    const proposal = store.state.proposals.get(cellId);
    if (proposal) {
      store.dispatch({ type: 'TrialStarted', cell_id: cellId });
      void transport.send({ type: 'Try', cell_id: cellId, source: source ?? this._standing(proposal), allow });
    }
  }

  /** End the Try of a proposal; that it was cancelled comes as its result. */
  cancelTry(cellId: string): void {
    void this.session.transport.send({ type: 'CancelTry', cell_id: cellId });
  }

  /** Propose another attempt of a race. */
  chooseAttempt(turnId: string, index: number): void {
    void this.session.transport.send({ type: 'ChooseAttempt', turn_id: turnId, index });
  }

  /** Tell the kernel now what the user changed in cells: what runs next may ask it of them. */
  tellEdits(): void {
    this._userEdits.flush();
  }

  /** Take back a whole turn. */
  revert(turnId: string): void {
    const { state } = this.session.store;
    if (!state.orphans.has(turnId)) {
      this.tellEdits(); // what the user changed since stays
      void this.session.transport.send({ type: 'Revert', turn_id: turnId });
      return;
    }
    const standing = proposalsOf(state, turnId).filter(one => !isTakenBack(one));
    for (const proposal of standing.reverse()) {
      this._takeBack(proposal, proposal.state === 'accepted' ? 'reverted' : 'rejected');
      this._document.mark(proposal.cell_id, { anew: false });
    }
  }

  private _takeBack(proposal: FullProposal, state: 'rejected' | 'reverted'): void {
    this._document.takeBack(proposal);
    this.session.store.dispatch({ type: 'ProposalChanged', proposal: { ...proposal, state } });
  }

  /** Whether a decision on a cell is brought into a document here that all have. */
  private _isShared(cellId: string): boolean {
    return this.session.collaborative && find(this.session.notebook, cellId) !== null;
  }

  private _applies(cellId: string): boolean {
    return this.session.isWriter || this._isShared(cellId);
  }

  /** What is proposed stands in the documents in which decisions are applied. */
  private _standing(proposal: FullProposal): string {
    return this._applies(proposal.cell_id) ? this._document.currentSource(proposal) : proposal.source;
  }

  private _decidable(cellId: string, turnId?: string): FullProposal | null {
    const { all, proposals } = this.session.store.state;
    const proposal = turnId === undefined ? proposals.get(cellId) : all.find(one => one.cell_id === cellId && one.turn_id === turnId);
    return proposal && isDecidable(proposal) ? proposal : null;
  }

  private readonly _runRequested = new Signal<this, RunRequest>(this);
  /** Cells that were asked here to be run. */
  private readonly _runs = new Set<string>();
  /** Cells that were accepted, of which the kernel has not said what is kept. */
  private readonly _unconfirmed = new Set<string>();
}
