// The side panel: composes its parts over the model.

import { ReactWidget } from '@jupyterlab/apputils';
import type { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import type { Message } from '@lumino/messaging';
import * as React from 'react';
import { PanelAnnouncer } from './panelAnnouncer';
import { ConnectForm } from './connectForm';
import { DeepCards, GearForm, shownWorks } from './deepCards';
import type { FullTurn } from '../state';
import type { PanelModel } from './panelModel';
import { PressGuard } from './pressGuard';
import { PromptBox } from './promptBox';
import { Review } from './review';
import { Problems, problemsApart, StatusBar } from './statusBar';
import { Suggestions } from './suggestions';
import type { Suggester } from '../suggest/suggester';
import type { Places } from '../suggest/setup';
import { Turns } from './turns';
import { Welcome } from './welcome';

/** The panel's widget. All that it shows is in the model, so it can be moved, closed and opened again. */
export class SparkPanel extends ReactWidget {
  private readonly _pressGuard = new PressGuard(this.node);

  constructor(
    private readonly _model: PanelModel,
    private readonly _rendermime: IRenderMimeRegistry,
    private readonly _suggestions: { readonly suggester: Suggester; readonly places: Places }
  ) {
    super();
    this.addClass('spark-Panel');
    this.node.setAttribute('role', 'region');
    this.node.setAttribute('aria-label', 'Spark');
    _model.changed.connect(() => this.update(), this);
    _suggestions.suggester.changed.connect(() => this.update(), this);
    _suggestions.suggester.meter.changed.connect(() => this.update(), this);
    this._pressGuard.released.connect(() => this.update(), this);
  }

  /** Nothing moves under a finger: what comes while a button is pressed is shown when it has been let go. */
  protected override onUpdateRequest(message: Message): void {
    if (!this._pressGuard.isDown) {
      super.onUpdateRequest(message);
    }
  }

  private readonly _reuse = (prompt: string, turn: FullTurn): void => this._model.reuse(prompt, turn);

  private readonly _connect = (): void => {
    this._model.connecting = true;
  };

  private readonly _again = (): void => {
    void this._model.again();
  };

  protected override render(): React.JSX.Element {
    const { view, state, pending } = this._model;
    const { suggester, places } = this._suggestions;
    const problems = state ? problemsApart(state) : [];
    return (
      <>
        {view && state && <StatusBar model={this._model} view={view} state={state} />}
        {view && state && this._model.connecting && (
          <div className="spark-Connecting">
            <ConnectForm model={this._model} view={view} state={state} />
            <GearForm state={state} view={view} />
          </div>
        )}
        {problems.length > 0 && (
          <Problems
            problems={problems}
            dismiss={problem => view?.session.store.dispatch({ type: 'ProblemDismissed', problem })}
          />
        )}
        {view && state?.review && <Review review={state.review} view={view} />}
        {view && state && (state.turns.length > 0 || pending !== null || shownWorks(state).length > 0) ? (
          <Turns state={state} pending={pending} view={view} rendermime={this._rendermime} reuse={this._reuse} connect={this._connect} again={this._again} />
        ) : (
          <Welcome model={this._model} />
        )}
        {view && state && <DeepCards state={state} view={view} />}
        {view && <Suggestions suggester={suggester} place={places.ofNotebook(view.session)} />}
        <PromptBox model={this._model} />
        {view && state && <PanelAnnouncer state={state} waiting={view.session.decisions.waiting} />}
      </>
    );
  }
}
