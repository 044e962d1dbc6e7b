// Sentence for the user that explains the connection status.

import type { State } from './state';
import type { Transport } from './transport';
import { t } from './translation';

/** What a state of the wire means for the user; null where all is well. */
export function statusMessage(transport: Transport, state: State): string | null {
  switch (transport.status) {
    case 'no-kernel':
      return t('This notebook has no kernel. Start a Python kernel to use Spark.');
    case 'unsupported':
      return t('Spark works with Python kernels, and this notebook’s kernel is for another language.');
    case 'connecting':
      return t('Connecting to the kernel…');
    case 'waiting':
      return t('The kernel is running a cell. Spark starts when it ends.');
    case 'offline':
      return t('The connection to the server is lost. Reconnecting… Nothing that was written is lost.');
    case 'failed':
      return transport.problem;
    case 'detached':
      return null;
    case 'ready':
      return state.hello?.subshells === false
        ? t('Commands of this kernel can’t be taken while a cell runs: they wait for the running cell. Install ipykernel 7 to change that.')
        : null;
  }
}
