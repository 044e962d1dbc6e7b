import { describe, expect, it } from 'vitest';
import { planOf } from '../src/deepWork';
import { deepWorksFrom } from '../src/deepWorkRecord';
import type { DeepWork } from '../src/messages';
import { type Input, reduce } from '../src/reducer';
import { EMPTY, type State } from '../src/state';
import { shownWorks, spentOf } from '../src/panel/deepCards';
import { toRecord, fromRecord } from '../src/turnRecord';

const WORK: DeepWork = {
  id: 'w1',
  prompt: 'a report',
  state: 'writing',
  running: true,
  steps: [{ text: 'Load', state: 'done', rounds: 1 }, { text: 'Draw', state: 'writing', fast: true }],
  checks: ['assert x'],
  elapsed: 12.5,
  tokens: 100,
  log: [{ at: 1, text: 'It planned 2 steps.' }]
};
const changed = (work: Partial<DeepWork> = {}): Input => ({ type: 'DeepChanged', work: { ...WORK, ...work } });
const after = (...inputs: Input[]): State => inputs.reduce(reduce, EMPTY);
const read = (state: State) => fromRecord(JSON.parse(JSON.stringify(toRecord(state))), () => null);

describe('deep work', () => {
  it('is kept by the notebook with its plan, and comes back', () => {
    const { deep, broken } = read(after(changed()));
    expect(broken).toBe(false);
    expect(deep).toMatchObject([{ ...WORK, running: false }]);
  });

  it('is paused when its kernel goes, and the next one is told of it', () => {
    const state = after(changed(), { type: 'KernelGone', reason: 'The kernel was restarted.' });
    expect(state.deep.get('w1')).toMatchObject({ state: 'paused', running: false, lost: 'The kernel was restarted.' });
    expect(state.orphans.has('w1')).toBe(true);
    const next = reduce(state, { type: 'Snapshot' });
    expect(next.deep.has('w1')).toBe(true);
    expect(reduce(next, changed({ state: 'paused' })).orphans.has('w1')).toBe(false);
  });

  it('that a Snapshot does not have is gone where its kernel is there', () => {
    expect(reduce(after(changed()), { type: 'Snapshot' }).deep.size).toBe(0);
  });

  it('that was recalled is an orphan until the kernel knows it', () => {
    const { turns, proposals, deep } = read(after(changed()));
    const state = after({ type: 'TurnsRecalled', turns, proposals, deep });
    expect(state.orphans.has('w1')).toBe(true);
    expect(shownWorks(state)).toHaveLength(1);
  });

  it('is shown as long as it is under way, and where nothing came of it', () => {
    expect(shownWorks(after(changed({ state: 'proposed' })))).toHaveLength(0);
    expect(shownWorks(after(changed({ state: 'gave-up' })))).toHaveLength(1);
  });

  it('is not believed where a notebook says what can not be', () => {
    expect(deepWorksFrom('x')).toEqual([]);
    expect(deepWorksFrom([{ id: '../x', prompt: 'p' }, { id: 'w', prompt: 'p'.repeat(20_000) }, null, 7])).toEqual([]);
    const [work] = deepWorksFrom([
      {
        id: 'w',
        prompt: 'p',
        state: 'evil',
        steps: [{ text: 'x'.repeat(500) }, { text: ' ' }, 5, { text: 'Load', state: 'evil', rounds: -1 }],
        checks: ['assert x', 7],
        budget: { seconds: 1e9, tokens: -4, dollars: 'all' },
        elapsed: Number.NaN,
        log: [{ at: 'x', text: 'ok' }, { text: 5 }]
      }
    ]);
    expect(work).toMatchObject({ state: 'paused', checks: ['assert x'], elapsed: 0, log: [{ at: 0, text: 'ok' }] });
    expect(work.steps.map(step => [step.text, step.state, step.rounds])).toEqual([['Load', 'to-do', 0]]);
    expect(work.budget).toEqual({ seconds: 900, tokens: 400_000, dollars: null });
  });
});

describe('what a deep work has used', () => {
  const budget = { seconds: 900, tokens: 400_000, dollars: null };
  const steps = [{ text: 'Load', state: 'writing', fast: false, rounds: 1, cells: [] }] as const;

  it.each([
    [{ tokens: 1_200, cost: null, budget, steps: [] }, '1,200 of 400,000 tokens'],
    [{ tokens: 1_200, cost: null, budget, steps }, '1,200 of 400,000 tokens · cost unknown'],
    [{ tokens: 0, cost: 0, budget, steps }, '0 of 400,000 tokens'],
    [{ tokens: 1, cost: 0.5, budget, steps }, '1 of 400,000 tokens · $0.50'],
    [{ tokens: 1, cost: 0, budget: { ...budget, dollars: 2 }, steps }, '1 of 400,000 tokens · $0 of $2.00'],
    [{ tokens: 1, cost: null, budget: { ...budget, dollars: 2 }, steps }, '1 of 400,000 tokens · cost unknown of $2.00']
  ])('is said beside its budget', (work, said) => {
    expect(spentOf(work)).toBe(said);
  });
});

describe('a plan that is edited', () => {
  it('has steps, and what must hold at the end', () => {
    expect(planOf(['1. Load', '', ' [alone] Draw ', 'assert total == 3', '2) Assert nothing'])).toEqual({
      steps: ['Load', '[alone] Draw', 'Assert nothing'],
      checks: ['assert total == 3']
    });
  });
});
