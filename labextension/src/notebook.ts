// CellChanges applied to a notebook as nbformat JSON: all of them or none. Pure, and the twin of spark_jupyter/wire/notebook.py:
// both must give the same result for the fixtures in tests/fixtures/changes.

import type { CellChange, InsertCell } from './messages';

/** As much of an nbformat cell as this needs; the rest is carried along. */
export interface Cell {
  readonly id: string;
  readonly cell_type: string;
  readonly source: string | readonly string[];
  readonly [field: string]: unknown;
}

/** As much of an nbformat notebook as this needs. */
export interface Notebook {
  readonly cells: readonly Cell[];
  readonly [field: string]: unknown;
}

/** A change does not fit the notebook. */
export class NotebookError extends Error {}

/**
 * The notebook after `changes`. `notebook` itself stays as it is. Throws NotebookError where one does not fit.
 *
 * A code cell whose source changes loses its outputs and its execution count: they are another code's.
 */
export function apply(notebook: Notebook, changes: readonly CellChange[]): Notebook {
  const stage = new Stage(notebook.cells);
  changes.forEach(change => stage.take(change));
  return { ...notebook, cells: stage.committed() };
}

/** The source of a cell as one string (nbformat allows a list of lines). */
export function sourceOf(cell: Cell): string {
  return typeof cell.source === 'string' ? cell.source : cell.source.join('');
}

/** The cells with some of the changes made. Cells that change are copied, the others shared. */
class Stage {
  private readonly _order: string[];
  private readonly _cells: Map<string, Cell>;
  private readonly _sources = new Map<string, string>();

  constructor(cells: readonly Cell[]) {
    this._order = cells.map(cell => cell.id);
    this._cells = new Map(cells.map(cell => [cell.id, cell]));
  }

  take(change: CellChange): void {
    const cell = this._cells.get(change.cell_id);
    if (change.type === 'insert') {
      this._insert(change);
    } else if (!cell) {
      throw new NotebookError(`There is no cell ${change.cell_id}.`);
    } else if (change.type === 'delete') {
      this._order.splice(this._order.indexOf(change.cell_id), 1);
      this._cells.delete(change.cell_id);
      this._sources.delete(change.cell_id);
    } else {
      const begun = this._sources.get(change.cell_id) ?? sourceOf(cell);
      this._sources.set(change.cell_id, change.type === 'replace' ? change.source : begun + change.text);
    }
  }

  committed(): Cell[] {
    return this._order.map(id => this._commit(id));
  }

  private _insert(change: InsertCell): void {
    const after = change.after ?? null;
    if (this._cells.has(change.cell_id)) {
      throw new NotebookError(`There is a cell ${change.cell_id} already.`);
    }
    if (after !== null && !this._cells.has(after)) {
      throw new NotebookError(`There is no cell ${after} to insert below.`);
    }
    this._order.splice(after === null ? 0 : this._order.indexOf(after) + 1, 0, change.cell_id);
    this._cells.set(change.cell_id, newCell(change));
  }

  private _commit(id: string): Cell {
    const cell = this._cells.get(id) as Cell;
    const source = this._sources.get(id);
    if (source === undefined || source === sourceOf(cell)) {
      return cell;
    }
    const stale = cell.cell_type === 'code' ? { outputs: [], execution_count: null } : {};
    return { ...cell, source, ...stale };
  }
}

function newCell(change: InsertCell): Cell {
  const type = change.cell_type ?? 'code';
  const cell = { id: change.cell_id, cell_type: type, metadata: {}, source: change.source ?? '' };
  return type === 'code' ? { ...cell, execution_count: null, outputs: [] } : cell;
}
