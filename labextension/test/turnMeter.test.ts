import { expect, it } from 'vitest';
import { spentText, waiting } from '../src/panel/turnMeter';

it('says what was spent, and of how many turns it is not known', () => {
  const spent = { type: 'Spent', today: 0.5, notebook: 1.25 } as const;
  expect(spentText(spent)).toBe('Spent today: $0.50; in this notebook this month: $1.25');
  expect(spentText({ ...spent, stop: 2, unknown: 1 })).toContain('$0.50 of $2.00, and 1 turn whose price is not known;');
  expect(spentText({ ...spent, unknown: 2 })).toContain('and 2 turns whose price is not known;');
  const free = { ...spent, today: 0, notebook: 0 };
  expect(spentText({ ...free, unknown: 1 })).toBe('1 turn today; what it cost is not known');
  expect(spentText({ ...free, unknown: 2 })).toBe('2 turns today; what they cost is not known');
  expect(spentText({ ...free, unknown: 2, stop: 1 })).toContain('$0 of $1.00, and 2 turns');
});

it('says what is waited for: a pause, thinking, how much of the prompt is read, or since when there is no word', () => {
  const meter = { type: 'Meter', turn_id: 't' } as const;
  expect(waiting({ ...meter, reading_tokens: 1800, read_tokens: 720, elapsed: 5 })).toBe('reading 1,800 tokens, 40 %');
  expect(waiting({ ...meter, reading_tokens: 1800 })).toBe('reading 1,800 tokens, 0 %');
  expect(waiting({ ...meter, reading_tokens: 1800, thinking: 3 })).toBe('thinking … 3 s');
  expect(waiting({ ...meter, elapsed: 4 })).toBe('no word yet, 4 s');
  expect(waiting(meter)).toBeNull();
});
