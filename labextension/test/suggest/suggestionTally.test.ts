import { describe, expect, it } from 'vitest';
import { charged, counted, NOTHING, tallyFrom, tallyLine } from '../../src/suggest/suggestionTally';

describe('the tally', () => {
  it('says what was shown, taken and kept, how fast, and what it cost today', () => {
    const tally = counted(NOTHING, { shown: 12, accepted: 5, looked: 4, kept: 3, timed: 2, milliseconds: 171 });
    expect(tallyLine(tally, '2026-11-22')).toBe('12 shown · 5 taken · 75 % kept · 86 ms');
    expect(tallyLine(counted(tally, { mended: 2, silenced: 3 }), '2026-11-22')).toContain('75 % kept · 2 corrected · 3 hidden (low confidence)');
    expect(tallyLine(charged(tally, 0.00213, '2026-11-22'), '2026-11-22')).toContain('$0.0021 today');
    expect(tallyLine(NOTHING, '2026-11-22')).toBe('');
  });

  it('begins the cost anew each day, and says none where no price is known', () => {
    const yesterday = charged(counted(NOTHING, { shown: 1 }), 3, '2026-11-21');
    expect(tallyLine(yesterday, '2026-11-22')).not.toContain('$');
    expect(charged(yesterday, 0.5, '2026-11-22').cost).toBe(0.5);
    expect(charged(NOTHING, null, '2026-11-22').priced).toBe(false);
  });

  it('believes nothing of what was stored that is no count', () => {
    expect(tallyFrom(null)).toEqual(NOTHING);
    expect(tallyFrom({ shown: 'many', accepted: -1, kept: Number.NaN, cost: 2, day: 7 })).toEqual({ ...NOTHING, cost: 2 });
  });
});
