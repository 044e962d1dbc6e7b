// Runs of proposals in the page that writes, seen from another page.
//
// Only the page that writes runs what a magic asks for. Who pressed Run All in another one holds cells below that magic, and they wait for it.

import { Notification, type ISessionContext } from '@jupyterlab/apputils';
import type { KernelMessage } from '@jupyterlab/services';
import type { NotebookSession } from './notebookSession';
import { t } from './translation';

/** Milliseconds after which a kernel that does nothing is taken to have got nothing. */
const PATIENCE = 30_000;

/** Have the cells that wait here for the run of a cell wait until another page has run it. */
export async function followElsewhere({ context, requestedRuns, store }: NotebookSession, cellId: string): Promise<void> {
  const source = store.state.proposals.get(cellId)?.source ?? '';
  await requestedRuns.follow(cellId, async () => {
    const ran = await ranElsewhere(context.sessionContext, source);
    if (!ran && requestedRuns.held) {
      Notification.warning(t('In the tab that writes this notebook the proposal failed or was not run, so the cells after it did not run.'), { autoClose: 8000 });
    }
    return ran;
  });
}

/** Whether another page has run this code, and it ran well; resolved at its end. */
export async function ranElsewhere(context: Pick<ISessionContext, 'iopubMessage' | 'session'>, code: string): Promise<boolean> {
  let request = '';
  let failed = false;
  return new Promise(resolve => {
    const look = (_: unknown, { header: { msg_type: type }, parent_header: parent, content }: KernelMessage.IMessage) => {
      const id = 'msg_id' in parent ? parent.msg_id : '';
      if (type === 'execute_input' && request === '' && (content as { code: string }).code === code) {
        request = id;
      } else if (id !== '' && id === request) {
        failed ||= type === 'error';
        if (type === 'status' && (content as { execution_state: string }).execution_state === 'idle') {
          end(!failed);
        }
      }
    };
    const timer = setInterval(() => context.session?.kernel?.status === 'busy' || end(false), PATIENCE);
    function end(well: boolean): void {
      clearInterval(timer);
      context.iopubMessage.disconnect(look);
      resolve(well);
    }
    context.iopubMessage.connect(look);
  });
}
