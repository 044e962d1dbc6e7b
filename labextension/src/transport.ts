// The wire to the kernel: two comms, frames, reattachment. It knows nothing of what the messages mean.
//
// Commands go out on one comm and events come in on another, because ipykernel routes a comm on which the kernel has spoken while
// a cell runs behind that cell. Nothing is opened before the comms' subshell has started: an open that went to a busy
// main shell would be handled after the cell, and what was sent meanwhile would be lost.

import type { ISessionContext } from '@jupyterlab/apputils';
import { type Kernel, KernelMessage } from '@jupyterlab/services';
import { type ISignal, Signal } from '@lumino/signaling';
import type { IDisposable } from '@lumino/disposable';
import { FrameError, FrameReader } from './frames';
import { type Command, type Event, PROTOCOL_VERSION, type Problem } from './messages';

export const COMMANDS_TARGET = 'spark_jupyter.commands';
export const EVENTS_TARGET = 'spark_jupyter.events';

/** How the wire stands. */
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

/** Milliseconds: how long the kernel may take to say Hello before its extension is loaded. */
const HELLO_TIMEOUT = 3000;
/** Milliseconds: how long to wait for the subshell. Without subshells that promise never settles. */
const SUBSHELL_TIMEOUT = 2000;
/** Milliseconds: how long frames that were asked for again may take before everything is asked for. */
const RESEND_TIMEOUT = 2000;
/** Milliseconds: a page that is still there so long after it was to be left was not left. */
const STAYED = 1000;
/** Milliseconds after a kernel's restart in which nothing is asked of it. */
const SETTLED = 300;
/** Milliseconds that a page is held so that its last words get out. */
const LINGER = 50;

const LOAD = '%load_ext spark_jupyter';

/** A comm as it really is: JupyterLab's interface leaves the subshell out. */
interface SubshellComm extends Kernel.IComm {
  readonly subshellStarted?: Promise<void>;
}

interface Comms {
  readonly kernel: Kernel.IKernelConnection;
  readonly commands: SubshellComm;
  readonly events: SubshellComm;
}

/** What the kernel answers on the commands comm. */
interface Acknowledgement {
  readonly ack?: number;
  readonly problem?: string;
}

/** The connection of one document's session to the Spark extension in its kernel. */
export class Transport implements IDisposable {
  constructor(options: Transport.IOptions) {
    this._context = options.sessionContext;
    this._clientId = options.clientId;
    this._path = options.path;
    this._context.kernelChanged.connect(this._onKernelChanged, this);
    this._context.statusChanged.connect(this._onStatus, this);
    this._context.connectionStatusChanged.connect(this._onConnection, this);
    window.addEventListener('beforeunload', this._onBeforeUnload);
    window.addEventListener('pagehide', this._onPageHide);
    this._settle();
  }

  get status(): Status {
    return this._status;
  }

  /** Why the status is `failed`; empty otherwise. */
  get problem(): string {
    return this._problem;
  }

  get statusChanged(): ISignal<this, Status> {
    return this._statusChanged;
  }

  /** The events of one frame, in order. */
  get received(): ISignal<this, readonly Event[]> {
    return this._received;
  }

  /** The kernel that was attached is gone, and all that it knew. The argument is a sentence. */
  get lost(): ISignal<this, string> {
    return this._lost;
  }

  get isDisposed(): boolean {
    return this._disposed;
  }

  /** Attach if the kernel is there. With `load` its extension is loaded where it is not yet. */
  async attach({ load }: { load: boolean }): Promise<void> {
    this._wanted ||= load;
    if (this._status === 'ready') {
      return;
    }
    this._attaching ??= this._attach()
      .catch((error: unknown) => this._onFailedAttach(error))
      .finally(() => {
        this._attaching = null;
      });
    await this._attaching;
  }

  /** Send commands in one frame, attaching first where needed. */
  async send(...commands: Command[]): Promise<void> {
    if (this._status !== 'ready') {
      await this.attach({ load: true });
    }
    this._post(commands);
  }

  /** The document has another path: say so. */
  renamed(): void {
    if (this._status === 'ready') {
      this._sayAttach(this._reader.last);
    }
  }

