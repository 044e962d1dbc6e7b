import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ISharedCell, YNotebook } from '@jupyter/ydoc';
import { describe, expect, it } from 'vitest';
import { hasCellOf, notebookCells, withGiven } from '../src/notebookCells';
import { sparse } from './projection';

interface Fixture {
  readonly name: string;
  readonly cell: ISharedCell & { readonly metadata?: Readonly<Record<string, unknown>> };
  readonly sent: unknown;
}

const fixtures = JSON.parse(readFileSync(join(__dirname, '../../tests/fixtures/cells.json'), 'utf-8')) as Fixture[];

describe('a cell that goes along with a prompt', () => {
  it.each(fixtures)('is sent as Python sends it: $name', ({ cell, sent }) => {
    const shared = { ...cell, getMetadata: (key: string) => cell.metadata?.[key] } as ISharedCell;
    expect(notebookCells({ cells: [shared] }).map(one => sparse('NotebookCell', one))).toEqual([sent]);
  });
});

describe('the cells of a prompt by magic', () => {
  const cells = [
    { id: 'a', source: 'x = 1', outputs: '1' },
    { id: 'b', source: '%%spark edit use polars\ny = 2' },
    { id: 'c', source: 'changed since' }
  ];

  it('are those of the notebook with their outputs, and the one that the notebook does not have', () => {
    expect(withGiven(cells, [{ id: 'explained', source: 'z' }])).toEqual([...cells, { id: 'explained', source: 'z' }]);
  });

  it('are without the magic above the code that is to be edited', () => {
    expect(withGiven(cells, [{ id: 'b', source: 'y = 2' }])[1]).toEqual({ id: 'b', source: 'y = 2' });
  });

  it('are as they stand now where the magic knows an older text', () => {
    expect(withGiven(cells, [{ id: 'c', source: 'as it was' }])).toEqual(cells);
  });
});

describe('what a magic asks for', () => {
  it('is sent by the notebook that has its cell, or where it names none', () => {
    const notebook = YNotebook.create() as YNotebook;
    notebook.insertCell(0, { id: 'here', cell_type: 'code' });
    const has = (after: string | null) => hasCellOf(notebook, { type: 'Prompt', turn_id: 't', text: 'p', target: { after } });
    expect(['here', 'elsewhere', null].map(has)).toEqual([true, false, true]);
  });
});
