// Saves a notebook's open proposals in its metadata and loads them.

import type { ISharedCell, ISharedNotebook } from '@jupyter/ydoc';
import type { IDisposable } from '@lumino/disposable';
import { METADATA_KEY } from './constants';
import { contentHash } from './hash';
import { proposalsFor } from './selectors';
import { type FullProposal, fullProposal, fullTurn, type FullTurn } from './state';
import { toRecord, fromRecord } from './turnRecord';
import { cellKey, authorMetadata, find } from './sharedModel';
import type { Store } from './store';
import { isProposed, isProposedBy, lifeIn } from './proposalMark';

/** Milliseconds from a change to its being kept. */
const DELAY = 300;

const BROKEN = {
  type: 'Problem',
  code: 'broken_record',
  message: 'Some earlier turns in this notebook can’t be read, so they were left out.',
  remedy: 'Cells that are marked as proposals ask before they run.'
} as const;

/** One document's memory. */
export class Recorder implements IDisposable {
  /** Whether the notebook keeps anything beyond the mark of a cell that waits for a decision. */
  keeps = true;
  private _timer = 0;
  private _disposed = false;

  constructor(
    private readonly notebook: ISharedNotebook,
    private readonly store: Store,
    private readonly writes: () => boolean
  ) {
    store.changed.connect(this._onChange, this);
  }

  get isDisposed(): boolean {
    return this._disposed;
  }

  dispose(): void {
    if (this._timer && !this.notebook.isDisposed) {
      this.flush(); // or whoever comes next finds proposals of which nothing is known
    }
    this._disposed = true;
    window.clearTimeout(this._timer);
    this.store.changed.disconnect(this._onChange, this);
  }

  /**
   * Take cells that say that they are proposals, and of which nothing is known (copies, or what somebody else left), for what they say.
   * Whether there were any.
   */
  adoptUnknownProposals(cells: readonly ISharedCell[]): boolean {
    const { state } = this.store;
    const isUnknown = (cell: ISharedCell) => isProposed(cell) && !isProposedBy(cell, state.hello?.life ?? '') && proposalsFor(state, cellKey(cell.id)).length === 0;
    const unknown = cells.filter(isUnknown);
    if (unknown.length > 0) {
      this.adopt(unknown);
    }
    return unknown.length > 0;
  }

  /** Take these cells for what they say: each waits for a decision in a turn of its own. */
  adopt(cells: readonly ISharedCell[]): void {
    const found = cells.map(stray);
    this.store.dispatch({ type: 'TurnsRecalled', turns: found.map(one => one.turn), proposals: found.map(one => one.proposal) });
  }

  /** Whether the notebook says anything of turns or proposals. */
  get hasRecord(): boolean {
    return this.notebook.getMetadata(METADATA_KEY) !== undefined || this.notebook.cells.some(isProposed);
  }

  /**
   * Take up what the notebook keeps, which is a cache for a kernel that is gone: what the kernel there is has proposed, it says itself.
   * Called once, when it is known whether there is one.
   */
  recall(): void {
    const { life = '' } = this.store.state.hello ?? {};
    const sourceOf = (cellId: string) => find(this.notebook, cellId)?.source ?? null;
    const { turns, proposals, deep, broken } = fromRecord(this.notebook.getMetadata(METADATA_KEY), sourceOf);
    const old = turns.filter(turn => !life || turn.life !== life);
    const ids = new Set(old.map(turn => turn.id));
    if (old.length > 0 || deep.length > 0) {
      this.store.reduce({ type: 'TurnsRecalled', turns: old, proposals: proposals.filter(one => ids.has(one.turn_id)), deep });
    }
    if (broken) {
      this.store.reduce(BROKEN);
    }
    this.adoptUnknownProposals(this.notebook.cells);
    this.store.emit();
  }

  private _onChange(): void {
    this._timer ||= window.setTimeout(() => this.flush(), DELAY);
  }

  /** Keep what is known now. */
  flush(): void {
    window.clearTimeout(this._timer);
    this._timer = 0;
    if (this._disposed || !this.writes()) {
      return;
    }
    const kept = this.keeps ? toRecord(this.store.state) : null;
    const authors = authorMetadata(this.notebook); // another's word: it stays
    if (kept) {
      this.notebook.setMetadata(METADATA_KEY, JSON.parse(JSON.stringify({ ...kept, ...authors })));
    } else if (Object.keys(authors).length > 0) {
      this.notebook.setMetadata(METADATA_KEY, authors);
    } else if (this.notebook.getMetadata(METADATA_KEY) !== undefined && this.store.state.turns.length > 0) {
      this.notebook.deleteMetadata(METADATA_KEY);
    }
  }
}

function stray(cell: ISharedCell): { turn: FullTurn; proposal: FullProposal } {
  const cell_id = cellKey(cell.id);
  const turn_id = `found-${contentHash(cell_id)}`;
  const turn = { ...fullTurn({ id: turn_id, prompt: '', outcome: 'completed' }), life: lifeIn(cell) };
  const cell_type = cell.cell_type === 'code' ? 'code' : 'markdown';
  const waiting = fullProposal({ cell_id, turn_id, state: 'ready', cell_type, source: cell.source });
  return { turn, proposal: { ...waiting, recalled: 'changed' } };
}
