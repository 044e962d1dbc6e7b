import { YNotebook } from '@jupyter/ydoc';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Event, Snapshot } from '../src/messages';
import { lifeIn, markProposed } from '../src/proposalMark';
import { Store } from '../src/store';
import { Recorder } from '../src/turnRecorder';

const HELLO: Event = { type: 'Hello', life: 'now', document: 'd1' };
const SNAPSHOT: Snapshot = {
  type: 'Snapshot',
  turns: [{ id: 't', prompt: 'asked elsewhere' }],
  proposals: [{ cell_id: 'a', turn_id: 't', source: 'import mat' }]
};

/** A tab that shows a notebook. */
function tab(notebook: YNotebook): { readonly store: Store; readonly recorder: Recorder } {
  const store = new Store();
  return { store, recorder: new Recorder(notebook, store, () => true) };
}

describe('what a notebook keeps of a kernel that lives', () => {
  let notebook: YNotebook;

  beforeEach(() => {
    vi.stubGlobal('window', { setTimeout: () => 1, clearTimeout: () => undefined });
    notebook = YNotebook.create({ disableDocumentWideUndoRedo: true }) as YNotebook;
    markProposed(notebook.insertCell(0, { id: 'a', cell_type: 'code', source: 'import matplotlib' }), 'now');
  });

  afterEach(() => vi.unstubAllGlobals());

  it('is no turn of its own where the document comes before the kernel says it', () => {
    const { store, recorder } = tab(notebook);
    store.dispatch(HELLO);
    expect(recorder.adoptUnknownProposals(notebook.cells)).toBe(false);
    store.dispatch(SNAPSHOT);
    expect(store.state.turns.map(turn => turn.id)).toEqual(['t']);
    expect(store.state.proposals.get('a')?.recalled).toBeUndefined();
  });

  it('is what that kernel says, also where it was taken up before', () => {
    const first = tab(notebook);
    first.store.dispatch(HELLO, SNAPSHOT);
    first.recorder.flush();
    const second = tab(notebook);
    second.recorder.recall();
    expect(second.store.state.turns[0].life).toBe('now');
    second.store.dispatch(HELLO, SNAPSHOT);
    expect(second.store.state.turns).toEqual(first.store.state.turns);
    expect(second.store.state.all).toEqual(first.store.state.all);
    expect(second.store.state.orphans.size).toBe(0);
  });

  it('leaves no turn of a mark whose kernel was not known', () => {
    const { store, recorder } = tab(notebook);
    expect(recorder.adoptUnknownProposals(notebook.cells)).toBe(true);
    store.dispatch(HELLO, SNAPSHOT);
    expect(store.state.turns.map(turn => turn.id)).toEqual(['t']);
  });

  it('is judged anew by another kernel', () => {
    const { store, recorder } = tab(notebook);
    store.dispatch({ ...HELLO, life: 'later' } as Event);
    expect(recorder.adoptUnknownProposals(notebook.cells)).toBe(true);
    expect(store.state.proposals.get('a')?.recalled).toBe('changed');
  });

  it('is nothing that a copied cell can say', () => {
    const copy = notebook.insertCell(1, { id: 'b', cell_type: 'code', source: 'x', metadata: notebook.cells[0].getMetadata() });
    expect([lifeIn(notebook.cells[0]), lifeIn(copy)]).toEqual(['now', '']);
    const { store, recorder } = tab(notebook);
    store.dispatch(HELLO, SNAPSHOT);
    expect(recorder.adoptUnknownProposals(notebook.cells)).toBe(true);
    expect([...store.state.proposals.keys()].sort()).toEqual(['a', 'b']);
  });
});

describe('two notebooks on one kernel', () => {
  it('keep each its own, and the next kernel is told by each of its own', () => {
    vi.stubGlobal('window', { setTimeout: () => 1, clearTimeout: () => undefined });
    const notebook = YNotebook.create({ disableDocumentWideUndoRedo: true }) as YNotebook;
    const { store, recorder } = tab(notebook);
    const turn = (id: string, document: string): Event[] => [
      { type: 'TurnStarted', turn: { id, prompt: id, document } },
      { type: 'ProposalChanged', proposal: { cell_id: id, turn_id: id, kind: 'edit', source: 'x', state: 'ready' } }
    ];
    store.dispatch(HELLO, ...turn('mine', 'd1'), ...turn('other', 'd2'));
    recorder.flush();
    expect(JSON.stringify(notebook.getMetadata('spark'))).not.toContain('other');
    store.dispatch({ type: 'KernelGone', reason: 'r' });
    expect([...store.state.orphans]).toEqual(['mine']);
    vi.unstubAllGlobals();
  });
});
