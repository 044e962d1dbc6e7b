// What stands in the prompt box: commands, what can be completed, what was typed before.

import { expect, test } from 'vitest';
import { attemptsIn, resolveInput, NO_RACE } from '../src/panel/resolveInput';
import { PromptHistory } from '../src/panel/promptHistory';
import { completable, parseTyped, SLASH_COMMANDS } from '../src/panel/slashCommands';

test('a slash and a known word is a command, with the rest behind it', () => {
  const named = (text: string) => {
    const typed = parseTyped(text);
    return typed.kind === 'command' ? [typed.command.id, typed.words] : null;
  };
  expect(named('/edit  use polars\nplease')).toEqual(['edit', 'use polars\nplease']);
  expect(named('/AGAIN')).toEqual(['again', '']);
});

test('each command either runs something or says how its prompt is meant', () => {
  for (const { run, wishes, attempts } of SLASH_COMMANDS) {
    expect([run, wishes, attempts].filter(Boolean)).toHaveLength(1);
  }
});

test('a path is no command, and an unknown word is told apart', () => {
  expect(parseTyped('/data/a.csv is to be loaded')).toEqual({ kind: 'prompt', text: '/data/a.csv is to be loaded' });
  expect(parseTyped('/exlpain it')).toEqual({ kind: 'unknown', name: 'exlpain', near: 'explain' });
  expect(parseTyped('/zzz')).toEqual({ kind: 'unknown', name: 'zzz', near: null });
});

test('attempts take a number and a prompt', () => {
  const said = (text: string) => resolveInput(parseTyped(text), NO_RACE, NOTHING);
  expect(said('/attempts 3 sort it')).toEqual({ text: 'sort it', race: { ...NO_RACE, count: 3 } });
  for (const words of ['9 sort it', 'sort it', '']) {
    expect(said(`/attempts ${words}`)).toMatch(/needs a number from 1 to 8 and a prompt/);
  }
});

test('commands, models and what is pointed at can be completed', () => {
  expect(completable('/ex')).toEqual({ kind: 'slash', begun: 'ex' });
  expect(completable('/model gp')).toEqual({ kind: 'model', begun: 'gp' });
  expect(completable('plot @df.pr')).toEqual({ kind: 'mention', begun: 'df.pr' });
  expect(completable('plot @')).toEqual({ kind: 'mention', begun: '' });
  expect(completable('mail a@b')).toBeNull();
  expect(completable('plot @df ')).toBeNull();
});

test('Up walks to older prompts and Down back to what stood in the box', () => {
  const history = new PromptHistory();
  ['load a', 'plot b', 'load c'].forEach(prompt => history.add(prompt));
  expect(history.older('')).toBe('load c');
  expect(history.older('load c')).toBe('plot b');
  expect(history.newer()).toBe('load c');
  expect(history.newer()).toBe('');
  expect(history.newer()).toBeNull();
});

test('what stands in the box is looked for, and the end of the list is no prompt', () => {
  const history = new PromptHistory();
  ['load a', 'plot b', 'load c', 'load a'].forEach(prompt => history.add(prompt));
  expect(history.older('LOAD')).toBe('load a');
  expect(history.older('load a')).toBe('load c');
  expect(history.older('load c')).toBeNull();
  history.stop();
  expect(history.older('nothing like it')).toBeNull();
});

const NOTHING = { canFix: false, canTry: false, hasTurns: false };

test('a command that is about nothing says so, and goes to nobody', () => {
  const said = (text: string) => resolveInput(parseTyped(text), NO_RACE, NOTHING);
  expect(said('/fix')).toBe('The active cell did not fail, so there is nothing to fix.');
  expect(said('/try')).toBe('There is no proposal to try.');
  expect(said('/again')).toBe('There was no prompt yet.');
  expect(said('/edit')).toBe('/edit needs an instruction.');
  expect(said('/exlpain it')).toBe('There is no /exlpain. Did you mean /explain?');
});

test('attempts that are typed count for this prompt, beside what the panel says of checks', () => {
  const race = { count: 1, check: 'assert x', rounds: 2 };
  const given = resolveInput(parseTyped('/attempts 3 sort it'), race, NOTHING);
  expect(given).toEqual({ text: 'sort it', race: { ...race, count: 3 } });
  expect(attemptsIn({ ...race, count: 3 })).toEqual({ count: 3, checks: ['assert x'], until_green: 2 });
  expect(attemptsIn(race)).toEqual({});
});

test('a skill of the project is a prompt, unless a command is named so', () => {
  expect(parseTyped('/clean-data the orders', ['clean-data'])).toEqual({ kind: 'prompt', text: '/clean-data the orders' });
  expect(parseTyped('/fix it', ['fix']).kind).toBe('command');
  expect(parseTyped('/clean-data', []).kind).toBe('unknown');
});
