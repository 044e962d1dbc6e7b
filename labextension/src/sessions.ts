// Registry of sessions and views of the open notebooks.

import { Dialog, showDialog } from '@jupyterlab/apputils';
import type { Cell } from '@jupyterlab/cells';
import type { IEditorLanguageRegistry } from '@jupyterlab/codemirror';
import type { DocumentRegistry } from '@jupyterlab/docregistry';
import type { ISharedNotebook } from '@jupyter/ydoc';
import { type INotebookModel, type INotebookTracker, type Notebook, NotebookActions, type NotebookPanel } from '@jupyterlab/notebook';
import { type ISignal, Signal } from '@lumino/signaling';
import { AutoRun } from './autoRun';
import { isSparkAttached, isSparkEvent } from './kernelPresence';
import type { Person } from './messages';
import { NotebookSession } from './notebookSession';
import type { SettingsModel } from './settings';
import { NotebookView } from './notebookView';
import type { FullTurn } from './state';
import { t } from './translation';

type Context = DocumentRegistry.IContext<INotebookModel>;

/** Kernels in which Spark is loaded are remembered over reloads, so that they are attached to without asking. */
const KERNELS_KEY = 'spark-jupyter:kernels';
const MOST_KERNELS = 50;

/** Milliseconds after which a notebook shows what it keeps, where no kernel has said anything yet. */
const LOOK_TIMEOUT = 3_000;

/** Code after which the extension may have been loaded. */
export const LOADS = /^\s*%(load_ext|reload_ext)\s+spark_jupyter\b|^\s*%%?(spark|pair)\b/m;

/** Every open notebook's conversation. A notebook with several views has one. */
export class Sessions {
  private readonly _sessions = new Map<Context, NotebookSession>();
  private readonly _views = new Map<NotebookPanel, NotebookView>();
  private readonly _currentChanged = new Signal<this, NotebookView | null>(this);

  constructor(
    private readonly _tracker: INotebookTracker,
    private readonly _languages: IEditorLanguageRegistry,
    private readonly _settings: SettingsModel,
    /** The shortcut of a command, empty where it has none. */
    readonly keys: (command: string) => string,
    /** The user, as the server says; null where it does not. */
    private readonly _person: () => Person | null = () => null
  ) {
    _tracker.widgetAdded.connect((_, panel) => this._add(panel));
    _tracker.currentChanged.connect(() => this._currentChanged.emit(this.current));
    _settings.changed.connect(() => this._onSettings());
    NotebookActions.executionScheduled.connect((_, { notebook, cell }) => {
      notebook.model && this.sessionOf(notebook.model.sharedModel)?.moments.scheduled(cell.model.sharedModel);
      this._onExecution(notebook, cell);
    });
    NotebookActions.executed.connect((_, { notebook, cell }) => {
      notebook.model && this.sessionOf(notebook.model.sharedModel)?.moments.executed(cell.model.id);
      this._onExecution(notebook, cell);
      this._tracker.forEach(panel => panel.content === notebook && this._sessions.get(panel.context)?.listIdeas());
    });
  }

  /** The view of the notebook that the user is in, or was in last. */
  get current(): NotebookView | null {
    const panel = this._tracker.currentWidget;
    return (panel && this._views.get(panel)) ?? null;
  }

  /** A view of that notebook: the current one, where it has several. */
  viewOf(notebook: INotebookModel): NotebookView | null {
    const views = [...this._views.values()].filter(view => view.panel.content.model === notebook);
    return views.find(view => view === this.current) ?? views[0] ?? null;
  }

  /** That notebook's conversation; null where it has none. */
  sessionOf(notebook: ISharedNotebook): NotebookSession | null {
    return [...this._sessions.values()].find(session => session.notebook === notebook) ?? null;
  }

  /** The view in which a cell is; null where that is no notebook's. */
  viewWith(cell: Cell): NotebookView | null {
    return [...this._views.values()].find(view => view.panel.content.widgets.includes(cell)) ?? null;
  }

  /** Every view of a conversation's notebook. */
  viewsOf(session: NotebookSession): NotebookView[] {
    return [...this._views.values()].filter(view => view.session === session);
  }

  /** The conversation of a notebook whose kernel that is; null where there is none. */
  sessionWith(kernelId: string): NotebookSession | null {
    return [...this._sessions.values()].find(({ context }) => context.sessionContext.session?.kernel?.id === kernelId) ?? null;
  }

  get currentChanged(): ISignal<this, NotebookView | null> {
    return this._currentChanged;
  }

  /** A cell began or ended that may have loaded the extension: attach, and be there when its first turn streams. */
  private _onExecution(notebook: Notebook, cell: Cell): void {
    const panel = this._tracker.find(one => one.content === notebook);
    if (panel && LOADS.test(cell.model.sharedModel.source)) {
      void this._sessions.get(panel.context)?.transport.attach({ load: false });
    }
  }

