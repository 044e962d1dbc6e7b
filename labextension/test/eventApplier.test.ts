import { type ISharedCodeCell, YNotebook } from '@jupyter/ydoc';
import { Signal } from '@lumino/signaling';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { METADATA_KEY } from '../src/constants';
import { Decisions } from '../src/decisions';
import { DocumentApplier } from '../src/documentApplier';
import type { Command, Event, Proposal } from '../src/messages';
import { markOf } from '../src/provenance';
import { EventApplier } from '../src/eventApplier';
import { Store } from '../src/store';

describe('a cell that was accepted here', () => {
  let notebook: YNotebook;
  let store: Store;
  let decisions: Decisions;
  let scribe: EventApplier;
  const sent: Command[] = [];
  const ready: Proposal = { cell_id: 'a', turn_id: 't', source: 'y = 1', state: 'ready' };

  beforeEach(() => {
    sent.length = 0;
    notebook = YNotebook.create({ disableDocumentWideUndoRedo: true }) as YNotebook;
    notebook.insertCell(0, { id: 'a', cell_type: 'code', source: 'y = 1' });
    store = new Store();
    store.dispatch({ type: 'TurnStarted', turn: { id: 't', prompt: 'p' } }, { type: 'ProposalChanged', proposal: ready });
    const writer = { dropped: new Signal({}), finish: () => undefined, forget: () => undefined, write: () => undefined };
    const transport = { send: async (...commands: Command[]) => void sent.push(...commands) };
    const session = { notebook, store, writer, transport, isWriter: true, cancel: () => undefined };
    const teaching = { knows: () => true };
    const keeper = new DocumentApplier(notebook, store);
    decisions = new Decisions(session as never, keeper, {} as never, teaching as never);
    scribe = new EventApplier({ ...session, decisions } as never, keeper, teaching as never);
  });

  afterEach(() => notebook.dispose());

  /** The kernel says so, as the session takes it in. */
  function said(event: Event): void {
    const before = scribe.proposalsNow;
    store.reduce(event);
    scribe.follow(event, before);
  }

  const changed = () => markOf(notebook.cells[0].getMetadata(METADATA_KEY), notebook.cells[0].source)?.changed;

  it('says that it was changed, also where that was done before the kernel had said what is kept', () => {
    decisions.accept('a');
    expect(sent).toMatchObject([{ type: 'Accept', source: 'y = 1' }]);
    expect(changed()).toBe(false);
    notebook.cells[0].setSource('y = 10');
    said({ type: 'ProposalChanged', proposal: { ...ready, state: 'accepted' } });
    expect(changed()).toBe(true);
  });

  it('is said to hold what the kernel made of it, where that is another text', () => {
    decisions.accept('a');
    notebook.cells[0].setSource('y = "secret"'); // as a change of the kernel's does
    said({ type: 'ProposalChanged', proposal: { ...ready, source: 'y = "secret"', state: 'accepted' } });
    expect(changed()).toBe(false);
  });
});

describe('a cell that an agent wants deleted, moved or run', () => {
  let notebook: YNotebook;
  let store: Store;
  let decisions: Decisions;
  const sent: Command[] = [];
  const proposal = (fields: Partial<Proposal>): Proposal => ({ cell_id: 'b', turn_id: 't', kind: 'edit', base: 'y = 1', source: 'y = 1', state: 'ready', ...fields });
  const deletion = proposal({ source: '', operation: { kind: 'delete', above: 'a' } });
  const move = proposal({ operation: { kind: 'move', above: 'a', below: 'c' } });
  const run = proposal({ operation: { kind: 'run', above: 'a' } });
  let applier: EventApplier;

  function propose(one: Proposal): void {
    store.dispatch({ type: 'TurnStarted', turn: { id: 't', prompt: 'p', agent: 'Helper' } }, { type: 'ProposalChanged', proposal: one });
  }

  function said(event: Event): void {
    const before = applier.proposalsNow;
    store.reduce(event);
    applier.follow(event, before);
  }

  const order = () => notebook.cells.map(cell => cell.id).join('');

  beforeEach(() => {
    sent.length = 0;
    notebook = YNotebook.create({ disableDocumentWideUndoRedo: true }) as YNotebook;
    for (const [index, id] of ['a', 'b', 'c'].entries()) {
      notebook.insertCell(index, { id, cell_type: 'code', source: id === 'b' ? 'y = 1' : `${id} = 0` });
    }
    (notebook.cells[1] as ISharedCodeCell).setOutputs([{ output_type: 'stream', name: 'stdout', text: 'kept' }]);
    store = new Store();
    const writer = { dropped: new Signal({}), finish: () => undefined, forget: () => undefined, write: () => undefined };
    const transport = { send: async (...commands: Command[]) => void sent.push(...commands) };
    const session = { notebook, store, writer, transport, isWriter: true, cancel: () => undefined };
    const restore = { knows: () => true };
    const document = new DocumentApplier(notebook, store);
    decisions = new Decisions(session as never, document, {} as never, restore as never);
    applier = new EventApplier({ ...session, decisions } as never, document, restore as never);
  });

  afterEach(() => notebook.dispose());

  it('is deleted when that is accepted, and comes back with its outputs', () => {
    propose(deletion);
    expect(order()).toBe('abc');
    decisions.accept('b');
    expect(order()).toBe('ac');
    expect(sent).toMatchObject([{ type: 'Accept', source: '' }]);
    said({ type: 'ProposalChanged', proposal: { ...deletion, state: 'accepted' } });
    said({ type: 'ProposalChanged', proposal: { ...deletion, state: 'reverted' } });
    expect(order()).toBe('abc');
    expect((notebook.cells[1] as ISharedCodeCell).getOutputs()).toMatchObject([{ text: 'kept' }]);
  });

  it('is not deleted where the user has typed in it', () => {
    propose(deletion);
    notebook.cells[1].setSource('y = 12');
    decisions.accept('b');
    expect(order()).toBe('abc');
    expect(sent).toEqual([]);
    said({ type: 'ProposalChanged', proposal: { ...deletion, state: 'accepted' } });
    expect(notebook.cells[1].source).toBe('y = 12');
  });

  it('is moved when that is accepted, with its text and outputs, and moved back', () => {
    propose(move);
    decisions.accept('b');
    expect(order()).toBe('acb');
    expect((notebook.cells[2] as ISharedCodeCell).getOutputs()).toMatchObject([{ text: 'kept' }]);
    expect(notebook.cells[2].getMetadata(METADATA_KEY)).toBeUndefined();
    said({ type: 'ProposalChanged', proposal: { ...move, state: 'accepted' } });
    said({ type: 'ProposalChanged', proposal: { ...move, state: 'reverted' } });
    expect(order()).toBe('abc');
  });

  it('is not moved below a cell that is gone', () => {
    propose(move);
    notebook.deleteCell(2);
    decisions.accept('b');
    expect(order()).toBe('ab');
    expect(sent).toEqual([]);
  });

  it('runs for the agent only with the text that was judged', () => {
    const asked: string[] = [];
    decisions.runRequested.connect((_, { cellId }) => asked.push(cellId));
    propose(run);
    said({ type: 'ProposalChanged', proposal: { ...run, state: 'accepted' } });
    decisions.onRunRequested('b');
    expect(asked).toEqual(['b']);
    notebook.cells[1].setSource('y = 1\nhalf(');
    decisions.onRunRequested('b');
    expect(asked).toEqual(['b']);
  });
});
