import { expect, it } from 'vitest';
import { isUnknownThere } from '../src/unknownMagic';

it.each([
  'UsageError: Line magic function `%spark` not found.\n',
  'UsageError: Cell magic `%%spark` not found.\n',
  'UsageError: Cell magic `%%pair` not found (But line magic `%pair` exists, did you mean that instead?).\n'
])('knows that the kernel does not know our magics: %s', text => {
  expect(isUnknownThere('%spark go', [{ text: 'before' }, { text }])).toBe(true);
});

it.each(['UsageError: Line magic function `%sparkle` not found.', 'NameError: spark'])('leaves other errors alone: %s', text => {
  expect(isUnknownThere('%spark go', [{ text }, {}])).toBe(false);
});

/** What IPython shows where a line ends with a question mark, and knows the word before that, or does not. */
const NO_HELP = [{ text: 'Object `best` not found.\n' }];
const HELP = [{ data: { 'text/plain': '\u001b[31mType:\u001b[39m        DataFrame\n' } }];

it.each([
  ['%spark which category sells best?', NO_HELP],
  ['import pandas as pd\n%pair  which category sells best? ', NO_HELP],
  ['%spark what is the mean of sales?', HELP]
])('knows that a question was answered with help instead: %s', (source, outputs) => {
  expect(isUnknownThere(source, outputs)).toBe(true);
});

it.each([
  ['%spark?', HELP],
  ['best?', NO_HELP],
  ['%sparkle best?', NO_HELP],
  ['%spark which category sells best?', [{ text: 'Object of my desire' }, { data: { 'text/plain': '⚡ which category sells best?' } }]]
])('leaves help that was asked for alone, and answers: %s', (source, outputs) => {
  expect(isUnknownThere(source, outputs)).toBe(false);
});
