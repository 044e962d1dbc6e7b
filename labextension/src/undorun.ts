// Undo of the last run, from the palette: the kernel does it, when it has nothing else to do, and says what came of it.

import { Notification } from '@jupyterlab/apputils';
import type { Kernel } from '@jupyterlab/services';
import type * as nbformat from '@jupyterlab/nbformat';
import { plain } from './dom';

const UNDO = '%spark undo';

/** Have the kernel bring back what the last cell changed, and tell the user. */
export async function undoLastRun(kernel: Kernel.IKernelConnection): Promise<void> {
  const said: string[] = [];
  const future = kernel.requestExecute({ code: UNDO, silent: false, store_history: false, stop_on_error: false });
  future.onIOPub = ({ header, content }) => {
    if (header.msg_type === 'stream') {
      said.push((content as nbformat.IStream).text as string);
    } else if (header.msg_type === 'error') {
      said.push((content as nbformat.IError).evalue);
    }
  };
  const reply = await future.done;
  const text = plain(said.join('')).trim();
  if (reply.content.status === 'ok') {
    Notification.info(text, { autoClose: 10000 });
  } else {
    Notification.warning(text || 'The run was not undone.', { autoClose: false });
  }
}
