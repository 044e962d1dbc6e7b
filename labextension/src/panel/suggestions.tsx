// The line of the panel about suggestions: whether they are on in this notebook, who says so, and what became of them.

import * as React from 'react';
import { choiceFor, choose } from '../suggest/storedChoices';
import { isMode } from '../suggest/suggestionMode';
import type { Suggester } from '../suggest/suggester';
import type { Place } from '../suggest/suggestionHosts';
import { useSyncRender } from './useSyncRender';

/** What the line shows. */
export interface SuggestionsProps {
  readonly suggester: Suggester;
  readonly place: Place;
}

const COUNTED = 'Counted in this browser, and never sent anywhere: suggestions shown, taken, kept after 30 seconds, from the key to the screen, and what they cost today.';

/** One quiet line. */
export function Suggestions({ suggester, place }: SuggestionsProps): React.JSX.Element {
  const sync = useSyncRender();
  const { mode, why } = suggester.decisionFor(place);
  const isProposed = mode === 'on' && place.transport.status === 'detached';
  const change = (value: string) => {
    choose(place.path, isMode(value) ? value : null);
    suggester.update();
  };
  return (
    <div className="spark-Suggestions" data-mode={mode}>
      <label>
        Suggestions{' '}
        <select
          aria-label="Suggestions in this notebook"
          disabled={why !== ''}
          value={why ? mode : (choiceFor(place.path) ?? '')}
          onChange={sync(event => change(event.target.value))}
        >
          <option value="">as in the settings</option>
          <option value="on">on</option>
          <option value="request">on request</option>
          <option value="off">off</option>
        </select>
      </label>
      {suggester.meter.line && (
        <span className="spark-Suggestions-meter" title={COUNTED}>
          {suggester.meter.line}
        </span>
      )}
      {why && <div className="spark-Suggestions-why">{why}</div>}
      {isProposed && <div className="spark-Suggestions-why">They begin when Spark is loaded in the kernel: ask something here, or press Alt-\ in a cell.</div>}
    </div>
  );
}
