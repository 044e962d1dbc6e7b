// The two Jupyter comms of one attachment, opened and closed once.
//
// Commands go out on one comm and events come in on another, because ipykernel routes a comm on which the kernel has spoken while
// a cell runs behind that cell. Nothing is opened before the comms' subshells have started: an open that went to a busy
// main shell would be handled after the cell, and what was sent meanwhile would be lost.

import { type Kernel, KernelMessage } from '@jupyterlab/services';
import type { JSONObject } from '@lumino/coreutils';
import { COMMANDS_TARGET, EVENTS_TARGET } from './constants';

/** Milliseconds after which an idle kernel that has not started a subshell is taken for one that won't. */
const SUBSHELL_TIMEOUT = 5000;

/** A comm as it really is: JupyterLab's interface leaves the subshell out. */
interface SubshellComm extends Kernel.IComm {
  readonly subshellStarted?: Promise<void>;
}

/** What the kernel says on the commands comm. */
export interface Answer {
  /** The number of the last frame that it took. */
  readonly ack?: number;
  /** Why a frame was not taken: a Problem as JSON. */
  readonly problem?: string;
}

/** Who is told what comes in. */
export interface Listener {
  onFrame(frame: string): void;
  onAnswer(answer: Answer): void;
  /** The kernel has closed one of the comms, or never knew their targets. */
  onClosed(): void;
}

/** Milliseconds in which JupyterLab has ended the subshells of comms that were closed. */
const FAREWELL = 2000;

/**
 * The connection for comms with that kernel. Of several in one page JupyterLab lets the first one have comms, so a second notebook gets one
 * of its own. What the kernel opens, such as widgets, is for the first one: JupyterLab would close what finds no target here.
 */
export async function commConnection(kernel: Kernel.IKernelConnection): Promise<Kernel.IKernelConnection> {
  if (kernel.handleComms) {
    return kernel;
  }
  const own = kernel.clone({ handleComms: true });
  Object.assign(own, { commsOverSubshells: kernel.commsOverSubshells, _handleCommOpen: async () => undefined });
  try {
    await own.info; // it says whether there are subshells
  } catch (error) {
    own.dispose();
    throw error;
  }
  return own;
}

/** Both comms of one attachment. They are opened once and closed once. */
export class CommPair {
  /** `isOwn`: the connection is for this pair alone, and ends with it. */
  constructor(
    readonly kernel: Kernel.IKernelConnection,
    private readonly _listener: Listener,
    private readonly _isOwn = false
  ) {
    this._commands = kernel.createComm(COMMANDS_TARGET);
    this._events = kernel.createComm(EVENTS_TARGET);
  }

  /** Whether commands can be sent. */
  get isOpen(): boolean {
    return this._known.has(this._commands) && !this._commands.isDisposed && !this.kernel.isDisposed;
  }

  get isClosed(): boolean {
    return this._closed;
  }

  /** Whether the kernel could answer now: a running cell is no obstacle where there are subshells. */
  get isHeard(): boolean {
    return this.kernel.supportsSubshells || this.kernel.status !== 'busy';
  }

  /** When the subshells run, or are known not to come. `slow` is called where a running cell holds them up. */
  async started(slow: () => void = () => undefined): Promise<void> {
    await Promise.all([this._started(this._events, slow), this._started(this._commands, slow)]);
  }

  /**
   * Open both. Each has a subshell of its own, so their order is kept by waiting: the kernel must know the one before the other.
   * Returns false where they were closed meanwhile.
   */
  async open(clientId: string): Promise<boolean> {
    if (this._closed || this.kernel.isDisposed) {
      return false;
    }
    this._listen();
    this._known.add(this._events);
    await this._events.open({ client_id: clientId }).done;
    if (this._closed || this._commands.isDisposed) {
      return false;
    }
    this._known.add(this._commands);
    this._commands.open({});
    return true;
  }

  /** Send on the commands comm, if it is open. */
  send(data: JSONObject): void {
    if (this.isOpen) {
      this._commands.send(data);
    }
  }

  /** Close both. Idempotent. */
  close(): void {
    if (this._closed) {
      return;
    }
    this._closed = true;
    for (const comm of [this._commands, this._events]) {
      comm.onMsg = comm.onClose = () => undefined;
      if (!comm.isDisposed && !this.kernel.isDisposed) {
        this._end(comm);
      }
    }
    this._leave(FAREWELL);
  }

  /** The kernel is gone, and its comms and subshells with it: there is nobody to tell. */
  abandon(): void {
    this._closed = true;
    this._leave(0);
  }

  private _leave(after: number): void {
    if (this._isOwn) {
      window.setTimeout(() => this.kernel.dispose(), after);
    }
  }

  private async _started(comm: SubshellComm, slow: () => void): Promise<void> {
    // The promise is rejected where the kernel restarts meanwhile; that is handled as a restart.
    const started = comm.subshellStarted?.then(() => true, () => true);
    if (!this.kernel.supportsSubshells || !started) {
      return;
    }
    for (;;) {
      const timeout = new Promise<boolean>(resolve => window.setTimeout(() => resolve(false), SUBSHELL_TIMEOUT));
      if ((await Promise.race([started, timeout])) || this._closed || comm.isDisposed || this.kernel.status !== 'busy') {
        return;
      }
      slow(); // the running cell lets nobody else compute: it is waited for, or the open would go behind that cell
    }
  }

  private _listen(): void {
    this._events.onMsg = message => {
      const { frame, ping } = message.content.data as { frame?: string; ping?: number };
      if (this._closed) {
        return;
      }
      if (typeof frame === 'string') {
        this._listener.onFrame(frame);
      } else if (ping !== undefined) {
        this.send({ pong: ping });
      }
    };
    this._commands.onMsg = message => {
      if (!this._closed) {
        this._listener.onAnswer(message.content.data as Answer);
      }
    };
    for (const comm of [this._commands, this._events]) {
      comm.onClose = () => {
        this._known.delete(comm);
        if (!this._closed) {
          this._listener.onClosed();
        }
      };
    }
  }

  /**
   * JupyterLab's own `close` sends the message to the comm's subshell and deletes that subshell by another channel at the same time:
   * the deletion mostly wins, and the message is lost.
   */
  private _end(comm: SubshellComm): void {
    if (this._known.has(comm)) {
      const message = KernelMessage.createMessage({
        msgType: 'comm_close',
        channel: 'shell',
        username: this.kernel.username,
        session: this.kernel.clientId,
        content: { comm_id: comm.commId, data: {} }
      });
      this.kernel.sendShellMessage(message, false, true);
    }
    comm.dispose();
  }

  private readonly _commands: SubshellComm;
  private readonly _events: SubshellComm;
  /** The comms that are open in the kernel, too. */
  private readonly _known = new Set<SubshellComm>();
  private _closed = false;
}
