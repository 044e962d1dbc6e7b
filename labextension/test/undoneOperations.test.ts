import { YNotebook } from '@jupyter/ydoc';
import type { INotebookModel } from '@jupyterlab/notebook';
import { Signal } from '@lumino/signaling';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Decisions } from '../src/decisions';
import { DocumentApplier } from '../src/documentApplier';
import { EventApplier } from '../src/eventApplier';
import type { CellEdited, CellOperation, Event, Proposal } from '../src/messages';
import { Store } from '../src/store';
import { UserEdits } from '../src/userEdits';

vi.stubGlobal('window', { clearTimeout: () => undefined, setTimeout: () => 1 });

describe('what an agent has moved and deleted', () => {
  let notebook: YNotebook;
  let store: Store;
  let decisions: Decisions;
  let applier: EventApplier;
  let edits: UserEdits;
  let heard: CellEdited[];

  const order = () => notebook.cells.map(cell => cell.id).join('');
  const states = () => store.state.all.map(one => one.state);

  function said(event: Event): void {
    const before = applier.proposalsNow;
    store.reduce(event);
    applier.follow(event, before);
  }

  function propose(cell_id: string, operation: CellOperation, turn_id = 't'): void {
    const base = `${cell_id} = 0`;
    const proposal: Proposal = { cell_id, turn_id, kind: 'edit', base, source: operation.kind === 'delete' ? '' : base, state: 'ready', operation };
    store.dispatch({ type: 'TurnStarted', turn: { id: turn_id, prompt: 'p', agent: 'Helper' } }, { type: 'ProposalChanged', proposal });
  }

  function accept(...cells: string[]): void {
    for (const cell of cells) {
      decisions.accept(cell);
    }
    expect(hand()).toEqual([]);
  }

  /** What the kernel is told of the person's hand; it answers as `manual_edits.py` does. */
  function hand(): CellEdited[] {
    heard = [];
    edits.flush();
    for (const { cell_id, source, turn_id, moved } of heard) {
      const proposal = store.state.all.findLast(one => one.cell_id === cell_id && (!turn_id || one.turn_id === turn_id))!;
      const stands = proposal.operation?.kind === 'delete' ? source === null : moved;
      said({ type: 'ProposalChanged', proposal: { ...proposal, state: stands ? 'accepted' : 'reverted' }, held: true });
    }
    return heard;
  }

  const undo = () => notebook.undo();
  const redo = () => notebook.redo();

  beforeEach(() => {
    notebook = YNotebook.create({ disableDocumentWideUndoRedo: true }) as YNotebook;
    [...'abcdef'].forEach((id, index) => notebook.insertCell(index, { id, cell_type: 'code', source: `${id} = 0` }));
    store = new Store();
    const writer = { dropped: new Signal({}), finish: () => undefined, forget: () => undefined, write: () => undefined };
    const session = { notebook, store, writer, transport: { send: async () => undefined }, isWriter: true, cancel: () => undefined };
    const restore = { knows: () => true };
    const document = new DocumentApplier(notebook, store);
    const model = { sharedModel: notebook } as unknown as INotebookModel;
    edits = new UserEdits(Object.assign(model, { contentChanged: new Signal(model) }), store, edited => heard.push(edited));
    decisions = new Decisions(session as never, document, edits, restore as never);
    applier = new EventApplier({ ...session, decisions } as never, document, restore as never);
  });

  afterEach(() => notebook.dispose());

  it('is moved back by Undo, and moved again by Redo', () => {
    propose('b', { kind: 'move', above: 'a', below: 'd' });
    accept('b');
    expect(order()).toBe('acdbef');
    notebook.undo();
    expect(hand()).toEqual([{ type: 'CellEdited', cell_id: 'b', source: 'b = 0', turn_id: 't', moved: false }]);
    expect([order(), states()]).toEqual(['abcdef', ['reverted']]);
    expect(hand()).toEqual([]);
    notebook.redo();
    expect(hand()).toMatchObject([{ cell_id: 'b', moved: true }]);
    expect([order(), states()]).toEqual(['acdbef', ['accepted']]);
  });

  it('is moved back by hand as by Undo, and stays moved where only other cells came and went', () => {
    propose('b', { kind: 'move', above: 'a', below: 'd' });
    accept('b');
    notebook.insertCell(4, { id: 'g', cell_type: 'code', source: '' });
    notebook.deleteCell(0);
    expect([order(), hand()]).toEqual(['cdbgef', []]);
    notebook.insertCell(0, { id: 'a', cell_type: 'code', source: '' });
    notebook.moveCell(3, 1);
    expect(hand()).toMatchObject([{ cell_id: 'b', moved: false }]);
  });

  it('and moved once more goes back, and forth again, step by step', () => {
    propose('b', { kind: 'move', above: 'a', below: 'd' }, 't1');
    accept('b');
    propose('b', { kind: 'move', above: 'd', below: 'f' }, 't2');
    accept('b');
    const seen = [undo, undo, redo, redo].map(step => {
      step();
      hand();
      return [order(), ...states()];
    });
    expect(seen).toEqual([
      ['acdbef', 'accepted', 'reverted'],
      ['abcdef', 'reverted', 'reverted'],
      ['acdbef', 'accepted', 'reverted'],
      ['acdefb', 'accepted', 'accepted']
    ]);
  });

  it('from the top is moved back to the top', () => {
    propose('a', { kind: 'move', below: 'f' });
    accept('a');
    notebook.undo();
    expect(hand()).toMatchObject([{ cell_id: 'a', moved: false }]);
    expect([order(), states()]).toEqual(['abcdef', ['reverted']]);
  });

  const group = (): void => {
    propose('c', { kind: 'delete', above: 'b' });
    propose('d', { kind: 'move', above: 'c', below: 'a' });
    propose('e', { kind: 'delete', above: 'd' });
    propose('f', { kind: 'move', above: 'e', below: 'a' });
  };

  it.each(['cdef', 'fedc', 'dfce', 'ecfd'])('comes back as it was where a turn with several is reverted: accepted in the order %s', cells => {
    group();
    accept(...cells);
    expect(order()).toHaveLength(4);
    for (const proposal of [...store.state.all].reverse()) {
      said({ type: 'ProposalChanged', proposal: { ...proposal, state: 'reverted' } });
    }
    expect(order()).toBe('abcdef');
    expect(hand()).toEqual([]);
  });

  it.each(['cdef', 'fedc', 'dfce', 'ecfd'])('comes back by one Undo each, and Redo accepts them again: accepted in the order %s', cells => {
    group();
    accept(...cells);
    const last = order();
    for (const [index, cell] of [...cells].reverse().entries()) {
      notebook.undo();
      expect(hand().map(one => one.cell_id)).toEqual([cell]);
      expect(states().filter(state => state === 'reverted')).toHaveLength(index + 1);
    }
    expect(order()).toBe('abcdef');
    for (const cell of cells) {
      notebook.redo();
      expect(hand().map(one => one.cell_id)).toEqual([cell]);
    }
    expect([order(), states()]).toEqual([last, Array(4).fill('accepted')]);
  });
});
