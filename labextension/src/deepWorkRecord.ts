// Deep work in notebook metadata: written, and validated when read.

import { isObject, isTurnId, oneOf, sparse, targetFrom, textUpTo } from './validate';
import { DEEP_STATES, DEEP_STEP_STATES, LONGEST_DEEP_STEP, MOST_DEEP_CHECKS, MOST_DEEP_STEPS } from './constants';
import type { DeepEntry, DeepStep, DeepWork } from './messages';
import { isOver } from './selectors';
import { type FullDeepWork, fullDeepWork, type State } from './state';

const MOST_WORKS = 3;
const MOST_ENTRIES = 40;
const isLine = textUpTo(LONGEST_DEEP_STEP);
const isPrompt = textUpTo(10_000);

const STATES = Object.keys(DEEP_STATES) as (keyof typeof DEEP_STATES)[];
const STEP_STATES = Object.keys(DEEP_STEP_STATES) as (keyof typeof DEEP_STEP_STATES)[];

/** What is kept of the youngest works that are not over: the plan, how it stands, the end of the log. */
export function storedDeepWorks(state: State): readonly DeepWork[] {
  return [...state.deep.values()]
    .filter(work => !isOver(work) && isPrompt(work.prompt))
    .slice(-MOST_WORKS)
    .map(({ compared, undone, ...work }) => sparse('DeepWork', { ...work, log: work.log.slice(-MOST_ENTRIES) }) as DeepWork);
}

/** The works in what metadata says; what is no record of ours is left out. */
export function deepWorksFrom(value: unknown): readonly FullDeepWork[] {
  return (Array.isArray(value) ? value.slice(-MOST_WORKS) : []).map(workFrom).filter(work => work !== null);
}

function workFrom(value: unknown): FullDeepWork | null {
  if (!isObject(value) || !isTurnId(value.id) || !isPrompt(value.prompt)) {
    return null;
  }
  const { id, prompt, state, model, elapsed, tokens, started_at, hands_up, reason } = value;
  return fullDeepWork({
    id,
    prompt,
    model: isLine(model) ? model : '',
    state: oneOf(state, STATES) ?? 'paused',
    steps: list(value.steps, MOST_DEEP_STEPS).map(stepFrom).filter(step => step !== null),
    checks: list(value.checks, MOST_DEEP_CHECKS).filter(isLine),
    budget: budgetFrom(value.budget),
    target: targetFrom(value.target),
    started_at: number(started_at),
    elapsed: number(elapsed),
    tokens: Math.round(number(tokens)),
    log: list(value.log, MOST_ENTRIES).map(entryFrom).filter(entry => entry !== null),
    reason: isLine(reason) ? reason : '',
    hands_up: isTurnId(hands_up) ? hands_up : null,
    within: oneOf(value.within, ['2h', '8h']) ?? ''
  });
}

function stepFrom(value: unknown): DeepStep | null {
  if (!isObject(value) || !isLine(value.text) || !value.text.trim()) {
    return null;
  }
  return { text: value.text, state: oneOf(value.state, STEP_STATES) ?? 'to-do', fast: value.fast === true, rounds: Math.round(number(value.rounds)) };
}

function entryFrom(value: unknown): DeepEntry | null {
  return isObject(value) && isLine(value.text) ? { at: number(value.at), text: value.text, step: Math.round(number(value.step)) } : null;
}

function budgetFrom(value: unknown): DeepWork['budget'] {
  const { seconds, tokens, dollars } = isObject(value) ? value : {};
  return {
    ...(number(seconds) > 0 && number(seconds) <= 86_400 ? { seconds: number(seconds) } : {}),
    ...(Math.round(number(tokens)) > 0 ? { tokens: Math.round(number(tokens)) } : {}),
    ...(number(dollars) > 0 ? { dollars: number(dollars) } : {})
  };
}

function list(value: unknown, most: number): readonly unknown[] {
  return Array.isArray(value) ? value.slice(0, most) : [];
}

function number(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : 0;
}
