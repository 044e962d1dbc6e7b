// The wire to the kernel: attachment, reattachment, frames in both directions. It knows nothing of what the messages mean.
//
// What is sent is kept until the kernel has acknowledged it, and sent again after each reattachment; where an acknowledgement stays
// out although the kernel could give it, there is a reattachment. The kernel takes each frame once.

import type { ISessionContext } from '@jupyterlab/apputils';
import type { Kernel, KernelMessage } from '@jupyterlab/services';
import { type ISignal, Signal } from '@lumino/signaling';
import type { IDisposable } from '@lumino/disposable';
import { type Answer, CommPair } from './comms';
import { FrameError, FrameReader } from './frames';
import { Greeting, HELLO_TIMEOUT, HELLO_TIMEOUT_LOADED, type Outcome } from './greeting';
import { onLeaving } from './leaving';
import { type Line, lineTo } from './line';
import { loadExtension } from './loading';
import type { Attach, Command, Complete, DropCompletion, Event, Hello, Problem } from './messages';
import { Sender } from './sender';

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

/** Whether nobody can take what is sent; the status says why. */
export function isClosed(status: Status): boolean {
  return status === 'failed' || status === 'unsupported' || status === 'no-kernel';
}

/** How often in a row the kernel is attached anew because it acknowledges nothing. */
const MOST_RENEWALS = 3;
/** Milliseconds: how long frames that were asked for again may take before everything is asked for. */
const RESEND_TIMEOUT = 2000;
/** Milliseconds after a kernel's restart in which nothing is asked of it. */
const SETTLED = 300;

/** The connection of one document's session to the Spark extension in its kernel. */
export class Transport implements IDisposable {
  constructor(options: Transport.IOptions) {
    this._context = options.sessionContext;
    this._clientId = options.clientId;
    this._path = options.path;
    this._canWrite = options.canWrite ?? true;
    this._context.kernelChanged.connect(this._onKernelChanged, this);
    this._context.statusChanged.connect(this._onStatus, this);
    this._context.connectionStatusChanged.connect(this._onConnection, this);
    this._context.iopubMessage.connect(this._onMessage, this);
    this._leaving = onLeaving(
      () => this._leave(),
      () => void this.attach({ load: false })
    );
    this._settle();
  }

