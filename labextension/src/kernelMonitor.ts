// Monitor of one session's kernel: replaced, restarted, dead, idle, disconnected.

import type { ISessionContext } from '@jupyterlab/apputils';
import type { Kernel, KernelMessage } from '@jupyterlab/services';
import { Signal } from '@lumino/signaling';
import type { IDisposable } from '@lumino/disposable';

/** Who is told. */
export interface KernelListener {
  /** There is another kernel, or none any more. */
  onReplaced(): void;
  /** `speaks`: it was somebody else's doing, and the new kernel speaks already. */
  onRestarted(how: { speaks: boolean }): void;
  onDied(): void;
  onIdle(): void;
  /** Whether its socket is open now. */
  onConnection(connected: boolean): void;
}

/** Watches one session until it is disposed of. */
export class KernelMonitor implements IDisposable {
  constructor(
    private readonly _context: ISessionContext,
    private readonly _listener: KernelListener
  ) {
    _context.kernelChanged.connect(this._onKernelChanged, this);
    _context.statusChanged.connect(this._onStatus, this);
    _context.connectionStatusChanged.connect(this._onConnection, this);
    _context.iopubMessage.connect(this._onMessage, this);
  }

  get isDisposed(): boolean {
    return this._disposed;
  }

  dispose(): void {
    this._disposed = true;
    Signal.clearData(this);
  }

  private _onKernelChanged(): void {
    this._speaker = '';
    this._listener.onReplaced();
  }

  private _onStatus(): void {
    const status = this._context.session?.kernel?.status;
    if (status === 'restarting' || status === 'autorestarting') {
      this._speaker = '';
      this._listener.onRestarted({ speaks: false });
    } else if (status === 'dead' || status === 'terminating') {
      this._speaker = '';
      this._listener.onDied();
    } else if (status === 'idle') {
      this._listener.onIdle();
    }
  }

  /**
   * Jupyter says that a kernel restarts only to the client that asked for it. To the others the new kernel just speaks, in a session of
   * its own, over the sockets there were. What has no parent comes from the server.
   */
  private _onMessage(_: ISessionContext, { header, parent_header: parent }: KernelMessage.IMessage): void {
    if (!('session' in parent) || header.session === this._speaker) {
      return;
    }
    const before = this._speaker;
    this._speaker = header.session;
    if (before !== '') {
      this._listener.onRestarted({ speaks: true });
    }
  }

  private _onConnection(): void {
    this._listener.onConnection(this._context.session?.kernel?.connectionStatus === 'connected');
  }

  /** The session in whose name the kernel speaks: another one in each of its processes. */
  private _speaker = '';
  private _disposed = false;
}

/** Whether an error is one, and not only what JupyterLab says of a request that it cancelled because the kernel restarts or goes. */
export function isFault(error: unknown, kernel: Kernel.IKernelConnection): boolean {
  const isCancelled = error instanceof Error && error.message.startsWith('Canceled');
  return kernel.status !== 'dead' && !kernel.isDisposed && !isCancelled;
}
