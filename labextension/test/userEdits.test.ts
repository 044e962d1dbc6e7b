import { YNotebook } from '@jupyter/ydoc';
import type { INotebookModel } from '@jupyterlab/notebook';
import { Signal } from '@lumino/signaling';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Decisions } from '../src/decisions';
import { DocumentApplier } from '../src/documentApplier';
import { EventApplier } from '../src/eventApplier';
import type { CellEdited, Command, Event, Proposal, Turn } from '../src/messages';
import { Store } from '../src/store';
import { UserEdits } from '../src/userEdits';

vi.stubGlobal('window', { clearTimeout: () => undefined, setTimeout: () => 1 });

describe('what the kernel is told of the hand of a person', () => {
  let notebook: YNotebook;
  let store: Store;
  let edits: UserEdits;
  const heard: CellEdited[] = [];
  const turn = (id: string, document: string): Turn => ({ id, prompt: 'p', document });
  const proposed = (cell_id: string, turn_id: string): Proposal => ({ cell_id, turn_id, source: 'y = 1', state: 'ready' });

  beforeEach(() => {
    heard.length = 0;
    notebook = YNotebook.create({ disableDocumentWideUndoRedo: true }) as YNotebook;
    notebook.insertCell(0, { id: 'here', cell_type: 'code', source: 'y = 1' });
    store = new Store();
    store.dispatch({ type: 'Hello', version: 1, writer: true, document: 'd1' } as Event);
    const model = { sharedModel: notebook } as unknown as INotebookModel;
    edits = new UserEdits(Object.assign(model, { contentChanged: new Signal(model) }), store, edited => heard.push(edited));
  });

  afterEach(() => notebook.dispose());

  function propose(one: Proposal, of: Turn): void {
    store.dispatch({ type: 'TurnStarted', turn: of }, { type: 'ProposalChanged', proposal: one });
  }

  it.each(['ready', 'blocked', 'accepted'] as const)('leaves out what is %s in another notebook of the kernel', state => {
    propose({ ...proposed('there', 't1'), state }, turn('t1', 'd2'));
    edits.flush();
    expect(heard).toEqual([]);
  });

  it('names a cell of this notebook that was deleted', () => {
    propose(proposed('here', 't1'), turn('t1', 'd1'));
    notebook.deleteCell(0);
    edits.flush();
    expect(heard).toEqual([{ type: 'CellEdited', cell_id: 'here', source: null }]);
  });
});

describe('a cell that was deleted while it grew', () => {
  it('is rejected once it is whole, and stays where it comes back by Undo', () => {
    const notebook = YNotebook.create({ disableDocumentWideUndoRedo: true }) as YNotebook;
    const store = new Store();
    const sent: Command[] = [];
    const writer = { dropped: new Signal<object, string>({}), finish: () => undefined, forget: () => undefined, write: () => undefined };
    const transport = { send: async (...commands: Command[]) => void sent.push(...commands) };
    const session = { notebook, store, writer, transport, isWriter: true, cancel: () => undefined };
    const restore = { knows: () => true };
    const document = new DocumentApplier(notebook, store);
    const decisions = new Decisions(session as never, document, {} as never, restore as never);
    const applier = new EventApplier({ ...session, decisions } as never, document, restore as never);
    const said = (state: Proposal['state'], held = false) => {
      const before = applier.proposalsNow;
      const event: Event = { type: 'ProposalChanged', proposal: { cell_id: 'a', turn_id: 't', source: 'y = 1', state }, held };
      store.reduce(event);
      applier.follow(event, before);
    };
    store.dispatch({ type: 'TurnStarted', turn: { id: 't', prompt: 'p' } });
    said('streaming');
    writer.dropped.emit('a');
    said('ready');
    expect(sent).toMatchObject([{ type: 'Reject', cell_id: 'a' }]);
    said('rejected');
    notebook.insertCell(0, { id: 'a', cell_type: 'code', source: 'y = 1' });
    said('ready', true);
    expect(notebook.cells.map(cell => cell.id)).toEqual(['a']);
    expect(sent).toHaveLength(1);
  });
});
