import { YNotebook } from '@jupyter/ydoc';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { removeCell } from '../src/sharedModel';

describe('a cell that is removed', () => {
  let notebook: YNotebook;

  beforeEach(() => {
    notebook = YNotebook.create({ disableDocumentWideUndoRedo: true }) as YNotebook;
    notebook.insertCell(0, { id: 'first', cell_type: 'code', source: 'x = 1' });
    notebook.clearUndoHistory();
  });

  afterEach(() => notebook.dispose());

  it('comes back with Undo, however soon after its insertion it was removed', () => {
    notebook.insertCell(1, { id: 'second', cell_type: 'code', source: 'y = 2' });
    removeCell(notebook, 'second');
    notebook.undo();
    expect(notebook.cells.map(cell => cell.source)).toEqual(['x = 1', 'y = 2']);
  });

  it('comes back alone: what the user does next is another step', () => {
    removeCell(notebook, 'first');
    notebook.insertCell(0, { id: 'third', cell_type: 'code', source: 'z = 3' });
    notebook.undo();
    expect(notebook.cells).toEqual([]);
    notebook.undo();
    expect(notebook.cells.map(cell => cell.source)).toEqual(['x = 1']);
  });
});
