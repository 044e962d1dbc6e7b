// Registers draft mode with JupyterLab: editors, keys, status bar.
//
// Where it is off, nothing but this is loaded.

import type { JupyterFrontEnd } from '@jupyterlab/application';
import { type ICommandPalette, ReactWidget } from '@jupyterlab/apputils';
import { EditorExtensionRegistry, type IEditorExtensionRegistry } from '@jupyterlab/codemirror';
import type { IStatusBar } from '@jupyterlab/statusbar';
import { EditorView, type ViewUpdate } from '@codemirror/view';
import { CommandRegistry } from '@lumino/commands';
import { Signal } from '@lumino/signaling';
import * as React from 'react';
import type { NotebookSession } from '../notebookSession';
import type { Sessions } from '../sessions';
import type { SettingsModel } from '../settings';
import { ghostIn } from '../suggest/ghostText';
import { editorKeys } from '../suggest/ghostKeys';
import { viewOf } from '../tailFollower';
import { t } from '../translation';
import type { PanelModel } from '../panel/panelModel';
import { plainPrompt } from '../panel/promptDelivery';
import { draftsCost, spentText } from '../panel/turnMeter';
import type { Spent } from '../messages';
import type { Drafts } from './drafts';
import { draftsHere, draftsOn, switchDrafts } from './draftChoice';

/** What draft mode needs; what is null is not there. */
export interface DraftModeServices {
  readonly app: JupyterFrontEnd;
  readonly panel: PanelModel;
  readonly sessions: Sessions;
  readonly settings: SettingsModel;
  readonly palette: ICommandPalette | null;
  readonly extensions: IEditorExtensionRegistry | null;
  readonly statusBar: IStatusBar | null;
}

const OURS = 'spark:draft-';

/** Have draft mode in the cells of notebooks. */
export function addDraftMode({ app, panel, sessions, settings, palette, extensions, statusBar }: DraftModeServices): void {
  const { commands } = app;
  let drafts: Drafts | null = null;
  let loading = false;
  let waiting: EditorView | null = null;
  const item = new DraftItem(sessions, () => drafts?.leave());
  const load = async () => {
    loading = true;
    const { Drafts } = await import('./drafts');
    drafts = new Drafts({
      viewOf: editor => {
        const { current } = sessions;
        const cell = current?.panel.content.widgets.find(one => viewOf(one) === editor);
        return current && cell ? { view: current, cell } : null;
      },
      keys: command => CommandRegistry.formatKeystroke([...(commands.keyBindings.find(one => one.command === command)?.keys ?? [])]),
      rephrase: words => {
        panel.draft = words;
        onPrompt({ isTyped: true }); // the focus is with the button
        panel.focus();
      }
    });
    panel.takeDraft = (view, prompt, isSent) => drafts?.sent(view, prompt, isSent) ?? Promise.resolve('');
    onPrompt();
    waiting?.hasFocus && drafts.typed(waiting); // what was typed while this was loaded
  };
  const onUpdate = (update: ViewUpdate) => {
    if (!settings.value.hidden && draftsOn(sessions.current?.session)) {
      loading || void load();
      if (update.docChanged && update.view.hasFocus && isTyped(update)) {
        waiting = update.view;
        drafts?.typed(update.view);
      } else if (update.docChanged || update.selectionSet) {
        drafts?.moved(update.view);
      }
    } else if (drafts?.isShownIn(update.view)) {
      drafts.leave();
    }
    if (update.focusChanged && !update.view.hasFocus) {
      window.setTimeout(() => drafts?.left(update.view));
    }
  };
  let prompt = '';
  let shown = panel.view;
  const onPrompt = ({ isTyped = panel.voice.listening || (document.activeElement?.matches('.spark-Prompt-box') ?? false) } = {}) => {
    const { view } = panel;
    if (view !== shown) {
      shown = view;
      prompt = '';
      drafts?.prompted(view, null); // that of the other notebook goes
      return;
    }
    const plain = !settings.value.hidden && draftsOn(view?.session) ? plainPrompt(panel) : null;
    const now = plain ? JSON.stringify(plain) : '';
    // Words that wait in the box while their author is in a cell are not typed; those that are spoken are.
    if (view && now !== prompt && !panel.sending && (isTyped || !plain)) {
      plain && (loading || void load());
      prompt = drafts ? now : '';
      drafts?.prompted(view, plain);
    }
  };
  panel.changed.connect(() => onPrompt());
  const shownIn = (view: EditorView) => drafts !== null && ghostIn(view.state) === null && drafts.isShownIn(view);
  extensions?.addExtension({
    name: 'spark-drafts',
    factory: ({ model }) =>
      'cell_type' in model.sharedModel
        ? EditorExtensionRegistry.createImmutableExtension([
            EditorView.updateListener.of(onUpdate),
            editorKeys(commands, OURS, shownIn)
          ])
        : null
  });
  const add = (name: string, label: string, execute: (drafts: Drafts) => unknown) => {
    const described = { args: { type: 'object', properties: {} } };
    commands.addCommand(OURS + name, { label, execute: () => drafts && execute(drafts), isEnabled: () => drafts !== null, describedBy: described });
  };
  add('take', t('Take the Draft'), one => one.take({ run: false }));
  add('run', t('Take the Draft and Run It'), one => one.take({ run: true }));
  add('hide', t('Hide the Draft'), one => one.hide());
  add('line', t('Take One Line of the Draft'), one => one.choose(1));
  add('line-less', t('Take One Line Less of the Draft'), one => one.choose(-1));
  commands.addCommand('spark:drafts', {
    label: args => (args.palette ? `Spark: ${t('Draft Code While You Type')}` : t('Draft Code While You Type')),
    isToggled: () => draftsOn(sessions.current?.session),
    isEnabled: () => sessions.current !== null,
    execute: () => sessions.current && switchDrafts(sessions.current.session, !draftsOn(sessions.current.session)),
    describedBy: { args: { type: 'object', properties: { palette: { type: 'boolean' } } } }
  });
  palette?.addItem({ command: 'spark:drafts', category: 'Spark', args: { palette: true } });
  statusBar?.registerStatusItem('spark-jupyter:drafts', { item, align: 'right', rank: 3.5, isActive: () => item.isOn, activeStateChanged: item.changed });
}

