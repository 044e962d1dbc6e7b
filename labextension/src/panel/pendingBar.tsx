// Bar while proposals are open: step through, keep or reject all.

import { caretDownIcon, caretUpIcon } from '@jupyterlab/ui-components';
import * as React from 'react';
import { Button } from '../button';
import type { NotebookView } from '../notebookView';
import { isFree } from '../selectors';
import { t } from '../translation';

/** Where a proposal is that is out of sight. */
export type Side = 'above' | 'below';

interface BarProps {
  readonly view: NotebookView;
  /** Over the notebook, not in the panel. */
  readonly floats?: boolean;
  /** Of the only proposal. */
  readonly side?: Side | null;
}

/** Nothing is shown where nothing is open. */
export function PendingBar({ view, floats = false, side = null }: BarProps): React.JSX.Element | null {
  const { decisions } = view.session;
  const { waiting } = decisions;
  const count = waiting.length;
  if (count === 0) {
    return null;
  }
  const left = waiting.filter(one => !isFree(one)).length;
  const kept = t('Keeps %1 of %2 in this notebook%3', count - left, count, left > 0 ? t('; what is blocked, unfinished, failed or surprising is left out') : '');
  return (
    <div className="spark-Decisions" role="group" aria-label={floats ? t('Open proposals in this notebook') : t('Open proposals')}>
      {side ? (
        <Button label={side === 'above' ? t('1 proposal above') : t('1 proposal below')} title={t('Go to it')} onClick={() => void view.goTo(waiting[0].cell_id)} />
      ) : (
        <span>{count === 1 ? t('1 proposal') : t('%1 proposals', count)}</span>
      )}
      {floats && <Button label={t('Previous proposal')} icon={caretUpIcon} iconOnly onClick={() => void view.stepProposal(-1)} />}
      {floats && <Button label={t('Next proposal')} icon={caretDownIcon} iconOnly onClick={() => void view.stepProposal(1)} />}
      <span className="spark-Prompt-buttons">
        <Button label={t('Accept all')} title={kept} onClick={() => void view.consent.acceptAll()} />
        {!floats && <Button label={t('Reject all')} title={t('Discards every open proposal')} onClick={() => decisions.rejectAll()} />}
      </span>
    </div>
  );
}
