// Field of the prompt box for the second of two answers.

import { closeIcon } from '@jupyterlab/ui-components';
import * as React from 'react';
import { Button } from '../button';
import { t } from '../translation';
import type { PanelModel } from './panelModel';
import { NO_RACE, type Other } from './resolveInput';
import { useSyncRender } from './useSyncRender';

/** A second prompt, or a second model for the same one. Nothing where one answer is wanted. */
export function OtherAnswer({ model }: { model: PanelModel }): React.JSX.Element | null {
  const sync = useSyncRender();
  const { other } = model.race;
  if (!other) {
    return null;
  }
  const models = (model.state?.models ?? []).map(one => one.id).filter(id => id !== model.state?.model);
  const set = (changed: Partial<Other>) => (model.race = { ...NO_RACE, other: { ...other, ...changed } });
  return (
    <div className="spark-OtherAnswer" role="group" aria-label={t('Try both')}>
      <div className="spark-Prompt-bar">
        <span>{t('Try both, with')}</span>
        <select className="spark-Prompt-count" aria-label={t('Difference of the second answer')} value={other.kind} onChange={sync(event => set({ kind: event.target.value as Other['kind'], value: '' }))}>
          <option value="prompt">{t('another prompt')}</option>
          <option value="model" disabled={models.length === 0}>
            {t('another model')}
          </option>
        </select>
        {other.kind === 'model' && (
          <select className="spark-Prompt-count" aria-label={t('Second model')} value={other.value} onChange={sync(event => set({ value: event.target.value }))}>
            {['', ...models].map(id => (
              <option key={id} value={id}>
                {id || t('choose…')}
              </option>
            ))}
          </select>
        )}
        <Button label={t('One answer only')} icon={closeIcon} iconOnly onClick={() => (model.race = NO_RACE)} />
      </div>
      {other.kind === 'prompt' && (
        <textarea
          className="spark-Prompt-box"
          aria-label={t('Second prompt')}
          placeholder={t('The second prompt')}
          rows={1}
          value={other.value}
          onChange={sync(event => set({ value: event.target.value }))}
          onKeyDown={sync(event => {
            if (event.key === 'Enter' && !event.shiftKey && !event.nativeEvent.isComposing) {
              event.preventDefault();
              void model.send();
            }
          })}
        />
      )}
    </div>
  );
}
