// Status of the connection to the kernel.

import { type ISignal, Signal } from '@lumino/signaling';
import type { IDisposable } from '@lumino/disposable';

/** How it stands. */
export type Status =
  /** There is no kernel. */
  | 'no-kernel'
  /** The kernel is not for Python. */
  | 'unsupported'
  /** There is a kernel, and nobody has asked for Spark yet. */
  | 'detached'
  /** The comms are being opened. */
  | 'connecting'
  /** A running cell must end before the kernel can answer. */
  | 'waiting'
  | 'ready'
  /** The server can't be reached. */
  | 'offline'
  /** The extension can't be loaded in this kernel, or speaks another version. `problem` says what to do. */
  | 'failed';

/** Whether nobody can take what is sent; the status says why. */
export function isClosed(status: Status): boolean {
  return status === 'failed' || status === 'unsupported' || status === 'no-kernel';
}

/** It, and why. */
export class ConnectionStatus implements IDisposable {
  private readonly _changed = new Signal<this, Status>(this);
  private _status: Status = 'no-kernel';
  private _problem = '';
  private _disposed = false;

  get status(): Status {
    return this._status;
  }

  /** Why it is `failed`; empty otherwise. */
  get problem(): string {
    return this._problem;
  }

  get changed(): ISignal<this, Status> {
    return this._changed;
  }

  set(status: Status, problem = ''): void {
    if (this._disposed || (this._status === status && this._problem === problem)) {
      return;
    }
    this._status = status;
    this._problem = status === 'failed' ? problem : '';
    this._changed.emit(status);
  }

  get isDisposed(): boolean {
    return this._disposed;
  }

  /** It stays as it is from here on. */
  dispose(): void {
    this._disposed = true;
    Signal.clearData(this);
  }
}
