// Welcome text before the first prompt.

import * as React from 'react';
import type { Status } from '../connectionStatus';
import { Button } from '../button';
import { ideasOf, switchedOff } from '../selectors';
import { promptPolicy } from '../sharedModel';
import type { State } from '../state';
import type { PanelModel } from './panelModel';
import { t } from '../translation';

/** What stands where the turns will. */
export function Welcome({ model }: { model: PanelModel }): React.JSX.Element {
  const { view, state } = model;
  if (!view || !state) {
    return (
      <div className="spark-Welcome">
        <p>{t('Open a notebook to begin.')}</p>
      </div>
    );
  }
  const who = whoAnswers(state, view.session.transport.status);
  const writes = promptPolicy(view.session.notebook) === 'on' && !switchedOff(state, 'prompts');
  return (
    <div className="spark-Welcome">
      {writes && <p>{t('Say what the next cells should do, and watch them appear in the notebook.')}</p>}
      {who && <p className="spark-Welcome-who">{who}</p>}
      {state.hello?.offline && (
        <Button label={t('Connect a model…')} primary onClick={() => (model.connecting = true)} />
      )}
      {writes && state.ideas.length > 0 && <Ideas model={model} ideas={ideasOf(state)} />}
      {writes && (
        <ul>
          <li>{t('Type while an answer is being written to steer it. Esc stops it.')}</li>
          <li>{t('Nothing runs, and no cell of yours changes, before you accept.')}</li>
          <li>{t('After an error, right-click the cell: Fix with Spark.')}</li>
        </ul>
      )}
    </div>
  );
}

/** Who will answer, in a line; empty where that is not known yet. */
export function whoAnswers({ hello, model }: Pick<State, 'hello' | 'model'>, status: Status): string {
  if (!hello) {
    return status === 'connecting' || status === 'waiting' ? t('Connecting…') : '';
  }
  if (hello.offline) {
    return t('Offline recipes answer: common tasks with data, no language model, nothing is sent anywhere.');
  }
  return hello.provider ? t('Connected to %1 at %2.', model || t('a model'), hello.provider) : t('Connecting to a model…');
}

/** Prompts to click: they are put into the box, and nothing is sent. */
function Ideas({ model, ideas }: { model: PanelModel; ideas: readonly string[] }): React.JSX.Element {
  return (
    <div className="spark-Ideas" role="group" aria-label={t('Ideas for a prompt')}>
      {ideas.map(idea => (
        <button
          key={idea}
          type="button"
          className="spark-Idea"
          title={t('Put this into the box')}
          onClick={() => {
            model.draft = idea;
            model.focus();
          }}
        >
          {idea}
        </button>
      ))}
    </div>
  );
}
