// Side panel widget: composes its parts over the model.

import { ReactWidget } from '@jupyterlab/apputils';
import type { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import type { CommandRegistry } from '@lumino/commands';
import type { Message } from '@lumino/messaging';
import type { Widget } from '@lumino/widgets';
import * as React from 'react';
import { conversationTurns } from '../selectors';
import type { FullTurn } from '../state';
import type { Suggester } from '../suggest/suggester';
import type { SuggestionHosts } from '../suggest/setup';
import { AgentRuns } from './agentRuns';
import { ConversationList } from './conversationList';
import { DeepCards, shownWorks } from './deepCards';
import { Header } from './header';
import { Notices, Problems, problemsApart } from './notices';
import { PanelAnnouncer } from './panelAnnouncer';
import type { PanelModel } from './panelModel';
import { PendingBar } from './pendingBar';
import { PressGuard } from './pressGuard';
import { PromptBox } from './promptBox';
import { Review } from './review';
import { Timeline } from './timeline';
import { Turns } from './turns';
import { Welcome } from './welcome';

/** What the panel needs of JupyterLab. */
export interface PanelServices {
  readonly rendermime: IRenderMimeRegistry;
  readonly commands: CommandRegistry;
  readonly suggestions: { readonly suggester: Suggester; readonly hosts: SuggestionHosts };
}

/** The panel's widget. All that it shows is in the model, so it can be moved, closed and opened again. */
export class SparkPanel extends ReactWidget {
  private readonly _pressGuard = new PressGuard(this.node);

  constructor(
    private readonly _model: PanelModel,
    private readonly _services: PanelServices
  ) {
    super();
    this.addClass('spark-Panel');
    this.node.setAttribute('role', 'region');
    this.node.setAttribute('aria-label', 'Spark');
    const { suggester } = _services.suggestions;
    _model.changed.connect(() => this.update(), this);
    suggester.changed.connect(() => this.update(), this);
    suggester.meter.changed.connect(() => this.update(), this);
    this._pressGuard.released.connect(() => this.update(), this);
  }

  /** Nothing moves under a finger: what comes while a button is pressed is shown when it has been let go. */
  protected override onUpdateRequest(message: Message): void {
    if (!this._pressGuard.isDown) {
      super.onUpdateRequest(message);
    }
  }

  protected override onResize(message: Widget.ResizeMessage): void {
    super.onResize(message);
    this._keepClear();
  }

  protected override onAfterShow(message: Message): void {
    super.onAfterShow(message);
    this._keepClear();
  }

  protected override onAfterHide(message: Message): void {
    super.onAfterHide(message);
    this._keepClear();
  }

  /** Have JupyterLab's notifications stand beside a panel at the right edge: its prompt box is where they come. */
  private _keepClear(): void {
    const { left, right } = this.node.getBoundingClientRect();
    const isRight = this.isVisible && left > window.innerWidth - right;
    document.body.style.setProperty('--spark-panel-edge', isRight ? `${window.innerWidth - left}px` : '0px');
  }

  private readonly _reuse = (prompt: string, turn: FullTurn): void => this._model.reuse(prompt, turn);

  private readonly _connect = (): void => {
    this._model.connecting = true;
  };

  private readonly _goBack = (moment: number): void => {
    void this._model.timeline.show(moment);
  };

  private readonly _retry = (): void => {
    void this._model.retry();
  };

  protected override render(): React.JSX.Element {
    const { browser, timeline, view, state, pending } = this._model;
    const { suggestions, rendermime, commands } = this._services;
    const problems = state ? problemsApart(state) : [];
    const isBegun = state !== null && (conversationTurns(state).length > 0 || pending !== null || shownWorks(state).length > 0);
    return (
      <>
        {state && <Header model={this._model} state={state} commands={commands} />}
        {view && state && <Notices model={this._model} view={view} state={state} />}
        {problems.length > 0 && (
          <Problems problems={problems} dismiss={problem => view?.session.store.dispatch({ type: 'ProblemDismissed', problem })} />
        )}
        {view && state && <AgentRuns state={state} view={view} />}
        {view && state?.review && <Review review={state.review} view={view} />}
        {view && state && browser.isOpen ? (
          <ConversationList browser={browser} state={state} />
        ) : view && state && timeline.isOpen ? (
          <Timeline timeline={timeline} state={state} view={view} />
        ) : view && state && isBegun ? (
          <Turns state={state} pending={pending} view={view} rendermime={rendermime} reuse={this._reuse} connect={this._connect} retry={this._retry} goBack={this._goBack} />
        ) : (
          <Welcome model={this._model} />
        )}
        {view && state && <DeepCards state={state} view={view} />}
        {view && <PendingBar view={view} />}
        <PromptBox model={this._model} suggestions={view && { suggester: suggestions.suggester, host: suggestions.hosts.ofNotebook(view.session) }} />
        {view && state && <PanelAnnouncer state={state} waiting={view.session.decisions.waiting} />}
      </>
    );
  }
}
