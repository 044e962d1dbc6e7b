import { describe, expect, it } from 'vitest';
import { primaryAction } from '../src/footer/footerModel';
import { isResultLine, restOf, resultLine } from '../src/footer/trialResult';
import type { TrialResult } from '../src/messages';

const trial = (fields: Partial<TrialResult>): TrialResult => ({ type: 'TrialResult', turn_id: 't', cell_id: 'c', source_hash: 'h', ...fields });

describe('The line that says what a test run came to', () => {
  it('begins with the data that changed, then the value, the figures and the time', () => {
    const effects = [
      { kind: 'variable', action: 'new', name: 'by' },
      { kind: 'variable', action: 'changed', name: 'orders', before: '1,218 rows', after: '1,152 rows' }
    ] as const;
    const outputs = [{ kind: 'display_data', data: { 'image/png': 'aGk=' } }] as const;
    const line = resultLine(trial({ effects, outputs, decisive: '42', seconds: 0.31 }));
    expect(line).toMatchObject({ outcome: 'tested', text: '✓ Tried · orders: 1,218 rows → 1,152 rows · 42 · 1 figure · 0.3 s' });
  });

  it('is not repeated below it as NumPy writes a number', () => {
    const line = trial({ decisive: '[11, 2.5]', rehearsed: true });
    const output = (text: string) => ({ kind: 'execute_result', data: { 'text/plain': text } }) as const;
    expect(isResultLine(output('[np.int64(11), np.float64(2.5)]'), line)).toBe(true);
    expect(isResultLine(output('[np.int64(11), np.float64(3)]'), line)).toBe(false);
  });

  it.each(["<Axes: xlabel='country'>", '[<matplotlib.lines.Line2D at 0x7f>]'])('says nothing of an object that is only named: %s', decisive => {
    expect(resultLine(trial({ decisive, outputs: [{ kind: 'display_data', data: { 'image/png': 'aGk=' } }] })).text).toBe('✓ Tried · 1 figure');
  });

  it.each([
    ['DataFrame (246 × 4)', 'DataFrame (241 × 4)', '246 → 241 rows'],
    ['DataFrame (246 × 4)', 'DataFrame (246 × 5)', '4 → 5 columns'],
    ['DataFrame (246 × 4)', 'DataFrame (246 × 4)', 'new values'],
    ['DataFrame (246 × 4)', 'Series (246)', 'DataFrame (246 × 4) → Series (246)']
  ])('says of a table what differs in its shape: %s', (before, after, said) => {
    const effects = [{ kind: 'variable', action: 'changed', name: 'df', before, after }] as const;
    expect(resultLine(trial({ effects, decisive: '[241 rows x 4 columns]' })).text).toBe(`✓ Tried · df: ${said}`);
  });

  it.each([
    ['Axes', '✓ Tried · 1 figure'],
    ['list (3)', '✓ Tried · it: new values · 1 figure']
  ])('says nothing of another object of the same kind, and of values that they are new: %s', (same, text) => {
    const effects = [{ kind: 'variable', action: 'changed', name: 'it', before: same, after: same }] as const;
    expect(resultLine(trial({ effects, outputs: [{ kind: 'display_data', data: { 'image/png': 'aGk=' } }] })).text).toBe(text);
  });

  it('says of an edit whether the result is the same', () => {
    expect(resultLine(trial({ proof: { verdict: 'same', digits: 13 } })).text).toBe('✓ Same to 13 digits');
    expect(resultLine(trial({ proof: { verdict: 'differs' } })).text).toBe('Result changes');
    expect(resultLine(trial({ proof: { verdict: 'unclear' } })).text).toBe('✓ Tried');
  });

  it('is the whole first line of an error: its end may be the useful half', () => {
    const error = "ValueError: 'M' is no longer supported for offsets. Please use 'ME' instead.\nand more";
    expect(resultLine(trial({ error })).text).toBe("✗ ValueError: 'M' is no longer supported for offsets. Please use 'ME' instead.");
  });

  it('says of a limit of the sandbox that the code was not tried, and why, once', () => {
    const line = resultLine(trial({ refused: true, not_tried: 'it did not end within 10 s' }));
    expect(line).toMatchObject({ outcome: 'untried', text: 'Not tried: it did not end within 10 s' });
  });
});

it('says what was not tried in the result line, and below it only what the rest did', () => {
  const done = 'not tried: it changes files (a.csv) (line 4); the rest ran in a copy: 1 new variable';
  expect(restOf(trial({ refused: true, not_tried: 'it changes files (a.csv)', summary: done }))).toBe('The rest ran in a copy: 1 new variable');
  expect(restOf(trial({ summary: 'ran in a copy in 1 ms: no effects' }))).toBe('');
});

describe('The one action that a state suggests', () => {
  const ready = { state: 'ready', isNew: true, code: true, blocked: false, unfinished: '', surprises: [], trying: false, trial: null, tried: null } as const;

  it.each([
    ['Accept a cell that was not tested', {}, 'accept'],
    ['Run a new cell that was tested', { trial: trial({}), tried: 'same' }, 'run'],
    ['nothing of a new cell while it is tried: the button would change under the pointer', { trying: true }, null],
    ['Accept an edit while it is tried', { isNew: false, trying: true }, 'accept'],
    ['Accept a cell that a limit kept from being tried', { trial: trial({ refused: true, problem: 'time' }), tried: 'same' }, 'accept'],
    ['Fix what failed', { trial: trial({ error: 'KeyError' }), tried: 'same' }, 'fix'],
    ['nothing of what failed, once it was edited', { trial: trial({ error: 'KeyError' }), tried: 'changed' }, 'accept'],
    ['Accept an edit', { isNew: false, trial: trial({}), tried: 'same' }, 'accept'],
    ['Accept Markdown', { code: false }, 'accept'],
    ['Review what a finding blocks, also where it failed', { blocked: true, trial: trial({ error: 'KeyError' }), tried: 'same' }, 'run'],
    ['Continue what is unfinished', { unfinished: 'Stopped in line 2.' }, 'continue'],
    ['Stop what streams', { state: 'streaming' }, 'stop'],
    ['nothing before a surprise was read', { surprises: [{ rule: 'r', message: 'm' }], trial: trial({}), tried: 'same' }, null]
  ] as const)('is to %s', (_, fields, action) => {
    expect(primaryAction({ ...ready, ...fields })).toBe(action);
  });
});
