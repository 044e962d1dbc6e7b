// Creates Spark's parts and connects them.
//
// transport.ts is attached to the kernel; notebookSession.ts is one notebook's conversation, state.ts its state, reducer.ts how that
// changes. liveWriter.ts, documentApplier.ts and turnRecorder.ts alone change the document; cellExecutor.ts is on the way of every cell to
// the kernel. notebookView.ts and cellDecorations.ts show what belongs to a cell, panel/ the rest. suggest/ has ghost text, nextedit/
// the edits that should follow an edit, draft/ the code for what is being typed.

import type { ILabShell, ILayoutRestorer, JupyterFrontEnd } from '@jupyterlab/application';
import type { ICommandPalette } from '@jupyterlab/apputils';
import type { IEditorExtensionRegistry, IEditorLanguageRegistry } from '@jupyterlab/codemirror';
import type { ICompletionProviderManager } from '@jupyterlab/completer';
import type { IConsoleTracker } from '@jupyterlab/console';
import type { INotebookCellExecutor, INotebookTracker } from '@jupyterlab/notebook';
import type { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import type { ISettingRegistry } from '@jupyterlab/settingregistry';
import type { IStatusBar } from '@jupyterlab/statusbar';
import { addCommands } from './commands';
import { confirmBeforeSending } from './consoleConsent';
import { confirmBeforeRunning } from './cellExecutor';
import { sparkIcon } from './icons';
import { InlinePrompts } from './inlinePrompt';
import { addDraftMode } from './draft/setup';
import { addNextEdits } from './nextedit/setup';
import { widenOnce } from './panelWidth';
import { addConnectDialog } from './panel/connectDialog';
import { PanelModel } from './panel/panelModel';
import { SparkPanel } from './panel/panel';
import { Sessions } from './sessions';
import { SettingsModel } from './settings';
import { personOf } from './person';
import { keysOf } from './shortcuts';
import { addSuggestions } from './suggest/setup';
import { offerLoading } from './offerLoading';
import { addStatusItem } from './suggest/statusItem';

export { learn } from './kernelTexts';

/** Create Spark's parts; what is null is not there. */
export async function activate(
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
  const sessions = new Sessions(tracker, languages, settings, command => keysOf(app.commands, command), () => personOf(app.serviceManager.user.identity));
  const suggestions = addSuggestions({ app, sessions, settings, palette, extensions, consoles, completions, registry });
  offerLoading(sessions, consoles);
  addStatusItem(statusBar, { ...suggestions, sessions, commands: app.commands });
  addNextEdits({ app, sessions, settings, palette, extensions });
  const panelModel = new PanelModel(sessions, settings, command => void app.commands.execute(command));
  addDraftMode({ app, panel: panelModel, sessions, settings, palette, extensions, statusBar });
  addConnectDialog(panelModel);
  confirmBeforeRunning(cellExecutor, {
    consent: cell => sessions.viewWith(cell)?.consent.toRun(cell) ?? null,
    requested: cell => sessions.viewWith(cell)?.session.requestedRuns ?? null
  });
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
  addCommands({ commands: app.commands, contents: app.serviceManager.contents, palette, settings, panel: panelModel, inline: new InlinePrompts(panelModel, rendermime, open), open });

  settings.changed.connect((_, { hidden }) => {
    if (hidden) {
      panel?.dispose();
      panel = null;
    } else {
      show();
    }
  });
  if (registry) {
    await settings.connect(registry).catch((error: unknown) => console.error('Spark: no settings', error));
  }
  show();
  if (settings.value.openAtStart) {
    void app.restored.then(open);
  }
}
