// Attempts of a turn as tabs, with their code and outcome.

import * as React from 'react';
import type { AttemptChanged } from '../messages';
import { t } from '../translation';
import { toldSentences } from '../kernelTexts';

const STATES: Record<AttemptChanged['state'], { readonly mark: string; readonly word: string }> = {
  streaming: { mark: '…', word: t('is being written') },
  trying: { mark: '…', word: t('is being tried') },
  passed: { mark: '✓', word: 'passed' },
  failed: { mark: '✗', word: 'failed' },
  lost: { mark: '–', word: t('was stopped') }
};

interface AttemptsProps {
  readonly turnId: string;
  readonly attempts: readonly AttemptChanged[];
  /** Whether another one can be proposed now. */
  readonly open: boolean;
  readonly choose: (index: number) => void;
}

/** The tabs. None is open until one is pressed; the open one is closed by pressing it again. */
export function Attempts({ turnId, attempts, open, choose }: AttemptsProps): React.JSX.Element {
  const [shown, show] = React.useState<number | null>(null);
  const tabs = React.useRef<HTMLDivElement>(null);
  const current = attempts.find(one => one.index === shown);
  const panelId = `spark-attempt-${turnId}`;
  const onKeyDown = (event: React.KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step) {
      event.preventDefault();
      const next = ((shown ?? 0) + step + attempts.length) % attempts.length;
      show(next);
      tabs.current?.querySelectorAll('button')[next]?.focus();
    }
  };
  return (
    <div className="spark-Attempts">
      <div className="spark-Attempts-tabs" role="tablist" aria-label={t('Attempts')} ref={tabs} onKeyDown={onKeyDown}>
        {attempts.map(one => (
          <button
            key={one.index}
            type="button"
            role="tab"
            className="spark-Attempts-tab"
            title={t('Attempt %1 %2', one.index + 1, STATES[one.state].word)}
            data-state={one.state}
            aria-label={label(one)}
            aria-selected={one.index === shown}
            aria-controls={one.index === shown ? panelId : undefined}
            tabIndex={one.index === (shown ?? 0) ? 0 : -1}
            onClick={() => show(one.index === shown ? null : one.index)}
          >
            {one.index + 1} {STATES[one.state].mark}
            {one.proposed && <span className="spark-Attempts-proposed"> {t('proposed')}</span>}
          </button>
        ))}
      </div>
      {current && (
        <div className="spark-Attempts-panel" role="tabpanel" id={panelId} aria-label={label(current)}>
          <div className="spark-Attempts-reason">{sentence(current)}</div>
          {current.source && (
            <pre className="spark-Attempts-source" tabIndex={0}>
              {current.source}
            </pre>
          )}
          {open && current.source && !current.proposed && (
            <button type="button" className="spark-Button" onClick={() => choose(current.index)}>
              {t('Use this one')}
            </button>
          )}
        </div>
      )}
    </div>
  );
}

function label(attempt: AttemptChanged): string {
  return t('Attempt %1 %2%3', attempt.index + 1, STATES[attempt.state].word, attempt.proposed ? t(', proposed') : '');
}

/** How it stands, in a sentence. */
export function sentence(attempt: AttemptChanged): string {
  const who = attempt.model ? `${attempt.model} ` : '';
  return `${who}${STATES[attempt.state].word}${attempt.reason ? `: ${toldSentences(attempt.reason)}` : '.'}`;
}
