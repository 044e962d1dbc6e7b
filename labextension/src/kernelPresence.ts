// Detects that another client speaks with Spark in a kernel.

import type { Kernel, KernelMessage } from '@jupyterlab/services';
import { EVENTS_TARGET } from './constants';

/** Milliseconds for which a kernel may think about its comms: one that runs a cell answers after it. */
const PATIENCE = 1_000;

/** Whether a client has a comm open for Spark's events. Asks for nothing that a kernel without Spark would log. */
export async function isSparkAttached(kernel: Kernel.IKernelConnection): Promise<boolean> {
  const asked = kernel.requestCommInfo({ target_name: EVENTS_TARGET }).then(
    ({ content }) => content.status === 'ok' && Object.keys(content.comms).length > 0,
    () => false // the kernel went meanwhile
  );
  const late = new Promise<boolean>(resolve => window.setTimeout(() => resolve(false), PATIENCE));
  return Promise.race([asked, late]);
}

/** Whether a message of the kernel is an event of Spark's. What is for one client's comm, all clients of the kernel hear. */
export function isSparkEvent({ header, content }: KernelMessage.IMessage): boolean {
  const { data } = content as { data?: { frame?: unknown } };
  return header.msg_type === 'comm_msg' && typeof data?.frame === 'string' && data.frame.startsWith('{"v":');
}
