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
import type { CellEdited, Event, Proposal } from '../src/messages';
import { decidable } from '../src/selectors';
import { EMPTY, fullProposal } from '../src/state';
import { Store } from '../src/store';

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

describe('a yes', () => {
  const proposed = (turn_id: string, source: string, fields: Partial<Proposal> = {}): Event => ({
    type: 'ProposalChanged',
    proposal: { cell_id: 'c', turn_id, kind: 'edit', base: 'x = 0', source, state: 'ready', may_run: 'freely', ...fields }
  });

  /** A notebook's consent, and what it has the kernel do. `judged` ends the checks that a decision waits for. */
  function asked(...events: Event[]) {
    vi.stubGlobal('window', { requestAnimationFrame: () => 0 });
    const store = new Store();
    store.dispatch({ type: 'TurnStarted', turn: { id: 'mine' } }, { type: 'TurnStarted', turn: { id: 'agents', agent: 'A' } }, ...events);
    let judged: () => void = () => undefined;
    const checks = new Promise<void>(resolve => (judged = resolve));
    const done: string[] = [];
    const decisions = {
      get waiting() {
        return decidable(store.state);
      },
      inspected: () => checks,
      run: (cellId: string) => done.push(`run ${cellId}`),
      accept: (cellId: string) => done.push(`accept ${cellId}`)
    };
    const content = { widgets: [], activeCell: null, activeCellIndex: 0 };
    const view = { session: { decisions, store }, panel: { content }, cell: () => null, decorationsOf: () => undefined, focusCell: () => undefined, sync: () => undefined };
    const consent = new Consent(view as never);
    store.changed.connect(() => consent.sync());
    return { consent, store, judged, done, told: () => store.state.problems.map(({ code }) => code) };
  }

  const settled = () => new Promise(resolve => setTimeout(resolve));

  it('is to the text that was there, also where the checks of it take a while', async () => {
    for (const decide of ['run', 'acceptAll'] as const) {
      const { consent, store, judged, done, told } = asked(proposed('mine', 'x = 1'));
      const decided = consent[decide]('c');
      store.dispatch(proposed('mine', 'x = 1', { state: 'rejected' }), proposed('agents', 'steal()'));
      judged();
      await decided;
      expect(done, decide).toEqual([]);
      expect(told(), decide).toEqual(['changed_meanwhile']);
    }
  });

  it('is to what was asked about: the question goes with its text', async () => {
    const unparsed = { state: 'blocked', may_run: 'when-confirmed', may_accept: 'when-confirmed' } as const;
    for (const decide of ['run', 'accept'] as const) {
      const { consent, store, judged, done } = asked(proposed('mine', 'x = (', unparsed));
      judged();
      const decided = consent[decide]('c');
      await settled();
      expect(consent.asks('c')).toBe(decide);
      store.dispatch(proposed('mine', 'x = (', { ...unparsed, state: 'rejected' }), proposed('agents', 'steal(', unparsed));
      expect(consent.asks('c')).toBeNull();
      consent.answer('c', true);
      await decided;
      expect(done, decide).toEqual([]);
    }
  });

  it('holds where more is found out about the same text', async () => {
    const { consent, store, judged, done, told } = asked(proposed('mine', 'x = 1', { inspecting: true }));
    const decided = consent.run('c');
    store.dispatch(proposed('mine', 'x = 1'));
    judged();
    await decided;
    expect([done, told()]).toEqual([['run c'], []]);
  });
});
