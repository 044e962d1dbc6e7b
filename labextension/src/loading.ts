// Loading the Spark extension into a kernel that has not asked for it itself.

import type { Kernel } from '@jupyterlab/services';

const LOAD = '%load_ext spark_jupyter';

/** Load it silently; where it is loaded, nothing happens. Returns why it can't be, a sentence; null where all is well. */
export async function loadExtension(kernel: Kernel.IKernelConnection): Promise<string | null> {
  const request = { code: LOAD, silent: true, store_history: false, stop_on_error: false };
  const { content } = await kernel.requestExecute(request).done;
  if (content.status === 'ok') {
    return null;
  }
  if (content.status === 'error' && content.ename === 'ModuleNotFoundError') {
    return 'This kernel has no spark_jupyter. Run %pip install spark-jupyter in a cell, then restart the kernel.';
  }
  const detail = content.status === 'error' ? `${content.ename}: ${content.evalue}` : 'aborted';
  return `The Spark extension could not be loaded in this kernel (${detail}).`;
}
