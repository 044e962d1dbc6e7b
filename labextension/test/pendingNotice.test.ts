import type { ICell, INotebookContent } from '@jupyterlab/nbformat';
import { expect, it } from 'vitest';
import { NOTICE, withNotices, withoutNotices } from '../src/pendingNotice';

const cell = (source: string | string[], metadata = {}, cell_type = 'code'): ICell => ({ cell_type, source, metadata, id: 'c' });
const pending = { spark: { proposed: true } };
const file = (...cells: ICell[]): INotebookContent => ({ nbformat: 4, nbformat_minor: 5, metadata: {}, cells });
const sources = (content: INotebookContent) => content.cells.map(one => one.source);

it('a new code cell that waits says so in the file, in a comment, and no other cell does', () => {
  const content = file(cell('x = 1', pending), cell('y = 2'), cell('words', pending, 'raw'), cell(['a\n', 'b'], pending));
  const saved = withNotices(content);
  expect(sources(saved)).toEqual([`${NOTICE}x = 1`, 'y = 2', 'words', `${NOTICE}a\nb`]);
  expect(NOTICE).toMatch(/^# .*\n$/);
  expect(sources(withNotices(saved))).toEqual(sources(saved));
  expect(sources(withoutNotices(saved))).toEqual(['x = 1', 'y = 2', 'words', 'a\nb']);
});

it('a cell magic stays the first line', () => {
  expect(sources(withNotices(file(cell('%%sql\nSELECT 1', pending))))).toEqual(['%%sql\nSELECT 1']);
});

it('a line that a person wrote stays', () => {
  expect(sources(withoutNotices(file(cell(`${NOTICE}x = 1`))))).toEqual([`${NOTICE}x = 1`]);
});
