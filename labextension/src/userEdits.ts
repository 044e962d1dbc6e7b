// Reports the user's own edits of proposed cells to the kernel.
//
// Undo, Redo, typing and deleting all count; the kernel decides what they mean for the proposals.

import type { INotebookModel } from '@jupyterlab/notebook';
import type { IDisposable } from '@lumino/disposable';
import type { CellEdited } from './messages';
import { formerAbove, isDecidable, isOfDocument, isTakenBack, turnOf } from './selectors';
import type { FullProposal } from './state';
import { cellKey } from './sharedModel';
import type { Store } from './store';

/** Milliseconds without a change after which it is looked at. */
const PAUSE = 150;

/** Says what cells hold, where that is not what was decided. */
export class UserEdits implements IDisposable {
  /** By cell: what was said last, and the proposal that it was said of. */
  private readonly _said = new Map<string, { readonly source: string | null; readonly of: FullProposal }>();
  private _timer = 0;
  private _disposed = false;

  constructor(
    private readonly _model: INotebookModel,
    private readonly _store: Store,
    private readonly _say: (edited: CellEdited) => void
  ) {
    _model.contentChanged.connect(this._onChange, this);
  }

  get isDisposed(): boolean {
    return this._disposed;
  }

  dispose(): void {
    this._disposed = true;
    window.clearTimeout(this._timer);
    this._model.contentChanged.disconnect(this._onChange, this);
  }

  /** Say now what is to be said. */
  flush(): void {
    window.clearTimeout(this._timer);
    const { state } = this._store;
    const proposals = [...state.proposals.values()].filter(one => isOfDocument(state, turnOf(state, one.turn_id))); // or those of another notebook were deleted here
    if (this._disposed || proposals.length === 0) {
      return;
    }
    const keys = this._model.sharedModel.cells.map(cell => cellKey(cell.id));
    const held = new Map(this._model.sharedModel.cells.map((cell, index) => [keys[index], cell.source]));
    for (const proposal of proposals) {
      this._compare(proposal, held.get(proposal.cell_id) ?? null, this._moved(keys, proposal.cell_id));
    }
  }

  /** The move of a cell that was undone, or done again; null where none was. */
  private _moved(keys: readonly string[], cellId: string): Pick<CellEdited, 'turn_id' | 'moved'> | null {
    const moves = this._movesOf(cellId);
    const last = moves.findLastIndex(({ state }) => state === 'accepted');
    for (const move of moves.slice(Math.max(last, 0))) {
      const moved = this._stands(keys, move);
      if (moved !== null && moved !== (move.state === 'accepted')) {
        return { turn_id: move.turn_id, moved };
      }
    }
    return null;
  }

  /** Whether a cell stands where a move puts it (true) or where it stood before (false); null: neither, or both. */
  private _stands(keys: readonly string[], move: FullProposal): boolean | null {
    const below = move.operation?.below;
    let place = keys.indexOf(move.cell_id) - 1;
    if (place < -1) {
      return null;
    }
    const isBack = (keys[place] ?? null) === formerAbove(this._store.state, move);
    while (place >= 0 && keys[place] !== below && this._movesOf(keys[place]).at(-1)?.operation?.below === below) {
      place -= 1; // it came between
    }
    const isMoved = keys[place] === below;
    return isBack === isMoved ? null : isMoved;
  }

  /** The moves of a cell that were accepted, taken back since or not. */
  private _movesOf(cellId: string): readonly FullProposal[] {
    return this._store.state.all.filter(({ cell_id, operation, state }) => cell_id === cellId && operation?.kind === 'move' && (state === 'accepted' || state === 'reverted'));
  }

  private _compare(proposal: FullProposal, source: string | null, moved: Pick<CellEdited, 'turn_id' | 'moved'> | null): void {
    const { cell_id } = proposal;
    const said = this._said.get(cell_id);
    const known = said?.of.turn_id === proposal.turn_id && said.of.state === proposal.state ? said.source : expected(proposal, source);
    if (proposal.state !== 'streaming' && (known !== source || moved !== null)) {
      this._said.set(cell_id, { source, of: proposal });
      this._say({ type: 'CellEdited', cell_id, source, ...moved });
    }
  }

  private _onChange(): void {
    window.clearTimeout(this._timer);
    this._timer = window.setTimeout(() => this.flush(), PAUSE);
  }
}

/** What a cell is taken to hold where nothing was said of it. What is typed into a cell that waits is told with its Accept. */
function expected(proposal: FullProposal, source: string | null): string | null {
  if (isDecidable(proposal)) {
    return proposal.kind === 'edit' ? proposal.base : source ?? '';
  }
  if (!isTakenBack(proposal)) {
    return proposal.operation?.kind === 'delete' ? null : proposal.source;
  }
  return proposal.kind === 'edit' ? proposal.base : source === '' ? '' : null;
}
