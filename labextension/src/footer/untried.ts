// Reason in another cell why a cell was not tried.

import type { ISharedCell, ISharedCodeCell, ISharedNotebook } from '@jupyter/ydoc';
import { isDecidable, proposalsOf, trialOf, turnOf, wantsSecondYes } from '../selectors';
import { cellKey } from '../sharedModel';
import type { FullProposal, State } from '../state';
import { t } from '../translation';
import { outcomeOf } from './trialResult';

/**
 * One sentence; empty where the cell was tried, may yet be, or is not tried at all. A copy runs the cells of an answer in their order, up to
 * the first that fails or is blocked, and none that needs what a cell that has not run would make.
 */
export function whyUntried(state: State, proposal: FullProposal, { cells }: Pick<ISharedNotebook, 'cells'>): string {
  const { cell_id, cell_type, kind, operation, trying, turn_id } = proposal;
  const isCode = proposal.state === 'ready' && cell_type === 'code' && !operation;
  if (!isCode || trying || state.trying.has(cell_id) || trialOf(state, proposal)) {
    return ''; // asked of every cell of the conversation, for every text that comes
  }
  const isOver = turnOf(state, turn_id)?.outcome === 'completed';
  const triesUnasked = [...state.trials.values()].some(({ rehearsed }) => rehearsed);
  if (!isOver || !triesUnasked) {
    return '';
  }
  const place = cells.findIndex(({ id }) => cellKey(id) === cell_id);
  if (kind === 'edit' && !hasNotRun(cells[place])) {
    return '';
  }
  const own = proposalsOf(state, turn_id);
  const above = own.slice(0, own.indexOf(proposal)).filter(isDecidable);
  const trials = above.map(one => trialOf(state, one)).filter(trial => trial !== undefined);
  if (trials.some(trial => outcomeOf(trial) === 'failed')) {
    return t('Not tried: a cell above it did not run to its end.');
  }
  if (above.some(wantsSecondYes)) {
    return t('Not tried: a cell above it is blocked.');
  }
  const others = cells.slice(0, place).filter(({ id }) => !own.some(one => one.cell_id === cellKey(id)));
  return others.some(hasNotRun)
    ? t('Not tried: it may need a cell above it that has not run.')
    : '';
}

function hasNotRun(cell: ISharedCell | undefined): boolean {
  return cell?.cell_type === 'code' && cell.source.trim() !== '' && (cell as ISharedCodeCell).execution_count === null;
}
