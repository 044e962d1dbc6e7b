import { YNotebook } from '@jupyter/ydoc';
import type { Cell } from '@jupyterlab/cells';
import type { INotebookModel } from '@jupyterlab/notebook';
import { Signal } from '@lumino/signaling';
import { describe, expect, it, vi } from 'vitest';

vi.mock('@jupyterlab/apputils', () => ({ Notification: {} }));
vi.mock('@jupyterlab/cells', () => ({ MarkdownCell: class {} }));

import { Consent } from '../src/consent';
import { Decisions } from '../src/decisions';
import { UserEdits } from '../src/userEdits';
import type { CellEdited } from '../src/messages';
import { EMPTY, fullProposal } from '../src/state';
import type { Store } from '../src/store';

/** Timers of a browser, of which none goes off. */
const still = { clearTimeout: () => undefined, setTimeout: () => 1 };

describe('before a cell runs', () => {
  it('the kernel hears what was typed a moment ago: the cell may take a turn back', () => {
    vi.stubGlobal('window', still);
    const notebook = YNotebook.create() as YNotebook;
    const typed = notebook.insertCell(0, { id: 'typed', cell_type: 'code', source: 'y = 2' });
    const proposal = fullProposal({ cell_id: 'typed', turn_id: 't', kind: 'insert', source: 'y = 2', state: 'accepted' } as never);
    const store = { state: { ...EMPTY, proposals: new Map([['typed', proposal]]), all: [proposal] } } as unknown as Store;
    const model = { sharedModel: notebook } as unknown as INotebookModel;
    Object.assign(model, { contentChanged: new Signal(model) });
    const said: CellEdited[] = [];
    const hand = new UserEdits(model, store, edited => said.push(edited));
    const decisions = new Decisions({ store } as never, null as never, hand, null as never);
    const consent = new Consent({ session: { decisions, store } } as never);

    typed.setSource('# mine\ny = 2');
    expect(said).toEqual([]);
    expect(consent.toRun({ model: { id: 'other', sharedModel: typed } } as unknown as Cell)).toBeNull();
    expect(said).toEqual([{ type: 'CellEdited', cell_id: 'typed', source: '# mine\ny = 2' }]);
    vi.unstubAllGlobals();
  });
});
