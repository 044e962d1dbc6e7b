// Screen-reader announcements of the panel, debounced.

import * as React from 'react';
import { streamingTurn } from '../selectors';
import type { FullProposal, State } from '../state';
import { t } from '../translation';
import { toldSentences } from '../kernelTexts';

/** Milliseconds of quiet before something is said. */
const QUIET = 700;

/** A region that only screen readers notice. */
export function PanelAnnouncer({ state, waiting }: { state: State; waiting: readonly FullProposal[] }): React.JSX.Element {
  const text = sentence(state, waiting);
  const [said, say] = React.useState('');
  React.useEffect(() => {
    const timer = window.setTimeout(() => say(text), QUIET);
    return () => window.clearTimeout(timer);
  }, [text]);
  return (
    <div className="spark-Announcer" role="status" aria-live="polite">
      {said}
    </div>
  );
}

/** The state in one sentence; the same one as long as nothing worth saying happens. */
function sentence(state: State, waiting: readonly FullProposal[]): string {
  if (streamingTurn(state)) {
    return t('Spark is writing.');
  }
  const last = state.turns.at(-1);
  if (!last) {
    return '';
  }
  if (last.outcome === null) {
    return t('Spark is stopping.');
  }
  if (last.outcome === 'failed') {
    return t('The turn failed. %1', toldSentences(last.reason));
  }
  const blocked = waiting.filter(proposal => proposal.state === 'blocked').length;
  const cells = waiting.length === 1 ? t('1 cell waits') : t('%1 cells wait', waiting.length);
  return waiting.length === 0
    ? t('Nothing waits for you.')
    : t('%1 %2 for your decision%3.', last.outcome === 'cancelled' ? t('Stopped.') : t('Spark is done.'), cells, blocked ? t(', %1 blocked', blocked) : '');
}
