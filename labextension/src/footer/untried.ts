// Reason in another cell why a new one was not tried.

import { isDecidable, trialOf, turnOf, wantsSecondYes } from '../selectors';
import type { FullProposal, State } from '../state';
import { t } from '../translation';
import { outcomeOf } from './trialResult';

/**
 * One sentence; empty where the cell was tried, may yet be, or is not tried at all. A copy runs the cells of an answer in their order, up to
 * the first that fails or is blocked, and none that needs what a cell that has not run would make.
 */
export function whyUntried(state: State, proposal: FullProposal): string {
  const { cell_id, cell_type, kind, operation, trying, turn_id } = proposal;
  const isNewCode = proposal.state === 'ready' && kind === 'insert' && cell_type === 'code' && !operation;
  const isOver = turnOf(state, turn_id)?.outcome === 'completed' && !trying && !state.trying.has(cell_id);
  const triesUnasked = [...state.trials.values()].some(({ rehearsed }) => rehearsed);
  if (!isNewCode || !isOver || !triesUnasked || trialOf(state, proposal)) {
    return '';
  }
  const before = state.all.slice(0, state.all.indexOf(proposal)).filter(one => isDecidable(one) && one.cell_type === 'code');
  const above = before.filter(one => one.turn_id === turn_id);
  const trials = above.map(one => trialOf(state, one)).filter(trial => trial !== undefined);
  if (trials.some(trial => outcomeOf(trial) !== 'tested')) {
    return t('Not tried: a cell above it did not run to its end.');
  }
  if (above.some(wantsSecondYes)) {
    return t('Not tried: a cell above it is blocked.');
  }
  return before.length > above.length ? t('Not tried: a proposal before it is not accepted yet.') : '';
}