  /** When the kernel makes suggestions, as it said last. */
  get suggestions(): Required<Hello>['suggestions'] {
    return this._suggestions;
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

  /** Whether something was sent that the kernel has not taken, and will be sent again. */
  get isWaiting(): boolean {
    return this._sender.isWaiting;
  }

  /** Whether what was asked for may still be answered: the kernel is there, or will be told of it when it is. */
  get mayAnswer(): boolean {
    return this._status === 'ready' || (this.isWaiting && !isClosed(this._status));
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
    if (this._status === 'ready' || this._status === 'offline') {
      return; // an attachment outlives its socket
    }
    this._attaching ??= this._attach()
      .catch((error: unknown) => this._onFailedAttach(error))
      .finally(() => {
        this._attaching = null;
        if (isClosed(this._status)) {
          this._sender.clear();
        }
      });
    await this._attaching;
  }

  /** Settle by which way the next question goes: another number where that is not the way of those before, which it may overtake. */
  settleWay(): number {
    return this._line?.settle({ quiet: !this.isWaiting }) ?? 0;
  }

  /** Send what is stale a moment later: by the short way where there is one, else as everything. */
  ask(command: Complete | DropCompletion): void {
    if (this._status !== 'ready' || !this._line?.send(command)) {
      void this.send(command);
    }
  }

  /**
   * Send commands in one frame, attaching first where needed. They reach the kernel in the order in which they were sent, each once,
   * however often comms, subshells and sockets go meanwhile; where nobody can take them the status says why.
   */
  async send(...commands: Command[]): Promise<void> {
    this._sender.keep(commands);
    if (this._status === 'ready' && this._pair) {
      this._sender.send(this._pair, { again: false });
    } else {
      await this.attach({ load: true });
    }
  }

  /** The document has another path: say so. */
  renamed(): void {
    if (this._status === 'ready') {
      this._sayAttach();
    }
  }

  dispose(): void {
    if (this._disposed) {
      return;
    }
    this._disposed = true;
    this._leaving.dispose();
    this._sender.clear();
    this._close();
    Signal.clearData(this);
  }

  // --- opening ---------------------------------------------------------------------------------------------------------

  private async _attach(): Promise<void> {
    const kernel = this._context.session?.kernel;
    if (!kernel || !(await this._speaksPython(kernel))) {
      return;
    }
    this._set(kernel.status === 'busy' ? 'waiting' : 'connecting');
    let outcome = await this._open(kernel, HELLO_TIMEOUT);
    if (outcome === 'refused' && this._wanted) {
      this._set(kernel.status === 'busy' ? 'waiting' : 'connecting');
      const problem = await loadExtension(kernel, () => this._set('waiting'));
      if (problem !== null) {
        this._set('failed', problem);
        return;
      }
      outcome = await this._open(kernel, HELLO_TIMEOUT_LOADED);
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

  /** Open both comms and attach. */
  private async _open(kernel: Kernel.IKernelConnection, patience: number): Promise<Outcome> {
    await this._retire();
    const pair = new CommPair(kernel, {
      onFrame: frame => this._receive(frame),
      onAnswer: answer => this._onAnswer(pair, answer),
      onClosed: () => this._onClosed()
    });
    this._pair = pair;
    await pair.started(() => this._set('waiting'));
    return this._pair === pair ? this._greet(pair, patience) : 'gone';
  }

  private async _greet(pair: CommPair, patience: number): Promise<Outcome> {
    const greeting = (this._greeting = new Greeting(pair, patience, () => this._set('waiting')));
    pair.open(this._clientId).then(
      open => (open ? this._sayAttach() : greeting.end('refused')),
      () => greeting.end('refused')
    );
    const outcome = await greeting.outcome;
    this._greeting = this._greeting === greeting ? null : this._greeting;
    return outcome;
  }

  /**
   * Close the comms there were, so that new ones can be made. JupyterLab ends the subshell of a target's last comm a moment after the
   * comm and not before it has started; a comm made before that would be given the dying subshell, and all that it sends would be lost.
   */
  private async _retire(): Promise<void> {
    await this._pair?.started();
    this._close();
    await new Promise(resolve => window.setTimeout(resolve));
  }

  private _close(outcome: Outcome = 'gone'): void {
    this._line?.close();
    this._line = null;
    this._pair?.close();
    this._pair = null;
    this._greeting?.end(outcome);
  }

  /** The kernel has closed a comm: it does not know the targets, or somebody has unloaded the extension. */
  private _onClosed(): void {
    const wasReady = this._status === 'ready';
    this._close('refused');
    if (wasReady) {
      // It comes back when it is asked for, not by itself.
      this._wanted = false;
      this._set('detached');
      if (this._sender.isWaiting) {
        void this.attach({ load: true });
      }
    }
  }

  // --- frames ------------------------------------------------------------------------------------------------------------

  /** Say who is here and what it has; the kernel answers with a Hello and what was missed. With `all` it has nothing. */
  private _sayAttach({ all = false }: { all?: boolean } = {}): void {
    this._sayOnce(this._attachment({ all }));
  }

  private _attachment({ all = false }: { all?: boolean } = {}): Attach {
    return {
      type: 'Attach',
      client_id: this._clientId,
      last_seq: all ? 0 : this._reader.last,
      can_write: this._canWrite,
      notebook: this._path(),
      life: this._life,
      next_seq: this._sender.next
    };
  }

  private _sayOnce(command: Command): void {
    if (this._pair) {
      this._sender.sayOnce(this._pair, command);
    }
  }

  /** What was sent does not arrive: attach anew, on new comms and new subshells, and send it again. */
  private _renew(): void {
    if (this._status !== 'ready') {
      return; // the client is being attached anew already, or comes back with the socket
    }
    this._renewals += 1;
    if (this._renewals > MOST_RENEWALS) {
      this._close();
      this._sender.clear();
      this._set('failed', 'The Spark extension in the kernel takes no commands. Restart the kernel if this lasts.');
      return;
    }
    this._set('connecting');
    void this.attach({ load: true });
  }

  private _receive(text: string): void {
    try {
      const { events, resendFrom } = this._reader.receive(text);
      if (resendFrom !== null) {
        this._askAgain(resendFrom);
      }
      events.filter(event => event.type === 'Hello').forEach(hello => this._onHello(hello));
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

  /** Until both comms are open it may be the answer to an attempt before this one; then there will be another. */
  private _onHello(hello: Hello): void {
    const { life = '' } = hello;
    if (this._life !== '' && this._life !== life) {
      this._lost.emit('Spark was started anew in the kernel.');
    }
    this._life = life;
    this._suggestions = hello.suggestions ?? 'on';
    if (this._pair?.isOpen && this._greeting) {
      this._set('ready');
      this._greeting.end('ready');
      this._line ??= lineTo(this._pair.kernel, { attach: () => this._attachment(), onFrame: frame => this._receive(frame) });
      this._sender.send(this._pair, { again: true });
    }
  }

  private _askAgain(from: number): void {
    this._sayOnce({ type: 'Resend', from_seq: from });
    window.setTimeout(() => {
      if (this._reader.last < from && this._status === 'ready') {
        this._sayAttach({ all: true });
      }
    }, RESEND_TIMEOUT);
  }

  private _onAnswer(pair: CommPair, { ack, problem }: Answer): void {
    if (ack !== undefined && this._sender.acknowledge(pair, ack)) {
      this._renewals = 0;
    }
    if (problem) {
      this._received.emit([JSON.parse(problem) as Problem]);
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

  /**
   * Jupyter says that a kernel restarts only to the client that asked for it. To the others the new kernel just speaks, in a session of
   * its own, over the sockets there were. What has no parent comes from the server.
   */
  private _onMessage(_: ISessionContext, { header, parent_header: parent }: KernelMessage.IMessage): void {
    if (!('session' in parent) || header.session === this._kernelSession) {
      return;
    }
    if (this._kernelSession !== '' && this._pair !== null) {
      this._forget('The kernel was restarted.', { speaks: true });
      window.setTimeout(() => this._returnAfterRestart(), SETTLED);
    }
    this._kernelSession = header.session;
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
      this._sayAttach();
      if (this._pair) {
        this._sender.send(this._pair, { again: true });
      }
    } else if (connection === 'connected' && this._status === 'detached') {
      window.setTimeout(() => this._returnAfterRestart(), SETTLED);
    } else if (connection !== 'connected' && this._status === 'ready') {
      this._set('offline');
    }
  }

  /** The kernel's memory is gone: begin to count anew. `speaks`: JupyterLab has comms with the new kernel that it does not know. */
  private _forget(reason: string, { speaks = false }: { speaks?: boolean } = {}): void {
    const knew = this._pair !== null || this._reader.last > 0;
    if (!speaks) {
      this._pair?.abandon();
    }
    this._close();
    this._reader = new FrameReader();
    this._life = this._kernelSession = '';
    this._suggestions = 'on';
    this._renewals = 0;
    this._sender.forgetSent();
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

  /** A page that goes away leaves a subshell thread and a writer in the kernel unless its comms are closed. */
  private _leave(): boolean {
    const attached = this._pair !== null;
    this._close();
    if (attached) {
      this._set('detached');
    }
    return attached;
  }

  private readonly _context: ISessionContext;
  private readonly _clientId: string;
  private readonly _path: () => string;
  private readonly _canWrite: boolean;
  private readonly _leaving: IDisposable;
  private readonly _statusChanged = new Signal<this, Status>(this);
  private readonly _received = new Signal<this, readonly Event[]>(this);
  private readonly _lost = new Signal<this, string>(this);
  private _status: Status = 'no-kernel';
  private _problem = '';
  private _disposed = false;
  /** Whether the user has asked for Spark here, so that a new kernel is attached too. */
  private _wanted = false;
  private _pair: CommPair | null = null;
  /** The short way, where Jupyter's server has one. */
  private _line: Line | null = null;
  private _attaching: Promise<void> | null = null;
  private _greeting: Greeting | null = null;
  private _reader = new FrameReader();
  /** The life of the extension in the kernel that was spoken to last. */
  private _life = '';
  private _suggestions: Required<Hello>['suggestions'] = 'on';
  /** The session in whose name the kernel speaks: another one in each of its processes. */
  private _kernelSession = '';
  private readonly _sender = new Sender(() => this._renew());
  /** How often the kernel was attached anew since it last acknowledged something. */
  private _renewals = 0;
}

export namespace Transport {
  export interface IOptions {
    readonly sessionContext: ISessionContext;
    /** Names this document in this tab; fit for a cell id. */
    readonly clientId: string;
    /** The notebook's path now. */
    readonly path: () => string;
    /** Whether there is a notebook here into which cells can be written; true where it is not said. */
    readonly canWrite?: boolean;
  }
}

/** Whether JupyterLab cancelled a request because its kernel restarted or went. */
function isCancelled(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('Canceled');
}
