import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ISharedNotebook, YNotebook } from '@jupyter/ydoc';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { CellChange } from '../src/messages';
import { LiveWriter, merged } from '../src/liveWriter';

const FIXTURES = join(__dirname, '../../tests/fixtures/changes');

interface Cell {
  id: string;
  cell_type: string;
  source: string | string[];
}

interface Fixture {
  name: string;
  before: { cells: Cell[] };
  changes: CellChange[];
  after?: { cells: Cell[] };
  /** Of changes that a file refuses: what a live document, in which somebody may have worked meanwhile, makes of them. */
  live?: [id: string, source: string][];
}

const fixtures = readdirSync(FIXTURES)
  .filter(name => name.endsWith('.json'))
  .map(name => JSON.parse(readFileSync(join(FIXTURES, name), 'utf-8')) as Fixture);

/** A document's cells as the writer leaves them. */
function standing(notebook: ISharedNotebook): [id: string, type: string, source: string][] {
  return notebook.cells.map(cell => [cell.id, cell.cell_type, cell.source]);
}

const text = ({ source }: Cell) => (typeof source === 'string' ? source : source.join(''));

describe('the writer of a live document', () => {
  let notebook: YNotebook;

  beforeEach(() => {
    vi.stubGlobal('document', { hidden: false });
    vi.stubGlobal('window', { requestAnimationFrame: () => 1, cancelAnimationFrame: () => undefined, clearTimeout: () => undefined });
    notebook = YNotebook.create({ disableDocumentWideUndoRedo: true }) as YNotebook;
  });

  afterEach(() => {
    notebook.dispose();
    vi.unstubAllGlobals();
  });

  function written(fixture: Fixture, pieces: readonly (readonly CellChange[])[]): YNotebook {
    notebook.fromJSON(structuredClone(fixture.before) as never);
    const writer = new LiveWriter(notebook);
    for (const changes of pieces) {
      writer.write(changes);
      writer.flush();
    }
    writer.dispose();
    return notebook;
  }

  /** The cells as a file has them that takes everything; but Markdown that is new is text until somebody accepts it. */
  function proposed({ changes, after }: Fixture): unknown {
    const anew = new Set(changes.filter(change => change.type === 'insert').map(change => change.cell_id));
    const type = (cell: Cell) => (cell.cell_type === 'markdown' && anew.has(cell.id as string) ? 'raw' : cell.cell_type);
    return after?.cells.map(cell => [cell.id, type(cell), text(cell)]);
  }

  it('has fixtures, which Python passes too', () => {
    expect(fixtures.length).toBeGreaterThan(20);
    expect(fixtures.every(({ after, live }) => Boolean(after) !== Boolean(live))).toBe(true);
  });

  it.each(fixtures.filter(({ after }) => after))('writes the same cells: $name', fixture => {
    const expected = proposed(fixture);
    expect(standing(written(fixture, [fixture.changes]))).toEqual(expected);
  });

  it.each(fixtures.filter(({ after }) => after))('writes the same cells in as many frames as changes: $name', fixture => {
    const expected = proposed(fixture);
    expect(standing(written(fixture, fixture.changes.map(change => [change])))).toEqual(expected);
  });

  it.each(fixtures.filter(({ after }) => after))('leaves what a cell has beside its source alone: $name', fixture => {
    const anew = new Set(fixture.changes.filter(change => change.type === 'insert').map(change => change.cell_id));
    const before = new Map(fixture.before.cells.filter(cell => !anew.has(cell.id)).map(cell => [cell.id, cell]));
    for (const cell of written(fixture, [fixture.changes]).toJSON().cells) {
      const known = before.get(cell.id as string);
      if (known) {
        expect({ ...cell, source: '' }).toEqual({ ...known, source: '' });
      }
    }
  });

  it.each(fixtures.filter(({ live }) => live))('takes of what a file refuses what fits: $name', fixture => {
    expect(standing(written(fixture, [fixture.changes])).map(([id, , source]) => [id, source])).toEqual(fixture.live);
  });

  it('inserts a cell so that who deletes it at once has it back with Undo', () => {
    const writer = new LiveWriter(notebook);
    writer.write([{ type: 'insert', cell_id: 'new', after: null, source: 'x = 1' }]);
    writer.flush();
    writer.dispose();
    notebook.deleteCell(0);
    notebook.undo();
    expect(standing(notebook)).toEqual([['new', 'code', 'x = 1']]);
  });
});

describe('changes', () => {
  const merges = JSON.parse(readFileSync(join(FIXTURES, '../merges.json'), 'utf-8')) as { name: string; changes: CellChange[]; merged: CellChange[] }[];

  it.each(merges)('become fewer, and the same as in Python: $name', fixture => {
    expect(merged(fixture.changes)).toEqual(fixture.merged);
  });
});
