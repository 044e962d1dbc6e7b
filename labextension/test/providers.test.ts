import { beforeEach, expect, it, vi } from 'vitest';
import type { Command } from '../src/messages';
import { Providers } from '../src/providers';
import { DEFAULTS } from '../src/settings';
import { Store } from '../src/store';

const LOCAL = { ...DEFAULTS, profile: 'ollama' };
const OTHER = { ...DEFAULTS, profile: 'openai' };

let sent: Command[];

function providers(life: string): Providers {
  const store = new Store();
  store.dispatch({ type: 'Hello', version: 2, package: '', provider: '', model: '', writer: true, life });
  return new Providers({ store, transport: { send: command => Promise.resolve(void sent.push(command)) } });
}

const used = () => sent.flatMap(command => (command.type === 'UseProvider' ? [command.profile] : []));

it('asks which there are with the folder of the settings', () => {
  providers('a').list({ modelFolder: '/models' });
  expect(sent).toEqual([{ type: 'ListProviders', model_folder: '/models' }]);
});

beforeEach(() => {
  sent = [];
  const kept = new Map<string, string>();
  const sessionStorage = { getItem: (key: string) => kept.get(key) ?? null, setItem: (key: string, value: string) => kept.set(key, value) };
  vi.stubGlobal('window', { sessionStorage });
});

it('lets who stands in the settings answer in a kernel that has not heard of it', () => {
  providers('a').configure(LOCAL);
  providers('a').configure(LOCAL);
  expect(used()).toEqual(['ollama']);
});

it('keeps what was chosen in a running kernel, says that the settings name another one, and follows when asked', () => {
  const here = providers('a');
  here.configure(LOCAL);
  here.configure(OTHER);
  expect([used(), here.isBehind(OTHER), here.isBehind(LOCAL)]).toEqual([['ollama'], true, false]);
  here.follow(OTHER);
  expect([used(), here.isBehind(OTHER)]).toEqual([['ollama', 'openai'], false]);
  const saved = sent.flatMap(command => (command.type === 'UseProvider' ? [command.saved ?? false] : []));
  expect(saved, 'what a person asks for here goes before the environment').toEqual([true, false]);
});

it('is not behind where nothing was heard yet, and each kernel hears for itself', () => {
  expect(providers('b').isBehind(OTHER)).toBe(false);
  expect(providers('').isBehind(DEFAULTS)).toBe(false);
  providers('a').configure(OTHER);
  providers('b').configure(OTHER);
  expect(used()).toEqual(['openai', 'openai']);
});

it('says all that the settings say, and nothing of what they leave to the kernel', () => {
  const said = () => sent.flatMap(command => (command.type === 'Configure' ? [command] : [])).at(-1);
  providers('a').configure({ ...DEFAULTS, deepModel: 'slow', warnOnly: ['all'], refineBudget: 0.5, stopCost: 3 });
  expect(said()).toMatchObject({ deep: { model: 'slow' }, warn_only: ['all'], refine_budget: 0.5, stop_cost: 3, rehearse: null });
  providers('a').configure(DEFAULTS);
  expect(new Set(Object.values({ ...said(), type: null }))).toEqual(new Set([null]));
});

it('is behind where the settings name nobody any more, and goes back to who is configured in the kernel', () => {
  const here = providers('a');
  here.configure(LOCAL);
  expect(here.isBehind(DEFAULTS)).toBe(true);
  here.follow(DEFAULTS);
  expect(sent.at(-1)).toEqual({ type: 'UseProvider', own: true });
  expect(here.isBehind(DEFAULTS)).toBe(false);
});
