// Note above an earlier prompt that is edited: what sending it leaves.

import { closeIcon } from '@jupyterlab/ui-components';
import * as React from 'react';
import { Button } from '../button';
import { plain } from '../plainText';
import { t } from '../translation';
import type { PanelModel } from './panelModel';
import { Changes } from './timeline';
import { toldSentences } from '../kernelTexts';

/** What sending would leave, above the prompt that is edited. */
export function RewindNote({ model }: { model: PanelModel }): React.JSX.Element | null {
  const { rewind, state, view, timeline } = model;
  const waits = model.sending && model.rewinds.isAsking;
  if (!(rewind ?? waits) || !state || !view) {
    return null;
  }
  const preview = rewind && state.preview?.moment_id === rewind.moment ? state.preview : null;
  return (
    <div className="spark-Rewind" role="group" aria-label={t('Edit an earlier prompt')}>
      <div className="spark-Rewind-head">
        <span>
          {rewind
            ? t('Sending goes back to before this prompt. What followed it stays as %1 in the timeline.', rewind.branch)
            : t('Sending goes back to before this prompt, so it waits for the running cell.')}
        </span>
        <Button label={t('Ask this at the end instead of going back')} icon={closeIcon} iconOnly onClick={() => model.askAtEnd()} />
      </div>
      {timeline.problem && <div role="alert">{toldSentences(plain(timeline.problem))}</div>}
      {rewind && preview ? (
        <details>
          <summary>{t('What changes')}</summary>
          <Changes moment={rewind.moment} preview={preview} view={view} />
        </details>
      ) : (
        timeline.isBusy && <div role="status">{t('Comparing when the running cell ends…')}</div>
      )}
    </div>
  );
}
