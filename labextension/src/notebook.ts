// CellChanges applied to a notebook as nbformat JSON: all of them or none. Pure, and the twin of spark_jupyter/notebook.py:
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

/** The notebook after `changes`. `notebook` itself stays as it is. Throws NotebookError where one does not fit. */
export function apply(notebook: Notebook, changes: readonly CellChange[]): Notebook {
  return { ...notebook, cells: changes.reduce(applyOne, notebook.cells) };
}

/** The source of a cell as one string (nbformat allows a list of lines). */
export function sourceOf(cell: Cell): string {
  return typeof cell.source === 'string' ? cell.source : cell.source.join('');
}

function applyOne(cells: readonly Cell[], change: CellChange): readonly Cell[] {
  if (change.type === 'insert') {
    return inserted(cells, change);
  }
  const index = cells.findIndex(cell => cell.id === change.cell_id);
  if (index < 0) {
    throw new NotebookError(`There is no cell ${change.cell_id}.`);
  }
  const cell = cells[index];
  switch (change.type) {
    case 'append':
      return cells.with(index, { ...cell, source: sourceOf(cell) + change.text });
    case 'replace':
      return cells.with(index, { ...cell, source: change.source });
    case 'delete':
      return cells.toSpliced(index, 1);
  }
}

function inserted(cells: readonly Cell[], change: InsertCell): readonly Cell[] {
  if (cells.some(cell => cell.id === change.cell_id)) {
    throw new NotebookError(`There is a cell ${change.cell_id} already.`);
  }
  const after = change.after ?? null;
  const above = cells.findIndex(cell => cell.id === after);
  if (after !== null && above < 0) {
    throw new NotebookError(`There is no cell ${after} to insert below.`);
  }
  return cells.toSpliced(above + 1, 0, newCell(change));
}

function newCell(change: InsertCell): Cell {
  const type = change.cell_type ?? 'code';
  const cell = { id: change.cell_id, cell_type: type, metadata: {}, source: change.source ?? '' };
  return type === 'code' ? { ...cell, execution_count: null, outputs: [] } : cell;
}
