// WebSocket to the server extension for completions, bypassing kernel channels.
//
// Nothing depends on it. It is opened with the first request, and used from the first quiet moment at which it is ready: requests on the
// comms must not be overtaken. Where it ends the comms carry everything, and it is tried again later.

import { PageConfig, URLExt } from '@jupyterlab/coreutils';
import type { Kernel } from '@jupyterlab/services';
import { type Attach, type Command, PROTOCOL_VERSION } from './messages';
import { UNCOUNTED } from './outbox';

/** Milliseconds after which a line that ended is opened again, by the next question. */
const AGAIN = 30_000;

/** What the line is part of. */
export interface SocketOwner {
  /** Who is here. */
  attach(): Attach;
  onFrame(frame: string): void;
}

/** What is used of a WebSocket. */
export type Socket = Pick<WebSocket, 'send' | 'close' | 'onopen' | 'onmessage' | 'onclose'>;

/** One attachment's line. */
export class CompletionSocket {
  private _socket: Socket | null = null;
  /** The kernel has answered. */
  private _stands = false;
  private _used = false;
  private _ways = 0;
  private _triedAt = Number.NEGATIVE_INFINITY;
  private _closed = false;

  constructor(
    private readonly _dial: () => Socket,
    private readonly _owner: SocketOwner
  ) {}

  /** The way that the next question takes, as a number. `quiet`: nothing that went by the comms is still under way. */
  settle({ quiet }: { quiet: boolean }): number {
    this._open();
    if (this._stands && quiet && !this._used) {
      this._used = true;
      this._ways += 1;
    }
    return this._ways;
  }

  /** Send, if it is in use; whether it is. */
  send(command: Command): boolean {
    if (this._used) {
      this._say(command);
    }
    return this._used;
  }

  close(): void {
    this._closed = true;
    this._socket?.close();
    this._end();
  }

  private _open(): void {
    const now = performance.now();
    if (this._socket || this._closed || now - this._triedAt < AGAIN) {
      return;
    }
    this._triedAt = now;
    const socket = (this._socket = this._dial());
    socket.onopen = () => this._say(this._owner.attach());
    socket.onmessage = ({ data }: MessageEvent<string>) => {
      this._stands = true;
      this._owner.onFrame(data);
    };
    socket.onclose = () => this._socket === socket && this._end();
  }

  private _say(command: Command): void {
    this._socket?.send(JSON.stringify({ v: PROTOCOL_VERSION, seq: UNCOUNTED, msgs: [command] }));
  }

  private _end(): void {
    this._ways += this._used ? 1 : 0;
    this._socket = null;
    this._stands = this._used = false;
  }
}

/** The line to a kernel; null where Jupyter's server offers none. */
export function openCompletionSocket(kernel: Kernel.IKernelConnection, party: SocketOwner): CompletionSocket | null {
  if (PageConfig.getOption('sparkLine') !== 'true') {
    return null;
  }
  const { WebSocket, wsUrl, token, appendToken } = kernel.serverSettings;
  const query = appendToken && token !== '' ? `?token=${encodeURIComponent(token)}` : '';
  const url = URLExt.join(wsUrl, 'spark/line', encodeURIComponent(kernel.id)) + query;
  return new CompletionSocket(() => new WebSocket(url), party);
}
