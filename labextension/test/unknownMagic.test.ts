import { expect, it } from 'vitest';
import { saysNotFound } from '../src/unknownMagic';

it.each([
  'UsageError: Line magic function `%spark` not found.\n',
  'UsageError: Cell magic `%%spark` not found.\n',
  'UsageError: Cell magic `%%pair` not found (But line magic `%pair` exists, did you mean that instead?).\n'
])('knows that the kernel does not know our magics: %s', text => {
  expect(saysNotFound([{ text: 'before' }, { text }])).toBe(true);
});

it.each(['UsageError: Line magic function `%sparkle` not found.', 'NameError: spark'])('leaves other errors alone: %s', text => {
  expect(saysNotFound([{ text }, {}])).toBe(false);
});
