// How things stand with the kernel and the provider, and what to do where they do not.

import { SessionContextDialogs } from '@jupyterlab/apputils';
import * as React from 'react';
import { statusMessage } from '../statusMessage';
import type { Problem } from '../messages';
import { providerWish } from '../settings';
import type { State } from '../state';
import { spentText } from './turnMeter';
import type { PanelModel } from './panelModel';
import type { NotebookView } from '../notebookView';

/** The line at the top: who answers, and the model picker. */
export function StatusBar({ model, view, state }: { model: PanelModel; view: NotebookView; state: State }): React.JSX.Element {
  const text = statusMessage(view.session.transport, state);
  return (
    <div className="spark-Status">
      {state.hello && (
        <div className="spark-Status-line">
          <span className="spark-Status-provider" title={state.hello.banner ?? ''}>
            {state.hello.offline ? 'Recipe books, no language model' : state.hello.provider || (hasFailed(state) ? 'No model answers' : 'Connecting to a model…')}
          </span>
          <ModelPicker state={state} view={view} />
          <button type="button" className="spark-Button" title="Choose another provider or model, and where its key is" onClick={() => (model.connecting = !model.connecting)}>
            Connect…
          </button>
        </div>
      )}
      {state.spent && (state.spent.today > 0 || state.spent.notebook > 0 || (state.spent.unknown ?? 0) > 0) && (
        <div className="spark-Status-text" data-spent={state.spent.today}>{spentText(state.spent)}</div>
      )}
      {state.hello?.offered && (
        <div className="spark-Status-text" data-promptOffers={state.hello.offered}>
          <span>A model server was found on this machine: {state.hello.offered_title || state.hello.offered}. It gets nothing before you say so.</span>{' '}
          <button type="button" className="spark-Button" onClick={() => view.session.providers.use({ profile: state.hello?.offered ?? '' })}>
            Use it
          </button>
        </div>
      )}
      {!model.connecting && state.answered && !state.answered.ok && !state.answered.only_test && (
        <div className="spark-Status-text" role="alert" data-refused>
          The provider that was chosen can’t be used, and nothing has changed: {state.answered.message}
        </div>
      )}
      {!model.connecting && view.session.providers.isBehind(model.settings.value) && <Behind model={model} />}
      {state.hello?.writer === false && (
        <div className="spark-Status-text">Another tab writes into this notebook; this one shows what it does. What it writes is decideMode there.</div>
      )}
      {state.hello?.rehearsal_unavailable && (
        <div className="spark-Status-text">Cells are not run in a copy while they are written. {state.hello.rehearsal_unavailable}</div>
      )}
      {text && (
        <div className="spark-Status-text" data-status={view.session.transport.status} role="status">
          <span>{text}</span> <Remedy view={view} />
        </div>
      )}
    </div>
  );
}

/** The button that does what the explanation says, where one can. */
function Remedy({ view }: { view: NotebookView }): React.JSX.Element | null {
  const { session, panel } = view;
  switch (session.transport.status) {
    case 'no-kernel':
    case 'unsupported':
      return (
        <button type="button" className="spark-Button" onClick={() => void new SessionContextDialogs().selectKernel(panel.sessionContext)}>
          Choose a kernel…
        </button>
      );
    case 'failed':
      return (
        <button type="button" className="spark-Button" onClick={() => void session.transport.attach({ load: true })}>
          Try again
        </button>
      );
    default:
      return null;
  }
}

function hasFailed(state: State): boolean {
  return state.problems.length > 0 || state.turns.at(-1)?.outcome === 'failed';
}

function ModelPicker({ state, view }: { state: State; view: NotebookView }): React.JSX.Element | null {
  const names = state.models.map(model => model.id);
  const options = names.includes(state.model) || !state.model ? names : [state.model, ...names];
  if (options.length === 0) {
    return null;
  }
  return (
    <select
      className="spark-ModelPicker"
      aria-label="Model"
      value={state.model}
      onFocus={() => view.session.providers.listModels()}
      onChange={event => view.session.providers.selectModel(event.target.value)}
    >
      {options.map(name => (
        <option key={name} value={name}>
          {name}
        </option>
      ))}
    </select>
  );
}

/** What went wrong and what to do about it. */
export function Problems({ problems, dismiss }: { problems: readonly Problem[]; dismiss: (problem: Problem) => void }): React.JSX.Element {
  return (
    <div className="spark-Problems" role="alert">
      {problems.map((problem, index) => (
        <div className="spark-Problem" key={index} data-code={problem.code}>
          <span>
            {problem.message} {problem.remedy ?? ''}
          </span>
          <button type="button" className="spark-Button" aria-label="Dismiss" onClick={() => dismiss(problem)}>
            ×
          </button>
        </div>
      ))}
    </div>
  );
}

/** The problems that are not shown with their turn already. */
export function problemsApart(state: State): readonly Problem[] {
  const told = new Set(state.turns.filter(turn => turn.outcome === 'failed' && turn.reason).map(turn => turn.id));
  return state.problems.filter(problem => !problem.turn_id || !told.has(problem.turn_id));
}

/** The settings have come to name somebody else since this kernel heard them, or nobody. */
function Behind({ model }: { model: PanelModel }): React.JSX.Element {
  const named = providerWish(model.settings.value) !== null;
  return (
    <div className="spark-Status-text" data-behind>
      <span>{named ? 'Your settings name another provider than this notebook began with.' : 'Your settings no longer name the provider that this notebook began with.'}</span>{' '}
      <button type="button" className="spark-Button" title="Other notebooks begin with it by themselves" onClick={() => model.followSettings()}>
        {named ? 'Use it here' : 'Use the one that is configured'}
      </button>
    </div>
  );
}