  private _add(panel: NotebookPanel): void {
    void panel.context.ready.then(() => {
      if (!panel.isDisposed && !this._settings.value.hidden) {
        this._show(panel);
      }
    });
  }

  private _show(panel: NotebookPanel): void {
    const session = this._sessionOf(panel.context);
    const view = new NotebookView(panel, session, this._languages, this._settings, this.keys);
    this._views.set(panel, view);
    panel.disposed.connect(() => this._hide(panel));
    if (panel === this._tracker.currentWidget) {
      this._currentChanged.emit(view);
    }
  }

  private _hide(panel: NotebookPanel): void {
    this._views.get(panel)?.dispose();
    this._views.delete(panel);
  }

  private _sessionOf(context: Context): NotebookSession {
    const known = this._sessions.get(context);
    if (known) {
      return known;
    }
    const session = new NotebookSession(context, this._person);
    session.writer.adaptive = this._settings.value.adaptive;
    session.keepsRecords = this._settings.value.recordInNotebook;
    session.mayInterrupt = async turn => !this._settings.value.askBeforeOthers || interrupts(turn);
    new AutoRun(session);
    this._sessions.set(context, session);
    context.disposed.connect(() => this._end(context));
    session.greeted.connect(() => {
      session.providers.configure(this._settings.value);
      session.listIdeas();
    });
    session.decisions.runRequested.connect((_, { cellId, here }) => {
      const views = this.viewsOf(session);
      const view = views.find(view => view === this.current) ?? views[0];
      void session.requestedRuns.follow(cellId, async () => view?.execute(cellId, { moveOn: here }) ?? false);
    });
    this._remember(session);
    return session;
  }

  private _end(context: Context): void {
    this._sessions.get(context)?.dispose();
    this._sessions.delete(context);
  }

  /** Attach where Spark is known to be loaded or another client uses it, and remember where it turns out to be. */
  private _remember(session: NotebookSession): void {
    const { sessionContext } = session.context;
    const attach = async () => {
      const kernel = sessionContext.session?.kernel;
      if (kernel && (isKnownKernel(kernel.id) || (await isSparkAttached(kernel)))) {
        await session.transport.attach({ load: false });
      }
    };
    sessionContext.kernelChanged.connect(() => void attach());
    const attached = sessionContext.ready.then(attach);
    void session.recall(() => Promise.race([attached, new Promise(resolve => window.setTimeout(resolve, LOOK_TIMEOUT))]));
    sessionContext.iopubMessage.connect((_, message) => {
      if (session.transport.status === 'detached' && isSparkEvent(message)) {
        void session.transport.attach({ load: false });
      }
    });
    session.transport.statusChanged.connect((_, status) => {
      const id = sessionContext.session?.kernel?.id;
      if (status === 'ready' && id) {
        const others = rememberedKernels().filter(other => other !== id);
        window.localStorage.setItem(KERNELS_KEY, JSON.stringify([id, ...others].slice(0, MOST_KERNELS)));
      }
    });
  }

  private _onSettings(): void {
    const { hidden, adaptive, recordInNotebook } = this._settings.value;
    this._sessions.forEach(session => {
      session.writer.adaptive = adaptive;
      session.keepsRecords = recordInNotebook;
      session.providers.configure(this._settings.value);
    });
    if (hidden) {
      [...this._views.keys()].forEach(panel => this._hide(panel));
      [...this._sessions.keys()].forEach(context => this._end(context));
    } else {
      this._tracker.forEach(panel => {
        if (!this._views.has(panel) && panel.context.isReady) {
          this._show(panel);
        }
      });
    }
    this._currentChanged.emit(this.current);
  }
}

/** Whether the user wants to stop or steer what is written for somebody else. */
async function interrupts({ by }: FullTurn): Promise<boolean> {
  const { button } = await showDialog({
    title: t('Interrupt this answer?'),
    body: t('It is being written for %1.', by?.name || by?.id || ''),
    buttons: [Dialog.cancelButton(), Dialog.okButton({ label: t('Interrupt') })]
  });
  return button.accept;
}

/** Whether Spark was found to be loaded in that kernel, from this page or one before it. */
export function isKnownKernel(id: string): boolean {
  return rememberedKernels().includes(id);
}

function rememberedKernels(): string[] {
  try {
    const ids: unknown = JSON.parse(window.localStorage.getItem(KERNELS_KEY) ?? '[]');
    return Array.isArray(ids) ? ids.filter(id => typeof id === 'string') : [];
  } catch {
    return []; // somebody else wrote there
  }
}
