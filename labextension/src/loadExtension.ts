// Loads the Spark extension into a kernel, silently.

import type { Kernel, KernelMessage } from '@jupyterlab/services';
import { LOAD_EXTENSION } from './constants';
import { t } from './translation';

/** Milliseconds after which a kernel that has not begun with it runs something else. Its status does not say so: a subshell makes it idle. */
const BEGINS = 500;
/** A kernel whose cell fails drops what waits behind it, this too. So many cells that fail one after the other are outlived. */
const MOST_TRIES = 20;

/**
 * Load it silently; where it is loaded, nothing happens. Returns why it can't be, a sentence; null where all is well. `waiting` is called
 * where a running cell must end first.
 */
export async function loadExtension(kernel: Kernel.IKernelConnection, waiting: () => void): Promise<string | null> {
  let content = await execute(kernel, waiting);
  for (let tries = 1; content.status === 'aborted' && tries < MOST_TRIES; tries += 1) {
    content = await execute(kernel, waiting);
  }
  if (content.status === 'ok') {
    return null;
  }
  if (content.status === 'error' && content.ename === 'ModuleNotFoundError') {
    return t('This kernel has no spark_jupyter. Run %pip install spark-jupyter in a cell, then restart the kernel.');
  }
  const detail = content.status === 'error' ? `${content.ename}: ${content.evalue}` : 'aborted';
  return t('The Spark extension could not be loaded in this kernel (%1).', detail);
}

async function execute(kernel: Kernel.IKernelConnection, waiting: () => void): Promise<KernelMessage.IExecuteReplyMsg['content']> {
  const future = kernel.requestExecute({ code: LOAD_EXTENSION, silent: true, store_history: false, stop_on_error: false });
  const late = window.setTimeout(waiting, BEGINS);
  future.onIOPub = () => window.clearTimeout(late);
  const { content } = await future.done.finally(() => window.clearTimeout(late));
  return content;
}
