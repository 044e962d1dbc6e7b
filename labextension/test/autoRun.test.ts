import { afterEach, expect, it, vi } from 'vitest';
import { AutoRun } from '../src/autoRun';
import type { Event } from '../src/messages';
import type { NotebookSession } from '../src/notebookSession';
import { Store } from '../src/store';

afterEach(() => vi.unstubAllGlobals());

/** The cells that run by themselves where that was chosen, of a turn with one clean cell. */
function ran(turn: { readonly agent?: string }): string[] {
  vi.stubGlobal('window', { sessionStorage: { getItem: () => 'yes' } });
  const store = new Store();
  const cells: string[] = [];
  const decisions = { run: (cellId: string) => cells.push(cellId) };
  new AutoRun({ store, decisions, isWriter: true, context: { path: 'a.ipynb' } } as unknown as NotebookSession);
  const events: Event[] = [
    { type: 'TurnStarted', turn: { id: 't', ...turn } },
    { type: 'ProposalChanged', proposal: { cell_id: 'c', turn_id: 't', source: 'x = 1', state: 'ready', may_run: 'freely' } },
    { type: 'TurnEnded', turn_id: 't', outcome: 'completed' }
  ];
  events.forEach(event => store.dispatch(event));
  return cells;
}

it('runs what a person asked for, and nothing of an agent, which asks a person itself', () => {
  expect(ran({})).toEqual(['c']);
  expect(ran({ agent: 'A' })).toEqual([]);
});