  dispose(): void {
    if (this._disposed) {
      return;
    }
    this._disposed = true;
    window.removeEventListener('beforeunload', this._onBeforeUnload);
    window.removeEventListener('pagehide', this._onPageHide);
    this._close();
    Signal.clearData(this);
  }

  // --- opening ---------------------------------------------------------------------------------------------------------

  private async _attach(): Promise<void> {
    const kernel = this._context.session?.kernel;
    if (!kernel || !(await this._speaksPython(kernel))) {
      return;
    }
    this._set('connecting');
    let outcome = await this._open(kernel);
    if (outcome === 'refused' && this._wanted && (await this._load(kernel))) {
      outcome = await this._open(kernel);
    }
    if (this._disposed || this._context.session?.kernel !== kernel) {
      return;
    }
    if (outcome === 'refused' && this._status !== 'failed') {
      this._set(this._wanted ? 'failed' : 'detached', 'The Spark extension in the kernel does not answer.');
    }
  }

  /** A kernel that goes away meanwhile cancels what waits for it. What that means is seen from its status. */
  private _onFailedAttach(error: unknown): void {
    const kernel = this._context.session?.kernel;
    if (kernel && kernel.status !== 'dead' && !kernel.isDisposed && !isCancelled(error)) {
      this._set('failed', `The kernel could not be reached (${String(error)}).`);
    }
  }

  private async _speaksPython(kernel: Kernel.IKernelConnection): Promise<boolean> {
    const info = await kernel.info;
    const speaks = info.language_info.name === 'python';
    if (!speaks) {
      this._set('unsupported');
    }
    return speaks;
  }

  /** Open both comms and attach. `refused`: the targets are not registered, or nothing answers. */
  private async _open(kernel: Kernel.IKernelConnection): Promise<'ready' | 'refused'> {
    this._close();
    // JupyterLab ends the subshell of a target's last comm a moment after the comm; a comm made within that moment would be given
    // the dying subshell, and all that it sends would be lost.
    await new Promise(resolve => window.setTimeout(resolve));
    const comms: Comms = {
      kernel,
      commands: kernel.createComm(COMMANDS_TARGET),
      events: kernel.createComm(EVENTS_TARGET)
    };
    this._comms = comms;
    await Promise.all([started(comms.commands, kernel), started(comms.events, kernel)]);
    if (this._comms !== comms || kernel.isDisposed) {
      return 'refused';
    }
    return new Promise(resolve => {
      const done = (outcome: 'ready' | 'refused') => {
        window.clearTimeout(timer);
        this._onHello = null;
        resolve(outcome);
      };
      const expired = () => {
        if (kernel.status === 'busy') {
          this._set('waiting');
          timer = window.setTimeout(expired, HELLO_TIMEOUT);
        } else {
          done('refused');
        }
      };
      let timer = window.setTimeout(expired, HELLO_TIMEOUT);
      this._onHello = () => done('ready');
      this._listen(comms, () => done('refused'));
      void this._greet(comms).catch(() => done('refused'));
    });
  }

  /** Each comm has a subshell of its own, so their order is kept by waiting: the kernel must know the one before the other. */
  private async _greet(comms: Comms): Promise<void> {
    await comms.events.open({ client_id: this._clientId }).done;
    if (this._comms === comms && !comms.commands.isDisposed) {
      comms.commands.open({});
      this._sayAttach(this._reader.last);
    }
  }

  private _listen(comms: Comms, refused: () => void): void {
    comms.events.onMsg = message => {
      const { frame } = message.content.data as { frame?: string };
      if (this._comms === comms && typeof frame === 'string') {
        this._receive(frame);
      }
    };
    comms.commands.onMsg = message => this._onAcknowledgement(message.content.data as Acknowledgement);
    comms.events.onClose = comms.commands.onClose = () => {
      refused();
      if (this._comms === comms && this._status === 'ready') {
        // Somebody unloaded the extension: it comes back when it is asked for, not by itself.
        this._wanted = false;
        this._comms = null;
        this._set('detached');
      }
    };
  }

