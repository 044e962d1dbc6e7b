// Form for a person’s own key for their prompts.

import * as React from 'react';
import type { NotebookView } from '../notebookView';
import { toldSentences } from '../kernelTexts';
import { lastingName } from '../person';
import type { State } from '../state';
import { t } from '../translation';

/** Only where the server knows its users. Jupyter's server keeps the key. */
export function OwnKeyForm({ state, view }: { state: State; view: NotebookView }): React.JSX.Element | null {
  const [key, setKey] = React.useState('');
  const input = React.useRef<HTMLInputElement>(null);
  const { providers, person } = view.session;
  const provider = state.hello?.provider;
  const known = lastingName(person) !== '' && Boolean(provider);
  React.useEffect(() => {
    if (known) {
      providers.setOwnKey(null);
    }
  }, [known, provider, providers]);
  if (!known) {
    return null;
  }
  const say = (text: string) => {
    providers.setOwnKey(text);
    setKey('');
    input.current?.focus(); // the button can't be pressed any more, or is gone: without focus the dialog would not hear Escape
  };
  return (
    <form
      aria-label={t('Your own key')}
      onSubmit={event => {
        event.preventDefault();
        say(key);
      }}
    >
      <details className="spark-Fold">
        <summary>{t('Your own key')}</summary>
        <div className="spark-Gear">
          <label>
            {t('API key for your prompts alone')}
            <input ref={input} type="password" autoComplete="off" value={key} onChange={event => setKey(event.target.value)} />
          </label>
          <button type="submit" className="spark-Button" disabled={!key.trim()}>
            {t('Use for my prompts')}
          </button>
          {state.ownKey?.kept && (
            <button type="button" className="spark-Button" onClick={() => say('')}>
              {t('Forget my key')}
            </button>
          )}
        </div>
        <div role="status">{toldSentences(state.ownKey?.message ?? '')}</div>
      </details>
    </form>
  );
}
