// Registers suggestions with JupyterLab: editors, cells, hosts.

import type { JupyterFrontEnd } from '@jupyterlab/application';
import type { ICommandPalette } from '@jupyterlab/apputils';
import { EditorExtensionRegistry, type IEditorExtensionRegistry } from '@jupyterlab/codemirror';
import type { ICompletionProviderManager, IInlineCompletionContext } from '@jupyterlab/completer';
import { ConsolePanel, type IConsoleTracker } from '@jupyterlab/console';
import { NotebookActions, NotebookPanel } from '@jupyterlab/notebook';
import type { ISettingRegistry } from '@jupyterlab/settingregistry';
import type { ISharedCell, ISharedFile } from '@jupyter/ydoc';
import type { NotebookSession } from '../notebookSession';
import type { Sessions } from '../sessions';
import type { SettingsModel } from '../settings';
import { addSuggestionCommands } from './suggestionCommands';
import { ConsoleHost, NotebookHost, type SuggestionHost } from './suggestionHosts';
import { fileCell, pythonFileOf } from './fileCell';
import { IDENTIFIER, InlineProvider } from './inlineProvider';
import { Suggester, type Surface } from './suggester';

const INLINE_COMPLETER = '@jupyterlab/completer-extension:inline-completer';

/** What suggestions need; what is null is not there. */
export interface SuggestionServices {
  readonly app: JupyterFrontEnd;
  readonly sessions: Sessions;
  readonly settings: SettingsModel;
  readonly palette: ICommandPalette | null;
  readonly extensions: IEditorExtensionRegistry | null;
  readonly consoles: IConsoleTracker | null;
  readonly completions: ICompletionProviderManager | null;
  readonly registry: ISettingRegistry | null;
}

/** Have suggestions in every editor that is made from now on. */
export function addSuggestions(services: SuggestionServices): { suggester: Suggester; hosts: SuggestionHosts } {
  const { app, sessions, settings, palette, extensions, consoles, completions } = services;
  const hosts = new SuggestionHosts(sessions, consoles, cell => pythonFileOf(cell, app));
  const others = new OtherProviders(services);
  const surface: Surface = {
    hostOf: cell => hosts.of(cell),
    isFile: cell => pythonFileOf(cell, app) !== null,
    get otherProvider() {
      return others.shown;
    }
  };
  const suggester = new Suggester(settings, surface, app.commands);
  others.onChange = () => suggester.update();
  extensions?.addExtension({
    name: 'spark-suggestions',
    factory: ({ model }) => {
      const { sharedModel } = model;
      const cell = 'cell_type' in sharedModel ? (sharedModel as ISharedCell) : fileCell(sharedModel as ISharedFile);
      return EditorExtensionRegistry.createImmutableExtension(suggester.extensionFor(cell));
    }
  });
  NotebookActions.executionScheduled.connect((_, { cell }) => hosts.of(cell.model.sharedModel)?.runs());
  NotebookActions.executed.connect((_, { cell }) => {
    const host = hosts.of(cell.model.sharedModel);
    if (host) {
      suggester.ran(host);
    }
  });
  completions?.registerInlineProvider(
    new InlineProvider({
      cellIn,
      hostOf: cell => hosts.of(cell),
      wanted: (host, byKey) => {
        const { mode } = suggester.decisionFor(host, { surface: false });
        return byKey ? mode !== 'off' : mode === 'on' && host.transport.status === 'ready';
      }
    })
  );
  addSuggestionCommands(app.commands, palette, suggester, () => others.shown !== null || settings.value.hidden);
  return { suggester, hosts };
}

/** The notebooks and consoles there are. A file is with the console that was made for it. */
export class SuggestionHosts {
  private readonly _notebooks = new Map<NotebookSession, NotebookHost>();
  private readonly _consoles: ConsoleHost[] = [];

  constructor(
    private readonly _sessions: Sessions,
    consoles: IConsoleTracker | null,
    private readonly _fileOf: (cell: ISharedCell) => string | null
  ) {
    consoles?.widgetAdded.connect((_, panel) => this._addConsole(panel));
  }

  /** Where a cell is, or the console of a file; null: nowhere. */
  of(cell: ISharedCell): SuggestionHost | null {
    const session = cell.notebook && this._sessions.sessionOf(cell.notebook);
    const file = this._fileOf(cell);
    return session ? this.ofNotebook(session) : (this._consoles.find(host => (file === null ? host.holds(cell) : host.path === file)) ?? null);
  }

  ofNotebook(session: NotebookSession): NotebookHost {
    const known = this._notebooks.get(session);
    if (known) {
      return known;
    }
    const host = new NotebookHost(session);
    this._notebooks.set(session, host);
    session.context.disposed.connect(() => {
      host.dispose();
      this._notebooks.delete(session);
    });
    return host;
  }

  private _addConsole(panel: ConsolePanel): void {
    const host = new ConsoleHost(panel, this._sessions);
    this._consoles.push(host);
    panel.disposed.connect(() => {
      host.dispose();
      this._consoles.splice(this._consoles.indexOf(host), 1);
    });
  }
}

/** Whose suggestions JupyterLab's own inline completer shows. */
class OtherProviders {
  onChange: () => void = () => undefined;
  private _shown: string | null = null;

  constructor({ app, registry, completions }: SuggestionServices) {
    if (registry && completions) {
      // After this JupyterLab has put the providers into these settings.
      void app.restored.then(async () => {
        const settings = await registry.load(INLINE_COMPLETER);
        const take = () => this._take(settings.composite.providers, completions);
        settings.changed.connect(take);
        take();
      }).catch((error: unknown) => console.warn('Spark: the settings of the Inline Completer can’t be read', error));
    }
  }

  /** By its name; null where it shows none. */
  get shown(): string | null {
    return this._shown;
  }

  private _take(providers: unknown, completions: ICompletionProviderManager): void {
    const enabled = Object.entries((providers ?? {}) as Record<string, { enabled?: boolean } | null>).filter(([, one]) => one?.enabled);
    const known = completions.inlineProviders ?? [];
    const names = enabled.map(([id]) => (id === IDENTIFIER ? 'Spark' : known.find(one => one.identifier === id)?.name)).filter(name => name !== undefined);
    const shown = names.length > 0 ? names.join(', ') : null;
    if (shown !== this._shown) {
      this._shown = shown;
      this.onChange();
    }
  }
}

function cellIn({ widget }: IInlineCompletionContext): ISharedCell | null {
  const cell = widget instanceof NotebookPanel ? widget.content.activeCell : widget instanceof ConsolePanel ? widget.console.promptCell : null;
  return cell?.model.sharedModel ?? null;
}
