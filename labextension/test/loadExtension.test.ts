import type { Kernel } from '@jupyterlab/services';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { loadExtension } from '../src/loadExtension';

/** A kernel that answers when it is told to. */
function kernel() {
  let answer: (reply: object) => void = () => undefined;
  const future = { done: new Promise<object>(resolve => (answer = resolve)), onIOPub: () => undefined };
  return { connection: { requestExecute: () => future } as unknown as Kernel.IKernelConnection, future, answer };
}

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal('window', globalThis);
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

it('says that a running cell must end first, whatever the kernel’s status is', async () => {
  const { connection, answer } = kernel();
  const waiting = vi.fn();
  const loaded = loadExtension(connection, waiting);
  vi.runAllTimers();
  expect(waiting).toHaveBeenCalledTimes(1);
  answer({ content: { status: 'ok' } });
  expect(await loaded).toBeNull();
});

it('says nothing of the kind where the kernel has begun with it, however long it takes', async () => {
  const { connection, future, answer } = kernel();
  const waiting = vi.fn();
  const loaded = loadExtension(connection, waiting);
  future.onIOPub();
  vi.runAllTimers();
  answer({ content: { status: 'ok' } });
  await loaded;
  expect(waiting).not.toHaveBeenCalled();
});

it('asks again where a cell that failed made the kernel drop the request', async () => {
  const replies = [{ status: 'aborted' }, { status: 'aborted' }, { status: 'ok' }];
  const requestExecute = vi.fn(() => ({ done: Promise.resolve({ content: replies.shift() }), onIOPub: () => undefined }));
  expect(await loadExtension({ requestExecute } as unknown as Kernel.IKernelConnection, vi.fn())).toBeNull();
  expect(requestExecute).toHaveBeenCalledTimes(3);
});
