// Applies decided proposals to the document, or undoes them.

import type { ISharedCell, ISharedNotebook, SharedCell } from '@jupyter/ydoc';
import { METADATA_KEY } from './constants';
import { editedPart } from './cellMagic';
import type { CellOperation } from './messages';
import { merge } from './threeWayMerge';
import { formerAbove, isOpen, proposalsFor, turnOf } from './selectors';
import type { FullProposal } from './state';
import { helpIn, provenance, turnIn, withHint } from './provenance';
import { asUndoStep, find, indexOf, moveBelow, removeCell, replaceSourceAtOnce, retype } from './sharedModel';
import type { Store } from './store';
import { markDecided } from './proposalMark';
import { t } from './translation';

/** Brings decisions into one document. */
export class DocumentApplier {
  /** Whether an accepted cell says where it came from. */
  keepsProvenance = true;

  constructor(
    private readonly notebook: ISharedNotebook,
    private readonly store: Store
  ) {}

  /** What the proposal stands at: a new cell, and a cell that is to be edited, may have been typed in by the user. */
  currentSource(proposal: FullProposal): string {
    const cell = find(this.notebook, proposal.cell_id);
    if (!cell) {
      return proposal.source;
    }
    const { kind, base, source, operation } = proposal;
    if (operation) {
      return operation.kind === 'delete' ? source : cell.source;
    }
    return kind === 'insert' ? cell.source : merge(base, editedPart(cell.source, base), source).source;
  }

  /** Have the document hold a proposal. Where nobody here `asked` (another front end accepted it), the user's own changes come first. */
  apply(proposal: FullProposal, source: string, { asked }: { asked: boolean }): void {
    const cell = find(this.notebook, proposal.cell_id);
    if (!cell) {
      return;
    }
    if (proposal.operation) {
      this._operate(cell, proposal, proposal.operation);
      return;
    }
    if (proposal.kind === 'edit' && cell.source !== source) {
      const { source: merged, conflicts } = merge(proposal.base, editedPart(cell.source, proposal.base), source);
      if (!asked && conflicts > 0) {
        this._complain(t('The cell was changed after the edit began, so it was left as it is.'), t('Look at the diff again.'));
        return;
      }
      replaceSourceAtOnce(cell, asked ? source : merged);
    }
    this._note(cell, proposal);
  }

  /** Whether a proposal can be applied: a cell that was changed since is not deleted, and one that is gone is no place to move to. */
  fits({ cell_id, base, operation }: FullProposal): boolean {
    const stale = operation?.kind === 'delete' && this.cellSource(cell_id) !== base;
    const lost = operation?.kind === 'move' && !find(this.notebook, operation.below ?? '');
    if (stale || lost) {
      this._complain(stale ? t('The cell was changed after its deletion was proposed, so it was left as it is.') : t('The cell was not moved: the cell above its new place is gone.'));
    }
    return !stale && !lost;
  }

  /** Delete or move a cell. One that is only to be run is left as it is. */
  private _operate(cell: ISharedCell, proposal: FullProposal, operation: CellOperation): void {
    if (!this.fits(proposal)) {
      return;
    }
    if (operation.kind === 'delete') {
      this._deleted.set(proposal.cell_id, cell.toJSON());
      removeCell(this.notebook, proposal.cell_id);
    } else if (operation.kind === 'move') {
      moveBelow(this.notebook, proposal.cell_id, operation.below ?? null);
    }
  }

  /** Bring a deleted cell back, with its outputs where it was deleted here, or a moved one to where it was. */
  private _undo(proposal: FullProposal, { kind }: CellOperation): void {
    const { cell_id, cell_type, base } = proposal;
    const above = formerAbove(this.store.state, proposal);
    if (kind === 'delete' && !find(this.notebook, cell_id)) {
      const place = above ? indexOf(this.notebook, above) + 1 : 0;
      const cell = this._deleted.get(cell_id) ?? { id: cell_id, cell_type, source: base, metadata: {} };
      asUndoStep(this.notebook, () => this.notebook.insertCell(place || (above ? this.notebook.cells.length : 0), cell));
    } else if (kind === 'move') {
      moveBelow(this.notebook, cell_id, above);
    }
  }

  /**
   * Have a cell say where it came from: from the last proposal that stands in it. Where none does, it is the user's own again. What it
   * says of that proposal already is only said `anew` where it was accepted now.
   */
  mark(cellId: string, { anew }: { anew: boolean }): void {
    const cell = find(this.notebook, cellId);
    const proposals = proposalsFor(this.store.state, cellId);
    const currentSource = proposals.findLast(one => one.state === 'accepted' && !one.operation);
    const said = turnIn(cell?.getMetadata(METADATA_KEY));
    if (cell && currentSource && (anew || said !== currentSource.turn_id)) {
      this._note(cell, currentSource);
    } else if (cell && !currentSource && !proposals.some(isOpen) && (said === null || proposals.some(one => one.turn_id === said))) {
      const help = helpIn(cell.getMetadata(METADATA_KEY));
      markDecided(cell);
      if (Object.keys(help).length === 0) {
        cell.deleteMetadata(METADATA_KEY);
      } else {
        cell.setMetadata(METADATA_KEY, help);
      }
    }
  }

  /** Have a cell say that a hint was given on it. */
  noteHint(cellId: string, hint: number): void {
    const cell = this.keepsProvenance ? find(this.notebook, cellId) : null;
    cell?.setMetadata(METADATA_KEY, withHint(cell.getMetadata(METADATA_KEY), hint) as Parameters<ISharedCell['setMetadata']>[1]);
  }

  /** What the whole cell holds. */
  cellSource(cellId: string): string | null {
    return find(this.notebook, cellId)?.source ?? null;
  }

  /** Markdown that waited as text becomes Markdown. */
  private _note(cell: ISharedCell, proposal: FullProposal): void {
    const turn = turnOf(this.store.state, proposal.turn_id);
    markDecided(cell);
    const said = helpIn(cell.getMetadata(METADATA_KEY));
    const origin = { ...(this.keepsProvenance ? provenance(proposal, turn, cell.source, Date.now()) : {}), ...said };
    if (Object.keys(origin).length === 0) {
      cell.deleteMetadata(METADATA_KEY);
    }
    const metadata = { ...cell.getMetadata(), ...(Object.keys(origin).length > 0 ? { [METADATA_KEY]: origin } : {}) };
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
    if (proposal.operation) {
      if (accepted) {
        this._undo(proposal, proposal.operation);
      }
      return;
    }
    if (!cell || (proposal.kind === 'edit' && !accepted)) {
      return;
    }
    if (accepted && cell.source !== proposal.source) {
      this._complain(t('A cell of that turn was changed after it was accepted, so it was left as it is.'));
      return;
    }
    const reused = turnOf(this.store.state, proposal.turn_id)?.target.reuse === proposal.cell_id;
    if (proposal.kind === 'edit' || reused) {
      replaceSourceAtOnce(cell, proposal.base);
    } else {
      removeCell(this.notebook, proposal.cell_id);
    }
  }

  private _complain(message: string, remedy = ''): void {
    this.store.dispatch({ type: 'Problem', code: 'changed_meanwhile', message, remedy });
  }

  /** Cells that were deleted here, as they were. */
  private readonly _deleted = new Map<string, SharedCell.Cell>();
}
