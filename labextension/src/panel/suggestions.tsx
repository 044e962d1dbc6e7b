// Row for autocomplete: its mode in this notebook, and its meter.

import * as React from 'react';
import { choiceFor, choose } from '../suggest/storedChoices';
import { isMode } from '../suggest/suggestionMode';
import type { Suggester } from '../suggest/suggester';
import type { SuggestionHost } from '../suggest/suggestionHosts';
import { useSyncRender } from './useSyncRender';
import { t } from '../translation';

/** What the line shows. */
export interface SuggestionsProps {
  readonly suggester: Suggester;
  readonly host: SuggestionHost;
}

const COUNTED = t('Counted in this browser, and never sent anywhere: suggestions shown, taken, kept after 30 seconds, from the key to the screen, and what they cost today.');

export function Suggestions({ suggester, host }: SuggestionsProps): React.JSX.Element {
  const sync = useSyncRender();
  const { mode, why } = suggester.decisionFor(host);
  const isProposed = mode === 'on' && host.transport.status === 'detached';
  const change = (value: string) => {
    choose(host.path, isMode(value) ? value : null);
    suggester.update();
  };
  return (
    <div className="spark-Suggestions" data-mode={mode}>
      <label>
        {t('Autocomplete')}{' '}
        <select
          aria-label={t('Autocomplete in this notebook')}
          disabled={why !== ''}
          value={why ? mode : (choiceFor(host.path) ?? '')}
          onChange={sync(event => change(event.target.value))}
        >
          <option value="">{t('Default')}</option>
          <option value="on">{t('On')}</option>
          <option value="request">{t('On request')}</option>
          <option value="off">{t('Off')}</option>
        </select>
      </label>
      {suggester.meter.line && (
        <span className="spark-Suggestions-meter" title={COUNTED}>
          {suggester.meter.line}
        </span>
      )}
      {why && <div className="spark-Suggestions-why">{why}</div>}
      {suggester.isSpent && <div className="spark-Suggestions-why">{t('The requests of this day are used up. Alt-\\ still asks; the settings have the limit.')}</div>}
      {isProposed && <div className="spark-Suggestions-why">{t('Starts after your first prompt, or Alt-\\ in a cell.')}</div>}
    </div>
  );
}
