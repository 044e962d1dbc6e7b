import { type ISharedCell, YNotebook } from '@jupyter/ydoc';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { markDecided, markProposed, isProposed } from '../src/proposalMark';

describe('a cell that waits for a decision', () => {
  let notebook: YNotebook;
  let cell: ISharedCell;

  beforeEach(() => {
    notebook = YNotebook.create({ disableDocumentWideUndoRedo: true }) as YNotebook;
    cell = notebook.insertCell(0, { id: 'c', cell_type: 'code', source: 'x = 1' });
  });

  afterEach(() => notebook.dispose());

  it('is left alone by programs that run the file, until it is decided', () => {
    markProposed(cell);
    expect(isProposed(cell)).toBe(true);
    expect(cell.getMetadata('tags')).toEqual(['skip-execution']);
    markDecided(cell);
    expect(cell.getMetadata('tags')).toBeUndefined();
  });

  it('keeps the tags that it has', () => {
    cell.setMetadata('tags', ['parameters']);
    markProposed(cell);
    markProposed(cell);
    expect(cell.getMetadata('tags')).toEqual(['parameters', 'skip-execution']);
    markDecided(cell);
    expect(cell.getMetadata('tags')).toEqual(['parameters']);
  });

  it('is not one that a person has marked so', () => {
    cell.setMetadata('tags', ['skip-execution']);
    markDecided(cell);
    expect(cell.getMetadata('tags')).toEqual(['skip-execution']);
  });
});
