// What a notebook keeps of deep works, and what is believed of it when it is read. Pure. See record.ts.

import { ID_PATTERN } from './constants';
import { DEFAULTS, type DeepEntry, type DeepStep, type DeepWork, type Target } from './messages';
import { type FullDeepWork, fullDeepWork, type State } from './model';

const MOST_WORKS = 3;
const MOST_STEPS = 20;
const MOST_CHECKS = 12;
const MOST_ENTRIES = 40;
const LONGEST_LINE = 400;
const LONGEST_PROMPT = 10_000;

const ID = new RegExp(ID_PATTERN);
const WORK_ID = /^[A-Za-z0-9_-]{1,48}$/;
const STATES: readonly string[] = ['planning', 'planned', 'writing', 'trying', 'stalled', 'paused', 'proposed', 'gave-up', 'cancelled'];
const STEP_STATES: readonly string[] = ['to-do', 'writing', 'trying', 'done', 'left-out'];

type Json = Record<string, unknown>;

/** What is kept of the youngest works: the plan, how it stands, the end of the log. */
export function keptWorks(state: State): readonly DeepWork[] {
  return [...state.deep.values()]
    .filter(work => work.prompt.length <= LONGEST_PROMPT)
    .slice(-MOST_WORKS)
    .map(({ compared, undone, ...work }) => sparse({ ...work, log: work.log.slice(-MOST_ENTRIES) }));
}

function sparse(work: object): DeepWork {
  const defaults = DEFAULTS.DeepWork as unknown as Json;
  return Object.fromEntries(Object.entries(work).filter(([key, each]) => JSON.stringify(each) !== JSON.stringify(defaults[key]))) as unknown as DeepWork;
}

/** The works in what metadata says; what is no record of ours is left out. */
export function worksFrom(value: unknown): readonly FullDeepWork[] {
  return (Array.isArray(value) ? value.slice(-MOST_WORKS) : []).map(workFrom).filter(work => work !== null);
}

function workFrom(value: unknown): FullDeepWork | null {
  if (!isObject(value) || !isId(value.id, WORK_ID) || !isText(value.prompt, LONGEST_PROMPT)) {
    return null;
  }
  const { id, prompt, state, model, elapsed, tokens, started_at, hands_up, reason } = value;
  return fullDeepWork({
    id,
    prompt,
    model: isText(model) ? model : '',
    state: STATES.includes(state as string) ? (state as DeepWork['state']) : 'paused',
    steps: list(value.steps, MOST_STEPS).map(stepFrom).filter(step => step !== null),
    checks: list(value.checks, MOST_CHECKS).filter(check => isText(check)),
    budget: budgetFrom(value.budget),
    target: targetFrom(value.target),
    started_at: number(started_at),
    elapsed: number(elapsed),
    tokens: Math.round(number(tokens)),
    log: list(value.log, MOST_ENTRIES).map(entryFrom).filter(entry => entry !== null),
    reason: isText(reason) ? reason : '',
    hands_up: isId(hands_up, WORK_ID) ? hands_up : null
  });
}

function stepFrom(value: unknown): DeepStep | null {
  if (!isObject(value) || !isText(value.text) || !value.text.trim()) {
    return null;
  }
  const state = STEP_STATES.includes(value.state as string) ? (value.state as DeepStep['state']) : 'to-do';
  return { text: value.text, state, fast: value.fast === true, rounds: Math.round(number(value.rounds)) };
}

function entryFrom(value: unknown): DeepEntry | null {
  return isObject(value) && isText(value.text) ? { at: number(value.at), text: value.text, step: Math.round(number(value.step)) } : null;
}

function budgetFrom(value: unknown): DeepWork['budget'] {
  const { seconds, tokens, dollars } = isObject(value) ? value : {};
  return {
    ...(number(seconds) > 0 && number(seconds) <= 86_400 ? { seconds: number(seconds) } : {}),
    ...(Math.round(number(tokens)) > 0 ? { tokens: Math.round(number(tokens)) } : {}),
    ...(number(dollars) > 0 ? { dollars: number(dollars) } : {})
  };
}

function targetFrom(value: unknown): Target {
  const ids = isObject(value) ? Object.entries(value).filter(([key, id]) => ['after', 'edit', 'reuse'].includes(key) && isId(id, ID)) : [];
  return Object.fromEntries(ids) as Target;
}

function list(value: unknown, most: number): readonly unknown[] {
  return Array.isArray(value) ? value.slice(0, most) : [];
}

function number(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : 0;
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isText(value: unknown, longest = LONGEST_LINE): value is string {
  return typeof value === 'string' && value.length <= longest;
}

function isId(value: unknown, pattern: RegExp): value is string {
  return typeof value === 'string' && pattern.test(value);
}
