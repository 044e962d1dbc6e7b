// Drops the oldest turns from the state of a long conversation.
//
// The kernel drops the same ones: its twin is in spark_jupyter/protocol/turn_view.py.

import { MOST_TOLD_TURNS, TURNS_FORGOTTEN_AT_ONCE } from './constants';
import { current, isDecidable, isOver } from './selectors';
import type { State } from './state';

/** Without the oldest turns, where there are too many. What streams, and what nobody has decided on, stays. */
export function pruneTurns(state: State): State {
  const over = state.turns.length - MOST_TOLD_TURNS;
  if (over < TURNS_FORGOTTEN_AT_ONCE) {
    return state;
  }
  const undecided = new Set(state.all.filter(isDecidable).map(one => one.turn_id));
  const old = state.turns.slice(0, over).filter(turn => turn.outcome !== null && !undecided.has(turn.id));
  const gone = new Set(old.map(turn => turn.id));
  const isKept = ({ turn_id }: { readonly turn_id: string }) => !gone.has(turn_id);
  const all = state.all.filter(isKept);
  return {
    ...state,
    turns: state.turns.filter(turn => !gone.has(turn.id)),
    forgotten: state.forgotten + gone.size,
    all,
    proposals: current(all),
    orphans: new Set([...state.orphans].filter(id => !gone.has(id))),
    meters: kept(state.meters, id => !gone.has(id)),
    attempts: kept(state.attempts, id => !gone.has(id)),
    handed: kept(state.handed, id => !gone.has(id)),
    trials: kept(state.trials, (_, trial) => isKept(trial)),
    deep: kept(state.deep, (id, work) => !(gone.has(id) && isOver(work))),
    cuts: state.cuts.filter(isKept)
  };
}

function kept<Value>(map: ReadonlyMap<string, Value>, keep: (key: string, value: Value) => boolean): ReadonlyMap<string, Value> {
  return new Map([...map].filter(([key, value]) => keep(key, value)));
}
