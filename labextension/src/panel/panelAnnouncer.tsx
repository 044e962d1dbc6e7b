// Screen-reader announcements of the panel, debounced.

import * as React from 'react';
import { streamingTurn } from '../selectors';
import type { FullProposal, State } from '../state';

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
    return 'Spark is writing.';
  }
  const last = state.turns.at(-1);
  if (!last) {
    return '';
  }
  if (last.outcome === null) {
    return 'Spark is stopping.';
  }
  if (last.outcome === 'failed') {
    return `The turn failed. ${last.reason}`;
  }
  const blocked = waiting.filter(proposal => proposal.state === 'blocked').length;
  const cells = waiting.length === 1 ? '1 cell waits' : `${waiting.length} cells wait`;
  return waiting.length === 0
    ? 'Nothing waits for you.'
    : `${last.outcome === 'cancelled' ? 'Stopped.' : 'Spark is done.'} ${cells} for your decision${blocked ? `, ${blocked} blocked` : ''}.`;
}
