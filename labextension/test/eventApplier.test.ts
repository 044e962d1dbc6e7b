import { YNotebook } from '@jupyter/ydoc';
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
    const writer = { dropped: new Signal({}), finish: () => undefined, write: () => undefined };
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
