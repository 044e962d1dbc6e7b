// JupyterLab plugin: creates Spark's parts and connects them.
//
// transport.ts is attached to the kernel; notebookSession.ts is one notebook's conversation, state.ts its state, reducer.ts how that
// changes. liveWriter.ts, documentApplier.ts and turnRecorder.ts alone change the document; cellExecutor.ts is on the way of every cell to
// the kernel. notebookView.ts and cellDecorations.ts show what belongs to a cell, panel/ the rest. suggest/ has ghost text and nextedit/
// the edits that should follow an edit.

import { ILabShell, ILayoutRestorer, type JupyterFrontEnd, type JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ICommandPalette, Notification } from '@jupyterlab/apputils';
import { IEditorExtensionRegistry, IEditorLanguageRegistry } from '@jupyterlab/codemirror';
import { ICompletionProviderManager } from '@jupyterlab/completer';
import { IConsoleTracker } from '@jupyterlab/console';
import { INotebookCellExecutor, INotebookTracker } from '@jupyterlab/notebook';
import { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import { ISettingRegistry } from '@jupyterlab/settingregistry';
import { IStatusBar } from '@jupyterlab/statusbar';
import { addCommands } from './commands';
import { confirmBeforeSending } from './consoleConsent';
import { confirmBeforeRunning, ConsentingExecutor } from './cellExecutor';
import { sparkIcon } from './icons';
import { InlinePrompts } from './inlinePrompt';
import { addNextEdits } from './nextedit/setup';
import { widenOnce } from './panelWidth';
import { addConnectDialog } from './panel/connectDialog';
import { PanelModel } from './panel/panelModel';
import { SparkPanel } from './panel/panel';
import { Sessions } from './sessions';
import { SettingsModel } from './settings';
import { keysOf } from './shortcuts';
import { addSuggestions } from './suggest/setup';
import { addStatusItem } from './suggest/statusItem';

const PLUGIN = 'spark-jupyter:plugin';

/** Takes the place of JupyterLab's own, which it calls. Where another extension provides one too, that one is asked to wait for us. */
const executor: JupyterFrontEndPlugin<INotebookCellExecutor> = {
  id: 'spark-jupyter:cell-executor',
  description: 'Runs cells; one that is proposed and not decided on is decided on first.',
  autoStart: true,
  provides: INotebookCellExecutor,
  activate: () => new ConsentingExecutor()
};

const plugin: JupyterFrontEndPlugin<void> = {
  id: PLUGIN,
  description: 'A pair programmer: cells that stream live into the notebook.',
  autoStart: true,
  requires: [INotebookTracker, IRenderMimeRegistry, IEditorLanguageRegistry],
  optional: [ISettingRegistry, ICommandPalette, ILayoutRestorer, ILabShell, INotebookCellExecutor, IEditorExtensionRegistry, IConsoleTracker, ICompletionProviderManager, IStatusBar],
  activate
};

const NOT_ASKED =
  'Another extension runs the cells here: Shift-Enter and Run All leave blocked proposals out without a question. Use the buttons below the cell.';

async function activate(
  app: JupyterFrontEnd,
  tracker: INotebookTracker,
  rendermime: IRenderMimeRegistry,
  languages: IEditorLanguageRegistry,
  registry: ISettingRegistry | null,
  palette: ICommandPalette | null,
  restorer: ILayoutRestorer | null,
  labShell: ILabShell | null,
  cellExecutor: INotebookCellExecutor | null,
  extensions: IEditorExtensionRegistry | null,
  consoles: IConsoleTracker | null,
  completions: ICompletionProviderManager | null,
  statusBar: IStatusBar | null
): Promise<void> {
  const settings = new SettingsModel();
  const sessions = new Sessions(tracker, languages, settings, command => keysOf(app.commands, command));
  const suggestions = addSuggestions({ app, sessions, settings, palette, extensions, consoles, completions, registry });
  addStatusItem(statusBar, { ...suggestions, sessions, commands: app.commands });
  addNextEdits({ app, sessions, settings, palette, extensions });
  const panelModel = new PanelModel(sessions, settings);
  addConnectDialog(panelModel);
  if (!confirmBeforeRunning(cellExecutor, (notebook, cell) => sessions.viewOf(notebook)?.consent.toRun(cell) ?? null)) {
    Notification.warning(NOT_ASKED, { autoClose: false });
  }
  confirmBeforeSending(app.commands, () => sessions.current?.consentOfActive() ?? null);
  let panel: SparkPanel | null = null;

  const show = () => {
    if (!panel && !settings.value.hidden) {
      panel = new SparkPanel(panelModel, { rendermime, commands: app.commands, suggestions });
      panel.id = 'spark-panel';
      panel.title.icon = sparkIcon;
      panel.title.caption = 'Spark';
      restorer?.add(panel, 'spark-panel');
      app.shell.add(panel, 'right', { rank: 200, type: 'Spark' });
    }
  };
  const open = () => {
    show();
    if (panel) {
      app.shell.activateById(panel.id);
      labShell?.expandRight();
      const shown = panel;
      window.requestAnimationFrame(() => widenOnce(shown)); // when it has been laid out
    }
  };
  addCommands({ commands: app.commands, palette, settings, panel: panelModel, inline: new InlinePrompts(panelModel, rendermime, open), open });

  settings.changed.connect((_, { hidden }) => {
    if (hidden) {
      panel?.dispose();
      panel = null;
    } else {
      show();
    }
  });
  if (registry) {
    await settings.connect(registry, PLUGIN).catch((error: unknown) => console.error('Spark: no settings', error));
  }
  show();
  if (settings.value.openAtStart) {
    void app.restored.then(open);
  }
}

export default [executor, plugin];
