import { YNotebook } from '@jupyter/ydoc';
import { describe, expect, it } from 'vitest';
import { Surroundings } from '../../src/suggest/surroundingCells';

function notebook(...sources: string[]): YNotebook {
  const shared = new YNotebook();
  sources.forEach((source, index) => shared.insertCell(index, { id: `c${index}`, cell_type: 'code', source }));
  return shared;
}

describe('the other cells', () => {
  it('are told once, and again when one of them was changed', () => {
    const shared = notebook('a', 'b', 'c');
    const around = new Surroundings(shared);
    expect(around.take('c1')).toMatchObject({ cells: [{ id: 'c0', source: 'a' }, { id: 'c2', source: 'c' }], position: 1 });
    shared.getCell(1).setSource('typed here');
    expect(around.take('c1')).toEqual({ cells: null, position: 1 });
    shared.getCell(0).setSource('changed');
    expect(around.take('c1').cells?.[0]).toMatchObject({ source: 'changed' });
    expect(around.take('c1').cells).toBeNull();
  });

  it('are told again for another cell, when one came or went, and to a kernel that knows nothing', () => {
    const shared = notebook('a', 'b');
    const around = new Surroundings(shared);
    around.take('c1');
    expect(around.take('c0').cells).toMatchObject([{ id: 'c1' }]);
    shared.insertCell(2, { id: 'new', cell_type: 'code', source: 'n' });
    expect(around.take('c0').cells).toHaveLength(2);
    around.forget();
    expect(around.take('c0').cells).toHaveLength(2);
  });

  it('of a cell are in another state when another one was changed or has run, and not when it was typed in itself', () => {
    const shared = notebook('a', '');
    const around = new Surroundings(shared);
    const before = around.context('c1');
    shared.getCell(1).setSource('x');
    expect(around.context('c1')).toBe(before);
    shared.getCell(0).setSource('b');
    expect(around.context('c1')).toBeGreaterThan(before);
    const then = around.context('c1');
    around.ran();
    expect(around.context('c1')).toBeGreaterThan(then);
  });

  it('are the nearest ones where there are too many', () => {
    const long = 'x'.repeat(60_000);
    const shared = notebook(long, long, 'near', 'here', 'below', long, long);
    const { cells, position } = new Surroundings(shared).take('c3');
    expect(cells?.map(({ id }) => id)).toEqual(['c1', 'c2', 'c4', 'c5']);
    expect(position).toBe(2);
  });
});
