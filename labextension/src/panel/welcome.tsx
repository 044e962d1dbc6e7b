// Before the first prompt: who will answer, and what could be asked here.

import * as React from 'react';
import type { Status } from '../connectionStatus';
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
  return (
    <div className="spark-Welcome">
      <p>Say what the next cells should do, and watch them appear in the notebook.</p>
      <p className="spark-Welcome-who">{whoAnswers(state, view.session.transport.status)}</p>
      {state.hello?.offline && (
        <button type="button" className="spark-Button spark-mod-primary" onClick={() => (model.connecting = true)}>
          Connect a model…
        </button>
      )}
      {state.ideas.length > 0 && <Ideas model={model} ideas={state.ideas} />}
      <ul>
        <li>While an answer is being written, type to steer it. Esc stops it.</li>
        <li>Nothing runs and nothing of yours changes before you say so.</li>
        <li>After an error, right-click the cell: Fix with Spark.</li>
      </ul>
    </div>
  );
}

/** Who will answer, and what that is, in a line. */
export function whoAnswers({ hello, model }: Pick<State, 'hello' | 'model'>, status: Status): string {
  if (!hello) {
    return status === 'connecting' || status === 'waiting' ? 'The kernel is asked who will answer.' : 'Click into the box below: the kernel then says who will answer.';
  }
  if (hello.offline) {
    return 'Recipe books on this machine will answer: they know common tasks with data, are no language model, and send nothing anywhere.';
  }
  return hello.provider ? `${model || 'A language model'} at ${hello.provider} will answer.` : 'A model is being connected…';
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
