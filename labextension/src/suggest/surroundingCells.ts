// Other cells of a notebook, sent with a request when they changed.

import type { ISharedCell, ISharedNotebook } from '@jupyter/ydoc';
import type { IDisposable } from '@lumino/disposable';
import type { CellType, NotebookCell } from '../messages';
import { cellKey } from '../sharedModel';

/** Characters of source that are told: the nearest cells. */
const MOST_CHARACTERS = 200_000;

/** What of `Complete` says where the cell is. */
export interface Around {
  /** Null: as it was told before. */
  readonly cells: readonly NotebookCell[] | null;
  readonly position: number;
}

/** One notebook's cells, and which of them the kernel has not heard of yet. */
export class Surroundings implements IDisposable {
  private readonly _heard = new Set<ISharedCell>();
  private readonly _own = new Map<string, number>();
  private _changes = 0;
  /** The cell whose surroundings were told last, and how they stood. */
  private _told: { readonly cellId: string; readonly context: number; readonly position: number } | null = null;
  private _disposed = false;

  constructor(private readonly _notebook: ISharedNotebook) {
    _notebook.changed.connect(this._onNotebook, this);
    this._listen();
  }

  get isDisposed(): boolean {
    return this._disposed;
  }

  dispose(): void {
    this._disposed = true;
    this._notebook.changed.disconnect(this._onNotebook, this);
    this._heard.forEach(cell => cell.changed.disconnect(this._onCell, this));
    this._heard.clear();
  }

  /** Goes up when a cell other than this one is changed, or has run. */
  context(cellId: string): number {
    return this._changes - (this._own.get(cellId) ?? 0);
  }

  /** The other cells, for a request that is sent now. */
  take(cellId: string): Around {
    const context = this.context(cellId);
    if (this._told?.cellId === cellId && this._told.context === context) {
      return { cells: null, position: this._told.position };
    }
    const told = around(this._notebook.cells, cellId);
    this._told = { cellId, context, position: told.position };
    return told;
  }

  /** A cell has run: what comes next may be something else. */
  ran(): void {
    this._changes += 1;
  }

  /** The kernel knows nothing of them any more. */
  forget(): void {
    this._told = null;
  }

  private _listen(): void {
    const cells = new Set(this._notebook.cells);
    for (const cell of this._heard) {
      if (!cells.has(cell)) {
        cell.changed.disconnect(this._onCell, this);
        this._heard.delete(cell);
        this._own.delete(cell.id);
      }
    }
    for (const cell of cells) {
      if (!this._heard.has(cell)) {
        cell.changed.connect(this._onCell, this);
        this._heard.add(cell);
      }
    }
  }

  private _onNotebook(_: ISharedNotebook, change: { cellsChange?: unknown }): void {
    if (change.cellsChange) {
      this._changes += 1;
      this._listen();
    }
  }

  private _onCell(cell: ISharedCell, change: { sourceChange?: unknown; executionCountChange?: unknown }): void {
    if (change.sourceChange || change.executionCountChange) {
      this._changes += 1;
      this._own.set(cell.id, (this._own.get(cell.id) ?? 0) + 1);
    }
  }
}

/** The cells nearest to one, without itself, and how many of them stand above it. */
export function around(cells: readonly Told[], cellId: string): NotebookCellsAround {
  const index = Math.max(0, cells.findIndex(cell => cell.id === cellId));
  const above = nearest(cells.slice(0, index).reverse()).reverse();
  return { cells: [...above, ...nearest(cells.slice(index + 1))], position: above.length };
}

/** What is told of a cell: its text, and whether it has run. Its output is not. */
export function asTold({ id, cell_type, source, execution_count = null }: Told): NotebookCell {
  return { id: cellKey(id), cell_type: cell_type as CellType, source, ...(execution_count === null ? {} : { execution_count }) };
}

type Told = Pick<ISharedCell, 'id' | 'cell_type' | 'source'> & { readonly execution_count?: number | null };

interface NotebookCellsAround extends Around {
  readonly cells: readonly NotebookCell[];
}

/** As many of the first cells as fit into half of the room. */
function nearest(cells: readonly Told[]): NotebookCell[] {
  let room = MOST_CHARACTERS / 2;
  const told: NotebookCell[] = [];
  for (const cell of cells) {
    const one = asTold(cell);
    room -= cell.source.length;
    if (room < 0) {
      break;
    }
    told.push(one);
  }
  return told;
}
