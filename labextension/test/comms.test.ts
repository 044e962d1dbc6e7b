import type { Kernel } from '@jupyterlab/services';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { commConnection, CommPair } from '../src/comms';

function kernel(fields: object): Kernel.IKernelConnection & Record<string, unknown> {
  const comm = { isDisposed: false, dispose: vi.fn(), open: vi.fn(), send: vi.fn() };
  const made = { isDisposed: false, info: Promise.resolve({}), createComm: vi.fn(() => comm), dispose: vi.fn(), ...fields };
  return made as unknown as ReturnType<typeof kernel>;
}

const LISTENER = { onFrame: () => undefined, onAnswer: () => undefined, onClosed: () => undefined };

describe('commConnection', () => {
  beforeEach(() => {
    vi.useFakeTimers();
    vi.stubGlobal('window', globalThis);
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });

  it('is the notebook’s own connection where that has comms', async () => {
    const own = kernel({ handleComms: true, clone: vi.fn() });
    expect(await commConnection(own)).toBe(own);
    expect(own.clone).not.toHaveBeenCalled();
  });

  it('is another one where the first notebook of the kernel has them, which takes no comm that the kernel opens', async () => {
    const closes = vi.fn(() => Promise.reject(new Error('JupyterLab closes a comm without a target')));
    const second = kernel({ handleComms: true, _handleCommOpen: closes });
    const clone = vi.fn(() => second);
    const connection = await commConnection(kernel({ handleComms: false, commsOverSubshells: 'per-comm-target', clone }));
    expect(clone).toHaveBeenCalledWith({ handleComms: true });
    expect(connection).toBe(second);
    expect(second.commsOverSubshells).toBe('per-comm-target');
    await (second._handleCommOpen as () => Promise<void>)();
    expect(closes).not.toHaveBeenCalled();
  });

  it.each(['close', 'abandon'] as const)('ends with the pair that it is for: %s', how => {
    const [own, shared] = [kernel({}), kernel({})];
    new CommPair(own, LISTENER, true)[how]();
    new CommPair(shared, LISTENER)[how]();
    vi.runAllTimers();
    expect(own.dispose).toHaveBeenCalledOnce();
    expect(shared.dispose).not.toHaveBeenCalled();
  });
});
