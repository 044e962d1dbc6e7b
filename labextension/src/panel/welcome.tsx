// Welcome text before the first prompt.

import * as React from 'react';
import type { Status } from '../connectionStatus';
import { Button } from '../button';
import type { State } from '../state';
import type { PanelModel } from './panelModel';

/** What stands where the turns will. */
export function Welcome({ model }: { model: PanelModel }): React.JSX.Element {
  const { view, state } = model;
  if (!view || !state) {
    return (
      <div className="spark-Welcome">
        <p>Open a notebook to begin.</p>
      </div>
    );
  }
  const who = whoAnswers(state, view.session.transport.status);
  return (
    <div className="spark-Welcome">
      <p>Say what the next cells should do, and watch them appear in the notebook.</p>
      {who && <p className="spark-Welcome-who">{who}</p>}
      {state.hello?.offline && (
        <Button label="Connect a model…" primary onClick={() => (model.connecting = true)} />
      )}
      {state.ideas.length > 0 && <Ideas model={model} ideas={state.ideas} />}
      <ul>
        <li>Type while an answer is being written to steer it. Esc stops it.</li>
        <li>Nothing runs, and no cell of yours changes, before you accept.</li>
        <li>After an error, right-click the cell: Fix with Spark.</li>
      </ul>
    </div>
  );
}

/** Who will answer, in a line; empty where that is not known yet. */
export function whoAnswers({ hello, model }: Pick<State, 'hello' | 'model'>, status: Status): string {
  if (!hello) {
    return status === 'connecting' || status === 'waiting' ? 'Connecting…' : '';
  }
  if (hello.offline) {
    return 'Offline recipes answer: common tasks with data, no language model, nothing is sent anywhere.';
  }
  return hello.provider ? `Connected to ${model || 'a model'} at ${hello.provider}.` : 'Connecting to a model…';
}

/** Prompts to click: they are put into the box, and nothing is sent. */
function Ideas({ model, ideas }: { model: PanelModel; ideas: readonly string[] }): React.JSX.Element {
  return (
    <div className="spark-Ideas" role="group" aria-label="What could be asked here">
      {ideas.map(idea => (
        <button
          key={idea}
          type="button"
          className="spark-Idea"
          title="Put this into the box"
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
