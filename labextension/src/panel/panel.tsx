// The side panel: composes its parts over the model.

import { ReactWidget } from '@jupyterlab/apputils';
import type { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import * as React from 'react';
import { Announcer } from './announcer';
import type { PanelModel } from './model';
import { PromptBox } from './prompt';
import { Problems, problemsApart, StatusBar } from './status';
import { Turns } from './turns';

/** The panel's widget. All that it shows is in the model, so it can be moved, closed and opened again. */
export class SparkPanel extends ReactWidget {
  constructor(
    private readonly _model: PanelModel,
    private readonly _rendermime: IRenderMimeRegistry
  ) {
    super();
    this.addClass('spark-Panel');
    this.node.setAttribute('role', 'region');
    this.node.setAttribute('aria-label', 'Spark');
    _model.changed.connect(() => this.update(), this);
  }

  /** Have a prompt in the box again. */
  private readonly _reuse = (prompt: string): void => {
    this._model.draft = prompt;
    this._model.focus();
  };

  private readonly _again = (): void => {
    void this._model.again();
  };

  protected override render(): React.JSX.Element {
    const { view, state, pending } = this._model;
    const problems = state ? problemsApart(state) : [];
    return (
      <>
        {view && state && <StatusBar view={view} state={state} />}
        {problems.length > 0 && (
          <Problems
            problems={problems}
            dismiss={problem => view?.session.store.dispatch({ type: 'ProblemDismissed', problem })}
          />
        )}
        {view && state && (state.turns.length > 0 || pending !== null) ? (
          <Turns state={state} pending={pending} view={view} rendermime={this._rendermime} reuse={this._reuse} again={this._again} />
        ) : (
          <Welcome open={view !== null} banner={state?.hello?.offline ? state.hello.banner ?? '' : ''} />
        )}
        <PromptBox model={this._model} />
        {state && <Announcer state={state} />}
      </>
    );
  }
}

function Welcome({ open, banner }: { open: boolean; banner: string }): React.JSX.Element {
  return (
    <div className="spark-Welcome">
      <p>{open ? 'Say what the next cells should do, and watch them appear in the notebook.' : 'Open a notebook to begin.'}</p>
      {open && (
        <ul>
          <li>While an answer is being written, type to steer it. Esc stops it.</li>
          <li>Nothing runs and nothing of yours changes before you say so.</li>
          <li>After an error, right-click the cell: Fix with Spark.</li>
        </ul>
      )}
      {banner && <p className="spark-Welcome-banner">{banner}</p>}
    </div>
  );
}
