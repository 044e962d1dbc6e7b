import type { ISharedNotebook } from '@jupyter/ydoc';
import { expect, test } from 'vitest';
import { suggestedAction } from '../src/footer/footerModel';
import { whyUntried } from '../src/footer/untried';
import type { TrialResult } from '../src/messages';
import type { FullProposal, FullTurn, State } from '../src/state';

function proposal(cell_id: string, turn_id: string, more: Partial<FullProposal> = {}): FullProposal {
  return { cell_id, turn_id, cell_type: 'code', kind: 'insert', state: 'ready', may_run: 'freely', operation: null, trying: false, ...more } as FullProposal;
}

function trial(cell_id: string, turn_id: string, more: Partial<TrialResult> = {}): [string, TrialResult] {
  return [cell_id, { type: 'TrialResult', cell_id, turn_id, rehearsed: true, ...more } as TrialResult];
}

/** Why the last of the proposals was not tried. */
function why(all: readonly FullProposal[], trials: readonly [string, TrialResult][], outcome: FullTurn['outcome'] = 'completed', ran: readonly string[] = []): string {
  const turns = [...new Set(all.map(({ turn_id }) => turn_id))].map(id => ({ id, outcome }) as FullTurn);
  const state = { all, turns, trials: new Map(trials), trying: new Set() } as unknown as State;
  const cells = all.map(({ cell_id }) => ({ id: cell_id, cell_type: 'code', source: 'x', execution_count: ran.includes(cell_id) ? 1 : null }));
  return whyUntried(state, all[all.length - 1], { cells: cells as unknown as ISharedNotebook['cells'] });
}

test('a cell behind one that failed says so', () => {
  const cells = [proposal('a', 't1'), proposal('b', 't1')];
  expect(why(cells, [trial('a', 't1', { error: 'NameError: x' })])).toMatch(/did not run to its end/);
  expect(why(cells, [trial('a', 't1'), trial('b', 't1')])).toBe('');
  expect(why(cells, [trial('a', 't1', { error: 'NameError: x' })], null)).toBe('');
});

test('a cell behind one that is blocked, or that has not run, says so', () => {
  const tried = trial('z', 't0');
  expect(why([proposal('a', 't1', { may_run: 'when-confirmed', state: 'blocked' }), proposal('b', 't1')], [tried])).toMatch(/blocked/);
  expect(why([proposal('a', 't1'), proposal('b', 't2')], [trial('a', 't1')])).toMatch(/has not run/);
  expect(why([proposal('a', 't1', { state: 'accepted' }), proposal('b', 't2')], [trial('a', 't1')])).toMatch(/has not run/);
  expect(why([proposal('a', 't1', { state: 'accepted' }), proposal('b', 't2')], [trial('a', 't1')], 'completed', ['a'])).toBe('');
});

test('nothing is said where nothing is tried unasked, and of what is no new code', () => {
  expect(why([proposal('a', 't1'), proposal('b', 't2')], [])).toBe('');
  expect(why([proposal('a', 't1'), proposal('b', 't2', { cell_type: 'markdown' })], [trial('a', 't1')])).toBe('');
  expect(why([proposal('a', 't1'), proposal('b', 't2', { kind: 'edit' })], [trial('a', 't1')], 'completed', ['b'])).toBe('');
});

test('an edit of a cell that has not run says why it was not tried', () => {
  expect(why([proposal('a', 't1'), proposal('b', 't2', { kind: 'edit' })], [trial('a', 't1')])).toMatch(/has not run/);
});

test('an edit of a new cell on which nobody has decided is decided as the new cell', () => {
  const edit = proposal('a', 't2', { kind: 'edit', unfinished: '', surprises: [] });
  const state = (below: FullProposal['state']) => ({ all: [proposal('a', 't1', { state: below }), edit], trials: new Map([trial('a', 't2')]) }) as unknown as State;
  expect(suggestedAction(state('ready'), edit)).toBe('run');
  expect(suggestedAction(state('accepted'), edit)).toBe('accept');
});
