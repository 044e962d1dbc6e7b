// JupyterLab plugins of Spark.
//
// All that shows a text is loaded when the language is known: activate.ts and what it imports.

import { ILabShell, ILayoutRestorer, type JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ICommandPalette } from '@jupyterlab/apputils';
import { IEditorExtensionRegistry, IEditorLanguageRegistry } from '@jupyterlab/codemirror';
import { ICompletionProviderManager } from '@jupyterlab/completer';
import { IConsoleTracker } from '@jupyterlab/console';
import { INotebookCellExecutor, INotebookTracker } from '@jupyterlab/notebook';
import { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import { ISettingRegistry } from '@jupyterlab/settingregistry';
import { IStatusBar } from '@jupyterlab/statusbar';
import { ITranslator } from '@jupyterlab/translation';
import { ConsentingExecutor } from './cellExecutor';
import { language, setTranslator } from './translation';

/** Takes the place of JupyterLab's own, which it calls. Where another extension provides one too, that one is asked to wait for us. */
const executor: JupyterFrontEndPlugin<INotebookCellExecutor> = {
  id: 'spark-jupyter:cell-executor',
  description: 'Runs cells; one that is proposed and not decided on is decided on first.',
  autoStart: true,
  provides: INotebookCellExecutor,
  activate: () => new ConsentingExecutor()
};

const plugin: JupyterFrontEndPlugin<void> = {
  id: 'spark-jupyter:plugin',
  description: 'A pair programmer: cells that stream live into the notebook.',
  autoStart: true,
  requires: [INotebookTracker, IRenderMimeRegistry, IEditorLanguageRegistry],
  optional: [
    ITranslator,
    ISettingRegistry,
    ICommandPalette,
    ILayoutRestorer,
    ILabShell,
    INotebookCellExecutor,
    IEditorExtensionRegistry,
    IConsoleTracker,
    ICompletionProviderManager,
    IStatusBar
  ],
  activate: async (app, tracker: INotebookTracker, rendermime: IRenderMimeRegistry, languages: IEditorLanguageRegistry, translator: ITranslator | null, ...others) => {
    setTranslator(translator);
    const { activate, learn } = await import('./activate');
    if (!language().startsWith('en')) {
      learn((await import('./translatedTexts')).TRANSLATED_TEXTS);
    }
    await activate(app, tracker, rendermime, languages, ...(others as OptionalServices));
  }
};

type OptionalServices = [
  ISettingRegistry | null,
  ICommandPalette | null,
  ILayoutRestorer | null,
  ILabShell | null,
  INotebookCellExecutor | null,
  IEditorExtensionRegistry | null,
  IConsoleTracker | null,
  ICompletionProviderManager | null,
  IStatusBar | null
];

export default [executor, plugin];