  /** Load the extension silently. False where it can't be. */
  private async _load(kernel: Kernel.IKernelConnection): Promise<boolean> {
    const request = { code: LOAD, silent: true, store_history: false, stop_on_error: false };
    const reply = await kernel.requestExecute(request).done;
    if (reply.content.status === 'ok') {
      return true;
    }
    const missing = reply.content.status === 'error' && reply.content.ename === 'ModuleNotFoundError';
    const detail = reply.content.status === 'error' ? `${reply.content.ename}: ${reply.content.evalue}` : 'aborted';
    this._set(
      'failed',
      missing
        ? 'This kernel has no spark_jupyter. Run %pip install spark-jupyter in a cell, then restart the kernel.'
        : `The Spark extension could not be loaded in this kernel (${detail}).`
    );
    return false;
  }

  private _close(): void {
    const comms = this._comms;
    this._comms = null;
    this._onHello = null;
    for (const comm of comms ? [comms.commands, comms.events] : []) {
      comm.onClose = () => undefined;
      if (comms && !comm.isDisposed && !comms.kernel.isDisposed) {
        close(comm, comms.kernel);
      }
    }
  }

  // --- frames ------------------------------------------------------------------------------------------------------------

  private _sayAttach(lastSeq: number): void {
    this._post([
      { type: 'Attach', client_id: this._clientId, last_seq: lastSeq, can_write: true, notebook: this._path() }
    ]);
  }

  private _post(commands: readonly Command[]): void {
    const comm = this._comms?.commands;
    if (!comm || comm.isDisposed || this._comms?.kernel.isDisposed) {
      return;
    }
    this._sent += 1;
    comm.send({ frame: JSON.stringify({ v: PROTOCOL_VERSION, seq: this._sent, msgs: commands }) });
  }

  private _receive(text: string): void {
    try {
      const { events, resendFrom } = this._reader.receive(text);
      if (resendFrom !== null) {
        this._askAgain(resendFrom);
      }
      if (events.some(event => event.type === 'Hello')) {
        this._set('ready');
        this._onHello?.();
      }
      if (events.length > 0) {
        this._received.emit(events);
      }
    } catch (error) {
      if (!(error instanceof FrameError)) {
        throw error;
      }
      this._close();
      this._set('failed', error.message);
    }
  }

  private _askAgain(from: number): void {
    this._post([{ type: 'Resend', from_seq: from }]);
    window.setTimeout(() => {
      if (this._reader.last < from && this._status === 'ready') {
        this._sayAttach(0);
      }
    }, RESEND_TIMEOUT);
  }

  private _onAcknowledgement(data: Acknowledgement): void {
    if (data.problem) {
      this._received.emit([JSON.parse(data.problem) as Problem]);
    }
  }

  // --- what happens to the kernel ----------------------------------------------------------------------------------------

  private _onKernelChanged(): void {
    this._forget('The kernel was replaced.');
    this._settle();
  }

  private _onStatus(): void {
    const status = this._context.session?.kernel?.status;
    if (status === 'restarting' || status === 'autorestarting') {
      this._forget('The kernel was restarted.');
    } else if (status === 'dead' || status === 'terminating') {
      this._forget('The kernel has died.');
      this._set('no-kernel');
    } else if (status === 'idle' && this._status === 'no-kernel') {
      this._settle();
    }
    if (status === 'idle' && this._status === 'detached' && this._wanted) {
      window.setTimeout(() => this._returnAfterRestart(), SETTLED);
    }
  }

  /** JupyterLab replaces the socket of a kernel that restarts, and cancels what was asked on the old one. */
  private _returnAfterRestart(): void {
    const kernel = this._context.session?.kernel;
    const settled = kernel?.status === 'idle' && kernel.connectionStatus === 'connected';
    if (settled && this._status === 'detached' && this._wanted && !this._disposed) {
      void this.attach({ load: true });
    }
  }

