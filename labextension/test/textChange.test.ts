// The least that makes one text another.

import { expect, test } from 'vitest';
import { textChange } from '../src/textChange';

const made = (old: string, fresh: string) => {
  const { from, to, insert } = textChange(old, fresh);
  return { from, to, insert, text: old.slice(0, from) + insert + old.slice(to) };
};

test('only what differs is touched', () => {
  expect(made('a = 1\nb = 2', 'a = 1\nb = 3')).toEqual({ from: 10, to: 11, insert: '3', text: 'a = 1\nb = 3' });
  expect(made('aa', 'aaa').text).toBe('aaa');
  expect(made('', 'x').text).toBe('x');
});

test('a character is never cut in two', () => {
  expect(made('x = "😀"', 'x = "😁"')).toEqual({ from: 5, to: 7, insert: '😁', text: 'x = "😁"' });
});
