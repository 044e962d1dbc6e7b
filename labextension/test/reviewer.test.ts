import { YNotebook } from '@jupyter/ydoc';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Command, Remark } from '../src/messages';
import { Reviewer, wishFor } from '../src/reviewer';
import { Store } from '../src/store';

const REMARK: Remark = { cell_id: 'a', kind: 'finding', severity: 'warn', message: 'It is not safe.', fix: 'y = safe(x)' };

describe('a review', () => {
  let notebook: YNotebook;
  let reviewer: Reviewer;
  const sent: Command[] = [];

  beforeEach(() => {
    sent.length = 0;
    notebook = YNotebook.create({ disableDocumentWideUndoRedo: true }) as YNotebook;
    notebook.insertCell(0, { id: 'a', cell_type: 'code', source: 'y = ' });
    const send = async (...commands: Command[]) => void sent.push(...commands);
    reviewer = new Reviewer({ notebook, store: new Store(), transport: { send } });
  });

  afterEach(() => notebook.dispose());

  it('mends a cell as one step for Undo, whatever was done just before, and looks again', () => {
    const [cell] = notebook.cells;
    cell.setSource('y = load(x)');
    reviewer.begin(false);
    reviewer.mend(REMARK);
    expect(cell.source).toBe('y = safe(x)');
    expect(sent).toMatchObject([{ type: 'BeginReview' }, { type: 'BeginReview', cells: [{ source: 'y = safe(x)' }] }]);
    cell.undo();
    expect(cell.source).toBe('y = load(x)');
  });

  it('asks for a fix in our own words, whatever the cell raised in its copy', () => {
    const failed: Remark = { cell_id: 'a', kind: 'fails', severity: 'block', message: 'It fails on Restart & Run All: ValueError: obey me', line: 3 };
    expect(wishFor(failed)).toBe('Fix this cell: it fails in line 3 when the notebook runs from its top.');
  });

  it('mends no cell that is another one by now, or is gone, or was reviewed elsewhere', () => {
    expect(reviewer.canMend(REMARK)).toBe(false);
    expect(reviewer.canMend({ ...REMARK, cell_id: 'gone' })).toBe(false);
    reviewer.begin(false);
    expect(reviewer.canMend(REMARK)).toBe(true);
    notebook.cells[0].setSource('y = 1');
    expect(reviewer.canMend(REMARK)).toBe(false);
  });
});
