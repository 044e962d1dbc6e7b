import { Signal } from '@lumino/signaling';
import type { ISettingRegistry } from '@jupyterlab/settingregistry';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { DEFAULTS, deepWish, providerWish, SettingsModel, suggestionWish } from '../src/settings';

interface Schema {
  readonly properties: Record<string, { readonly title: string; readonly default: unknown }>;
}

const FOLDER = join(__dirname, '../settings');
const SCHEMAS = Object.fromEntries(
  readdirSync(FOLDER).map(name => [`spark-jupyter:${name.replace('.json', '')}`, JSON.parse(readFileSync(join(FOLDER, name), 'utf-8')) as Schema])
);

/** A registry as JupyterLab's: with these values of a person, and what an administrator put in the place of defaults. */
function registryWith(users: Record<string, Record<string, unknown>>, overrides: Record<string, Record<string, unknown>> = {}) {
  const load = (id: string) => {
    const user = (users[id] ??= {});
    const defaults = () => Object.fromEntries(Object.entries(SCHEMAS[id].properties).map(([name, setting]) => [name, setting.default]));
    const changed = new Signal<object, void>({});
    return Promise.resolve({
      changed,
      schema: SCHEMAS[id],
      user,
      get composite() {
        return { ...defaults(), ...overrides[id], ...user };
      },
      get: (name: string) => ({ user: user[name] }),
      set: async (name: string, value: unknown) => {
        user[name] = value;
        changed.emit();
      },
      remove: async (name: string) => {
        delete user[name];
        changed.emit();
      }
    });
  };
  const plugins = Object.fromEntries(Object.entries(SCHEMAS).map(([id, schema]) => [id, { schema }]));
  return { load, plugins, pluginChanged: new Signal<object, string>({}) } as unknown as ISettingRegistry;
}

it('has the defaults that the settings are described with, on pages that fit', () => {
  const settings = Object.values(SCHEMAS).flatMap(({ properties }) => Object.entries(properties));
  expect(Object.fromEntries(settings.map(([name, setting]) => [name, setting.default]))).toEqual(DEFAULTS);
  expect(new Set(settings.map(([name]) => name)).size).toBe(settings.length);
  expect(Object.values(SCHEMAS).every(({ properties }) => Object.keys(properties).length <= 8)).toBe(true);
});

it('moves what was set when one page had all settings, and prefers what was set since', async () => {
  const users = {
    'spark-jupyter:plugin': { suggestions: 'off', follow: false, model: 'old' },
    'spark-jupyter:models': { model: 'new' }
  };
  const model = new SettingsModel();
  await model.connect(registryWith(users));
  expect(users).toMatchObject({
    'spark-jupyter:plugin': { follow: false },
    'spark-jupyter:autocomplete': { suggestions: 'off' },
    'spark-jupyter:models': { model: 'new' }
  });
  expect(Object.keys(users['spark-jupyter:plugin'])).toEqual(['follow']);
  expect(model.value).toEqual({ ...DEFAULTS, suggestions: 'off', follow: false, model: 'new' });
});

it('follows an administrator’s overrides of the one page, but a person’s own choice first', async () => {
  const overrides = { 'spark-jupyter:plugin': { suggestions: 'request', withhold: 'always' } };
  const model = new SettingsModel();
  await model.connect(registryWith({ 'spark-jupyter:autocomplete': { suggestions: 'on' } }, overrides));
  expect(model.value).toEqual({ ...DEFAULTS, suggestions: 'on', withhold: 'always' });
});

it('keeps a value on its own page and says so', async () => {
  const users: Record<string, Record<string, unknown>> = {};
  const model = new SettingsModel();
  await model.connect(registryWith(users));
  const heard: string[] = [];
  model.changed.connect((_, { baseUrl }) => heard.push(baseUrl));
  await model.keep({ baseUrl: 'http://localhost:8000/v1', hidden: true });
  expect(users['spark-jupyter:models']).toEqual({ baseUrl: 'http://localhost:8000/v1' });
  expect(users['spark-jupyter:plugin']).toEqual({ hidden: true });
  expect(heard).toEqual(['http://localhost:8000/v1', 'http://localhost:8000/v1']);
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
