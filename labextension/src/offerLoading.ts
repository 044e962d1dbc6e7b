// Offer to load the extension where a kernel does not know %spark.

import { Notification } from '@jupyterlab/apputils';
import type { Cell, CodeCell } from '@jupyterlab/cells';
import type { IConsoleTracker } from '@jupyterlab/console';
import { NotebookActions } from '@jupyterlab/notebook';
import type { Kernel } from '@jupyterlab/services';
import { AUTOLOAD } from './constants';
import { loadExtension } from './loadExtension';
import { runMagic } from './runMagic';
import type { Sessions } from './sessions';
import { t } from './translation';
import { isUnknownThere } from './unknownMagic';

let last = '';

/** Look at the cells that run in notebooks and consoles. Nothing is loaded before the user says so. */
export function offerLoading(sessions: Sessions, consoles: IConsoleTracker | null): void {
  NotebookActions.executed.connect((_, { notebook, cell }) => {
    const session = notebook.model && sessions.viewOf(notebook.model)?.session;
    const kernel = session?.context.sessionContext.session?.kernel;
    if (session && kernel && isUnknown(cell)) {
      offer(kernel, async () => {
        await session.transport.attach({ load: false });
        await NotebookActions.runCells(notebook, [cell], session.context.sessionContext);
      });
    }
  });
  consoles?.widgetAdded.connect((_, { console: { cells, executed, sessionContext } }) =>
    executed.connect(() => {
      const { kernel } = sessionContext.session ?? {};
      if (kernel && cells.length > 0 && isUnknown(cells.get(cells.length - 1))) {
        offer(kernel);
      }
    })
  );
}

function isUnknown({ model }: Cell): boolean {
  return model.type === 'code' && isUnknownThere(model.sharedModel.source, (model as CodeCell['model']).outputs.toJSON());
}

function offer(kernel: Kernel.IKernelConnection, then?: () => Promise<void>): void {
  const load = async (everywhere: boolean) => {
    const problem = await loadExtension(kernel, () => undefined);
    if (problem !== null) {
      Notification.error(problem, { autoClose: false });
      return;
    }
    if (everywhere) {
      const { ok, text } = await runMagic(kernel, AUTOLOAD);
      Notification.emit(text, ok ? 'success' : 'warning', { autoClose: ok ? 5000 : false });
    }
    await then?.();
  };
  Notification.dismiss(last);
  last = Notification.info(t('Spark is not loaded in this kernel.'), {
    autoClose: false,
    actions: [
      { label: t('Load it'), callback: () => void load(false) },
      { label: t('Load it in every kernel'), caption: t('Adds a startup file to your IPython profile; %spark autoload off removes it'), callback: () => void load(true) }
    ]
  });
}
