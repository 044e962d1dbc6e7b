// A state as `projection` in scripts/recording.py shows it: what both languages must agree on, as plain values.

import { DEFAULTS } from '../src/messages';
import type { State } from '../src/state';

type Plain = Record<string, unknown>;

/** A value without the fields that have their defaults, as it would be on the wire. */
export function sparse(name: keyof typeof DEFAULTS, value: object): Plain {
  const defaults: Plain = { ...DEFAULTS[name] };
  return Object.fromEntries(Object.entries(value).filter(([key, each]) => !same(each, defaults[key])));
}

function same(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** What is known on this side alone (what was asked for, what is being stopped, orphans) is left out. */
export function projection(state: State): Plain {
  return {
    hello: { ...sparse('Hello', state.hello ?? { type: 'Hello' }), ...(state.hello ? { serving: state.hello.serving, policy: state.hello.policy } : {}) }, // a kernel always says these
    model: state.model,
    models: state.models,
    turns: state.turns.map(turn => sparse('Turn', turn)).map(turn => ({ ...turn, target: turn.target ?? {} })),
    proposals: state.all.map(proposal => sparse('Proposal', proposal)),
    current: Object.fromEntries([...state.proposals].map(([cell_id, proposal]) => [cell_id, proposal.turn_id])),
    attempts: Object.fromEntries(state.attempts),
    meters: Object.fromEntries(state.meters),
    trials: Object.fromEntries(state.trials),
    deep: [...state.deep.values()].map(work => ({
      ...sparse('DeepWork', work),
      steps: work.steps.map(step => sparse('DeepStep', step)),
      budget: sparse('DeepBudget', work.budget),
      target: work.target,
      elapsed: work.elapsed,
      rest: work.rest
    })),
    handed: Object.fromEntries(state.handed),
    cuts: state.cuts,
    problems: state.problems,
    ...(state.consent.asked || state.consent.grants ? { consent: sparse('ConsentChanged', state.consent) } : {}),
    ...(state.review ? { review: state.review } : {})
  };
}
