import { describe, expect, it } from 'vitest';
import { LONGEST_PATIENCE, LONGEST_PAUSE, TypingPause } from '../../src/suggest/typingPause';

function learned(...seconds: (number | null)[]): TypingPause {
  const pause = new TypingPause();
  seconds.forEach(one => pause.learn(one));
  return pause;
}

describe('the pause before a request', () => {
  it('is none where the provider answers at once, or where what it says was known', () => {
    expect(learned(0.01, 0.02).length).toBe(0);
    expect(learned(null, null).length).toBe(0);
  });

  it('grows with the provider’s own time, up to a bound', () => {
    expect(learned(0.1).length).toBe(50);
    expect(learned(0.2).length).toBe(100);
    expect(learned(3).length).toBe(LONGEST_PAUSE);
  });

  it('follows a provider that becomes faster, and is not carried away by one slow answer', () => {
    expect(learned(...Array<number>(9).fill(2), ...Array<number>(5).fill(0.1)).length).toBe(50);
    expect(learned(0.1, 0.1, 5, 0.1, 0.1).length).toBe(50);
  });

  it('is shorter than what a request may take: half as much again as the provider usually does, up to a bound', () => {
    expect(learned(0.2).patience).toBeCloseTo(300);
    expect(learned(3).patience).toBe(LONGEST_PATIENCE);
    expect(learned().patience).toBe(LONGEST_PATIENCE);
    expect(learned(null, null).patience).toBe(0);
  });

  it('is not waited for by the first key after one', () => {
    const pause = learned(0.2);
    expect(pause.after(1000)).toBe(0);
    expect(pause.after(40)).toBe(100);
  });
});