  private _onConnection(): void {
    const connection = this._context.session?.kernel?.connectionStatus;
    if (connection === 'connected' && this._status === 'offline') {
      this._set('ready');
      this._sayAttach(this._reader.last);
    } else if (connection === 'connected' && this._status === 'detached') {
      window.setTimeout(() => this._returnAfterRestart(), SETTLED);
    } else if (connection !== 'connected' && this._status === 'ready') {
      this._set('offline');
    }
  }

  /** The kernel's memory is gone: begin to count anew. */
  private _forget(reason: string): void {
    const knew = this._comms !== null || this._reader.last > 0;
    this._comms = null;
    this._onHello = null;
    this._reader = new FrameReader();
    if (this._status !== 'unsupported') {
      this._set('detached');
    }
    if (knew) {
      this._lost.emit(reason);
    }
  }

  private _settle(): void {
    const kernel = this._context.session?.kernel;
    this._set(kernel ? 'detached' : 'no-kernel');
    if (kernel) {
      this._speaksPython(kernel).catch((error: unknown) => this._onFailedAttach(error));
    }
  }

  private _set(status: Status, problem = ''): void {
    if (this._disposed || (this._status === status && this._problem === problem)) {
      return;
    }
    this._status = status;
    this._problem = status === 'failed' ? problem : '';
    this._statusChanged.emit(status);
  }

  /**
   * A page that goes away leaves a subshell thread and a writer in the kernel unless its comms are closed. When it hides, its
   * socket is about to be torn down and the messages may be lost; so they are sent before, and where the user stays after
   * all, it is attached again.
   */
  private readonly _onBeforeUnload = (): void => {
    if (this._status === 'ready') {
      this._close();
      linger();
      this._set('detached');
      window.setTimeout(() => void this.attach({ load: false }), STAYED);
    }
  };

  private readonly _onPageHide = (): void => this._close();

  private readonly _context: ISessionContext;
  private readonly _clientId: string;
  private readonly _path: () => string;
  private readonly _statusChanged = new Signal<this, Status>(this);
  private readonly _received = new Signal<this, readonly Event[]>(this);
  private readonly _lost = new Signal<this, string>(this);
  private _status: Status = 'no-kernel';
  private _problem = '';
  private _disposed = false;
  /** Whether the user has asked for Spark here, so that a new kernel is attached too. */
  private _wanted = false;
  private _comms: Comms | null = null;
  private _attaching: Promise<void> | null = null;
  private _onHello: (() => void) | null = null;
  private _reader = new FrameReader();
  private _sent = 0;
}

export namespace Transport {
  export interface IOptions {
    readonly sessionContext: ISessionContext;
    /** Names this document in this tab; fit for a cell id. */
    readonly clientId: string;
    /** The notebook's path now. */
    readonly path: () => string;
  }
}

/**
 * Hold the page for a moment. What was just sent is read by another process of the browser, and a page that goes at once takes
 * it along unread.
 */
function linger(): void {
  const end = performance.now() + LINGER;
  while (performance.now() < end);
}

/**
 * Close a comm so that the kernel hears of it. JupyterLab's own `close` sends the message to the comm's subshell and deletes that
 * subshell by another channel at the same time: the deletion mostly wins, and the message is lost.
 */
function close(comm: SubshellComm, kernel: Kernel.IKernelConnection): void {
  const message = KernelMessage.createMessage({
    msgType: 'comm_close',
    channel: 'shell',
    username: kernel.username,
    session: kernel.clientId,
    content: { comm_id: comm.commId, data: {} }
  });
  kernel.sendShellMessage(message, false, true);
  comm.dispose();
}

/** When the comm's subshell runs, or is known not to come. */
async function started(comm: SubshellComm, kernel: Kernel.IKernelConnection): Promise<void> {
  // It is rejected where the kernel restarts meanwhile; that is handled as a restart.
  const subshell = comm.subshellStarted?.catch(() => undefined);
  if (kernel.supportsSubshells && subshell) {
    const timeout = new Promise<void>(resolve => window.setTimeout(resolve, SUBSHELL_TIMEOUT));
    await Promise.race([subshell, timeout]);
  }
}

/** Whether JupyterLab cancelled a request because its kernel restarted or went. */
function isCancelled(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('Canceled');
}