/** In the status bar while it is on: what drafts cost today, and a click that switches it off. */
class DraftItem extends ReactWidget {
  readonly changed = new Signal<this, void>(this);
  private _spent: Spent | null = null;
  private _on = false;
  private readonly _watched = new WeakSet<NotebookSession>();

  constructor(
    private readonly _sessions: Sessions,
    private readonly _ends: () => void
  ) {
    super();
    this.addClass('spark-StatusItem');
    _sessions.currentChanged.connect((_, view) => {
      if (view && !this._watched.has(view.session)) {
        this._watched.add(view.session);
        view.session.store.changed.connect(() => this._sync());
        view.session.greeted.connect(session => draftsHere(session.context.path) && !draftsOn(session) && switchDrafts(session, true));
      }
      this._sync();
    });
  }

  get isOn(): boolean {
    return this._on;
  }

  protected override render(): React.JSX.Element | null {
    const { _spent: spent } = this;
    return this._on ? (
      <button type="button" title={[t('Code is drafted while you type. Click to switch that off.'), spent && spentText(spent)].filter(Boolean).join('\n')} onClick={this._switchOff}>
        {[t('Drafts: on'), spent && draftsCost(spent)].filter(Boolean).join(' · ')}
      </button>
    ) : null;
  }

  private readonly _switchOff = (): void => {
    const session = this._sessions.current?.session;
    session && switchDrafts(session, false);
  };

  private _sync(): void {
    const { session } = this._sessions.current ?? {};
    const on = draftsOn(session);
    const spent = session?.store.state.spent ?? null;
    if (spent !== this._spent) {
      this._spent = spent;
      this.update();
    }
    if (on !== this._on) {
      this._on = on;
      on || this._ends();
      this.changed.emit();
      this.update();
    }
  }
}

/** Whether a person did it, and not the kernel, another tab or Undo. */
function isTyped({ transactions }: ViewUpdate): boolean {
  return transactions.some(one => one.docChanged && ['input', 'delete', 'move'].some(kind => one.isUserEvent(kind)));
}
