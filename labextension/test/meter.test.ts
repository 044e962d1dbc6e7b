import { expect, it } from 'vitest';
import { spentText } from '../src/panel/meter';

it('says what was spent, and of how many turns it is not known', () => {
  const spent = { type: 'Spent', today: 0.5, notebook: 1.25 } as const;
  expect(spentText(spent)).toBe('Spent today: $0.50; in this notebook this month: $1.25');
  expect(spentText({ ...spent, stop: 2, unknown: 1 })).toContain('$0.50 of $2.00, and 1 turn whose price is not known;');
  expect(spentText({ ...spent, unknown: 2 })).toContain('and 2 turns whose price is not known;');
});
