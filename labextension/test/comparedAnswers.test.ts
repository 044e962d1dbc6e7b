import { describe, expect, it } from 'vitest';
import type { AttemptChanged } from '../src/messages';
import { attemptsIn, comparedIn, NO_RACE, resolveInput } from '../src/panel/resolveInput';

const CONTEXT = { canFix: false, canTry: false, hasTurns: false };
const answer = (index: number, model: string, prompt?: string): AttemptChanged => ({ type: 'AttemptChanged', turn_id: 't1', index, model, state: 'passed', prompt });

describe('two answers that are compared', () => {
  it('are asked for by a second prompt, or by a second model beside the chosen one', () => {
    expect(attemptsIn({ ...NO_RACE, other: { kind: 'prompt', value: ' the median ' } }, 'a')).toEqual({ compare: true, other: 'the median' });
    expect(attemptsIn({ ...NO_RACE, other: { kind: 'model', value: 'b' } }, 'a')).toEqual({ compare: true, models: ['a', 'b'] });
    expect(attemptsIn(NO_RACE, 'a')).toEqual({});
  });

  it('are not asked for while nothing sets the second apart', () => {
    for (const kind of ['prompt', 'model'] as const) {
      expect(resolveInput({ kind: 'prompt', text: 'the mean' }, { ...NO_RACE, other: { kind, value: ' ' } }, CONTEXT)).toContain('Try both needs');
    }
  });

  it('are asked for again as they were', () => {
    expect(comparedIn([answer(0, 'a', 'the mean'), answer(1, 'a', 'the median')])).toEqual({ text: 'the mean', attempts: { compare: true, other: 'the median' } });
    expect(comparedIn([answer(0, 'a', 'the mean'), answer(1, 'b', 'the mean')])).toEqual({ text: 'the mean', attempts: { compare: true, models: ['a', 'b'] } });
    expect(comparedIn([answer(0, 'a'), answer(1, 'b')])).toBeNull();
  });
});
