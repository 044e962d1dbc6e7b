// Runs a magic of Spark in the kernel and returns its text.

import type * as nbformat from '@jupyterlab/nbformat';
import type { Kernel } from '@jupyterlab/services';
import { plain } from './plainText';

/** Run one of our magics; what it said. */
export async function runMagic(kernel: Kernel.IKernelConnection, code: string): Promise<{ ok: boolean; text: string }> {
  const said: string[] = [];
  const future = kernel.requestExecute({ code, silent: false, store_history: false, stop_on_error: false });
  future.onIOPub = ({ header, content }) => {
    if (header.msg_type === 'stream') {
      said.push((content as nbformat.IStream).text as string);
    } else if (header.msg_type === 'error') {
      said.push((content as nbformat.IError).evalue);
    }
  };
  const { content } = await future.done;
  return { ok: content.status === 'ok', text: plain(said.join('')).trim().replace(/^UsageError: /, '') };
}
