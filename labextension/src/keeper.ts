// What becomes of a proposal in the document when it is decided: kept, or taken back.

import type { ISharedNotebook } from '@jupyter/ydoc';
import { METADATA_KEY } from './constants';
import { editedPart } from './magic';
import { merge } from './merge';
import { type FullProposal, turnOf } from './model';
import { provenance } from './provenance';
import { find, removeCell, replaceSourceAtOnce, retype } from './shared';
import type { Store } from './store';

/** What a cell held before an edit was accepted; for this tab, over a reload. */
const BEFORE_KEY = 'spark-jupyter:before:';

/** Brings decisions into one document. */
export class Keeper {
  constructor(
    private readonly notebook: ISharedNotebook,
    private readonly store: Store
  ) {}

  /** What the proposal stands at: a new cell, and a cell that is to be edited, may have been typed in by the user. */
  standing(proposal: FullProposal): string {
    const cell = find(this.notebook, proposal.cell_id);
    if (!cell) {
      return proposal.source;
    }
    const { kind, base, source } = proposal;
    return kind === 'insert' ? cell.source : merge(base, editedPart(cell.source, base), source).source;
  }

  /** Have the document hold a proposal. Where nobody here `asked` (another front end accepted it), the user's own changes come first. */
  keep(proposal: FullProposal, source: string, { asked }: { asked: boolean }): void {
    const cell = find(this.notebook, proposal.cell_id);
    if (!cell) {
      return;
    }
    if (proposal.kind === 'edit' && cell.source !== source) {
      const { source: merged, conflicts } = merge(proposal.base, editedPart(cell.source, proposal.base), source);
      if (!asked && conflicts > 0) {
        this._complain('The cell was changed after the edit began, so it was left as it is.', 'Look at the diff again.');
        return;
      }
      remember(proposal, cell.source);
      replaceSourceAtOnce(cell, asked ? source : merged);
    }
    this.mark(proposal);
  }

  /** Note where a kept cell came from. Markdown that waited as text becomes Markdown. */
  mark(proposal: FullProposal): void {
    const cell = find(this.notebook, proposal.cell_id);
    if (!cell) {
      return;
    }
    const turn = turnOf(this.store.state, proposal.turn_id);
    const metadata = { ...cell.getMetadata(), [METADATA_KEY]: provenance(proposal, turn, cell.source, Date.now()) };
    if (cell.cell_type === 'raw' && proposal.cell_type === 'markdown') {
      retype(this.notebook, cell, 'markdown', metadata);
    } else {
      cell.setMetadata(metadata);
    }
  }

  /** Undo what a proposal did to the document; but not what the user made of it after accepting it. */
  takeBack(proposal: FullProposal): void {
    const cell = find(this.notebook, proposal.cell_id);
    const accepted = proposal.state === 'accepted';
    if (!cell || (proposal.kind === 'edit' && !accepted)) {
      return;
    }
    if (accepted && cell.source !== proposal.source) {
      this._complain('A cell of that turn was changed after it was accepted, so it was left as it is.');
      return;
    }
    const reused = turnOf(this.store.state, proposal.turn_id)?.target.reuse === proposal.cell_id;
    if (proposal.kind === 'edit' || reused) {
      replaceSourceAtOnce(cell, remembered(proposal));
      cell.deleteMetadata(METADATA_KEY);
    } else {
      removeCell(this.notebook, proposal.cell_id);
    }
  }

  private _complain(message: string, remedy = ''): void {
    this.store.dispatch({ type: 'Problem', code: 'changed_meanwhile', message, remedy });
  }
}

/** Keep what a cell held, where that is more than the part that was edited: its magic, or what the user typed meanwhile. */
function remember({ turn_id, cell_id, base }: FullProposal, held: string): void {
  if (held !== base) {
    window.sessionStorage.setItem(`${BEFORE_KEY}${turn_id}:${cell_id}`, held);
  }
}

function remembered({ turn_id, cell_id, base }: FullProposal): string {
  return window.sessionStorage.getItem(`${BEFORE_KEY}${turn_id}:${cell_id}`) ?? base;
}
