import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { DEFAULTS, deepWish, providerWish, suggestionWish } from '../src/settings';

it('has the defaults that the settings are described with', () => {
  const { properties } = JSON.parse(readFileSync(join(__dirname, '../settings/plugin.json'), 'utf-8')) as {
    properties: Record<string, { default: unknown }>;
  };
  expect(DEFAULTS).toEqual(Object.fromEntries(Object.entries(properties).map(([name, setting]) => [name, setting.default])));
});

it('wishes for a provider of suggestions only where one is set', () => {
  expect(suggestionWish(DEFAULTS)).toBeNull();
  expect(suggestionWish({ ...DEFAULTS, suggestModel: 'small' })).toEqual({ type: 'UseProvider', profile: '', base_url: '', model: 'small', key_env: '' });
});

it('wishes for a provider only where one is set, which a model file is', () => {
  expect(providerWish({ ...DEFAULTS, model: 'large' })).toBeNull();
  expect(providerWish({ ...DEFAULTS, model: '~/models/small.gguf' })).toEqual({ profile: '', base_url: '', model: '~/models/small.gguf', key_env: '' });
});

it('wishes for deep work only what is set', () => {
  expect(deepWish(DEFAULTS)).toBeNull();
  const one = { type: 'ChooseDeep', model: null, profile: null, effort: null, budget: null };
  expect(deepWish({ ...DEFAULTS, deepModel: 'slow' })).toEqual({ ...one, model: 'slow' });
  expect(deepWish({ ...DEFAULTS, deepEffort: 'high' })).toEqual({ ...one, effort: 'high' });
  expect(deepWish({ ...DEFAULTS, deepMinutes: 2 })).toEqual({ ...one, budget: { seconds: 120, tokens: null, dollars: null } });
  expect(deepWish({ ...DEFAULTS, deepDollars: 0.5 })).toEqual({ ...one, budget: { seconds: null, tokens: null, dollars: 0.5 } });
  expect(deepWish({ ...DEFAULTS, deepTokens: 9 })).toEqual({ ...one, budget: { seconds: null, tokens: 9, dollars: null } });
});
