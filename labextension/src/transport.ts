// Connection of one document to the kernel: attach, reattach, send.
//
// What is sent is kept until the kernel has acknowledged it (reliableChannel.ts), and sent again after each reattachment. The kernel takes
// each frame once. What the messages mean is not known here.

import type { ISessionContext } from '@jupyterlab/apputils';
import type { Kernel } from '@jupyterlab/services';
import { type ISignal, Signal } from '@lumino/signaling';
import type { IDisposable } from '@lumino/disposable';
import { type Answer, CommPair, commConnection } from './comms';
import { ReliableChannel, type Who } from './reliableChannel';
import { Handshake, HELLO_TIMEOUT, HELLO_TIMEOUT_LOADED, type Outcome } from './handshake';
import { isFault, KernelMonitor } from './kernelMonitor';
import { onPageUnload } from './pageUnload';
import { type CompletionSocket, openCompletionSocket } from './completionSocket';
import { loadExtension } from './loadExtension';
import type { Command, Complete, DropCompletion, Event, Hello } from './messages';
import { isClosed, ConnectionStatus, type Status } from './connectionStatus';
import { t } from './translation';

/** Milliseconds after a kernel's restart in which nothing is asked of it. */
const SETTLED = 300;

/** The connection of one document's session to the Spark extension in its kernel. */
export class Transport implements IDisposable {
  constructor(options: Transport.IOptions) {
    this._context = options.sessionContext;
    this._channel = new ReliableChannel(options, {
      onEvents: events => this._received.emit(events),
      onHello: (hello, anew) => this._onHello(hello, anew),
      onBroken: problem => this._fail(problem),
      onStuck: () => this._renew(),
      isReady: () => this.status === 'ready'
    });
    this._monitor = new KernelMonitor(this._context, {
      onReplaced: () => this._onReplaced(),
      onRestarted: ({ speaks }) => this._onRestarted(speaks),
      onDied: () => this._onDied(),
      onIdle: () => this._onIdle(),
      onConnection: connected => this._onConnection(connected)
    });
    this._pageUnload = onPageUnload(
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
    return this._connection.status;
  }

  /** Why the status is `failed`; empty otherwise. */
  get problem(): string {
    return this._connection.problem;
  }

  get statusChanged(): ISignal<ConnectionStatus, Status> {
    return this._connection.changed;
  }

  /** The events of one frame, in order. */
  get received(): ISignal<this, readonly Event[]> {
    return this._received;
  }

  /** Whether something was sent that the kernel has not taken, and will be sent again. */
  get isWaiting(): boolean {
    return this._channel.isWaiting;
  }

  /** Whether what was asked for may still be answered: the kernel is there, or will be told of it when it is. */
  get mayAnswer(): boolean {
    return this.status === 'ready' || (this.isWaiting && !isClosed(this.status));
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
    if (this.status === 'ready' || this.status === 'offline') {
      return; // an attachment outlives its socket
    }
    this._attaching ??= Promise.race([this._attach(), new Promise<void>(resolve => (this._giveUp = resolve))])
      .catch((error: unknown) => this._onFailedAttach(error))
      .finally(() => {
        this._attaching = null;
        if (isClosed(this.status)) {
          this._channel.clear();
        }
      });
    await this._attaching;
  }

  /** Settle by which way the next question goes: another number where that is not the way of those before, which it may overtake. */
  settleWay(): number {
    return this._completionSocket?.settle({ quiet: !this.isWaiting }) ?? 0;
  }

  /** Send what is stale a moment later: by the short way where there is one, else as everything. */
  ask(command: Complete | DropCompletion): void {
    if (this.status !== 'ready' || !this._completionSocket?.send(command)) {
      void this.send(command);
    }
  }

  /**
   * Send commands in one frame, attaching first where needed. They reach the kernel in the order in which they were sent, each once,
   * however often comms, subshells and sockets go meanwhile; where nobody can take them the status says why.
   */
  async send(...commands: Command[]): Promise<void> {
    this._channel.keep(commands);
    if (this.status === 'ready' && this._pair) {
      this._channel.send({ again: false });
    } else {
      await this.attach({ load: true });
    }
  }

  /** The document has another path, or its author allows something else: say so. */
  reattach(): void {
    if (this.status === 'ready') {
      this._channel.sayAttach();
    }
  }

  dispose(): void {
    if (this._disposed) {
      return;
    }
    this._disposed = true;
    this._pageUnload.dispose();
    this._monitor.dispose();
    this._channel.clear();
    this._close();
    Signal.clearData(this);
    this._connection.dispose();
  }

  // --- opening ---------------------------------------------------------------------------------------------------------

  private async _attach(): Promise<void> {
    const kernel = this._context.session?.kernel;
    const attempt = (this._attempt += 1);
    if (!kernel || !(await this._speaksPython(kernel)) || attempt !== this._attempt) {
      return;
    }
    this._connection.set(kernel.status === 'busy' ? 'waiting' : 'connecting');
    let outcome = await this._open(kernel, HELLO_TIMEOUT);
    if (outcome === 'refused' && this._wanted) {
      this._connection.set(kernel.status === 'busy' ? 'waiting' : 'connecting');
      const problem = await loadExtension(kernel, () => attempt === this._attempt && this._connection.set('waiting'));
      if (attempt !== this._attempt) {
        return;
      }
      if (problem !== null) {
        this._connection.set('failed', problem);
        return;
      }
      outcome = await this._open(kernel, HELLO_TIMEOUT_LOADED);
    }
    const isOurs = !this._disposed && attempt === this._attempt && this._context.session?.kernel === kernel;
    if (isOurs && outcome === 'refused' && this.status !== 'failed') {
      this._connection.set(this._wanted ? 'failed' : 'detached', t('The Spark extension in the kernel does not answer.'));
    }
  }

  /** A kernel that goes away meanwhile cancels what waits for it. What that means is seen from its status. */
  private _onFailedAttach(error: unknown): void {
    const kernel = this._context.session?.kernel;
    if (kernel && isFault(error, kernel)) {
      this._connection.set('failed', t('The kernel could not be reached (%1).', String(error)));
    }
  }

  private async _speaksPython(kernel: Kernel.IKernelConnection): Promise<boolean> {
    const speaks = (await kernel.info).language_info.name === 'python';
    if (!speaks) {
      this._connection.set('unsupported');
    }
    return speaks;
  }

  /** Open both comms and attach. */
  private async _open(kernel: Kernel.IKernelConnection, patience: number): Promise<Outcome> {
    await this._retire();
    const attempt = this._attempt;
    const connection = await commConnection(kernel);
    if (attempt !== this._attempt && connection !== kernel) {
      connection.dispose();
      return 'gone';
    }
    const listener = {
      onFrame: (frame: string) => this._channel.receive(frame),
      onAnswer: (answer: Answer) => this._channel.answered(pair, answer),
      onClosed: () => this._onClosed()
    };
    const pair: CommPair = new CommPair(connection, listener, connection !== kernel);
    this._channel.pair = pair;
    await pair.started(() => this._connection.set('waiting'));
    return this._pair === pair ? this._greet(pair, patience) : 'gone';
  }

  private async _greet(pair: CommPair, patience: number): Promise<Outcome> {
    const greeting = (this._handshake = new Handshake(pair, patience, () => this._connection.set('waiting')));
    pair.open(this._channel.who.clientId).then(
      open => (open ? this._channel.sayAttach() : greeting.end('refused')),
      () => greeting.end('refused')
    );
    const outcome = await greeting.outcome;
    this._handshake = this._handshake === greeting ? null : this._handshake;
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
    this._completionSocket?.close();
    this._completionSocket = null;
    this._pair?.close();
    this._channel.pair = null;
    this._handshake?.end(outcome);
  }

  /** The kernel has closed a comm: it does not know the targets, or somebody has unloaded the extension. */
  private _onClosed(): void {
    const wasReady = this.status === 'ready';
    this._close('refused');
    if (wasReady) {
      // Spark comes back when somebody asks for it, not by itself.
      this._wanted = false;
      this._connection.set('detached');
      if (this._channel.isWaiting) {
        void this.attach({ load: true });
      }
    }
  }

  // --- what is said over it --------------------------------------------------------------------------------------------

  /** What was sent does not arrive: attach again, on new comms and new subshells, and send it again. */
  private _renew(): void {
    if (this.status !== 'ready') {
      return; // the client is being attached anew already, or comes back with the socket
    }
    if (!this._channel.renew()) {
      this._channel.clear();
      this._fail(t('The Spark extension in the kernel takes no commands. Restart the kernel if this lasts.'));
      return;
    }
    this._connection.set('connecting');
    void this.attach({ load: true });
  }

  /** Nothing more is said over these comms. */
  private _fail(problem: string): void {
    this._close();
    this._connection.set('failed', problem);
  }

  /** Until both comms are open it may be the answer to an attempt before this one; then there will be another. */
  private _onHello(hello: Hello, anew: boolean): void {
    if (anew) {
      this._lost.emit(t('Spark was restarted in the kernel.'));
    }
    this._suggestions = hello.suggestions ?? 'on';
    if (this.status === 'offline' && this._context.session?.kernel?.connectionStatus === 'connected') {
      this._connection.set('ready');
      this._channel.send({ again: true });
    }
    if (this._pair?.isOpen && this._handshake) {
      this._connection.set('ready');
      this._handshake.end('ready');
      this._completionSocket ??= openCompletionSocket(this._pair.kernel, {
        attach: () => this._channel.attachment(),
        onFrame: frame => this._channel.receive(frame)
      });
      this._channel.send({ again: true });
    }
  }

  // --- what happens to the kernel ----------------------------------------------------------------------------------------

  private _onReplaced(): void {
    this._forget(t('The kernel was replaced.'));
    this._settle();
  }

  /** Where it `speaks` already, JupyterLab has comms with the new kernel that it does not know. */
  private _onRestarted(speaks: boolean): void {
    if (!speaks) {
      this._forget(t('The kernel was restarted.'));
    } else if (this._pair !== null) {
      this._forget(t('The kernel was restarted.'), { speaks });
      window.setTimeout(() => this._returnAfterRestart(), SETTLED);
    }
  }

  private _onDied(): void {
    this._forget(t('The kernel has died.'));
    this._connection.set('no-kernel');
  }

  private _onIdle(): void {
    if (this.status === 'no-kernel') {
      this._settle();
    }
    if (this.status === 'detached' && this._wanted) {
      window.setTimeout(() => this._returnAfterRestart(), SETTLED);
    }
  }

  /** JupyterLab replaces the socket of a kernel that restarts, and cancels what was asked on the old one. */
  private _returnAfterRestart(): void {
    const kernel = this._context.session?.kernel;
    const netChanges = kernel?.status === 'idle' && kernel.connectionStatus === 'connected';
    if (netChanges && this.status === 'detached' && this._wanted && !this._disposed) {
      void this.attach({ load: true });
    }
  }

  /**
   * What waits is said when the kernel has answered who is here: it may be another one by now, and what was sent to it over these comms
   * would count as said. What was asked on a socket that went is answered on none: an attempt to attach begins again on the next.
   */
  private _onConnection(connected: boolean): void {
    if (connected && this.status === 'offline') {
      this._channel.sayAttach();
    } else if (!connected && this._attaching) {
      this._attempt += 1;
      this._close();
      this._connection.set('detached');
      this._giveUp();
    } else if (connected && this.status === 'detached') {
      window.setTimeout(() => this._returnAfterRestart(), SETTLED);
    } else if (!connected && this.status === 'ready') {
      this._connection.set('offline');
    }
  }

  /** The kernel's memory is gone: begin again. */
  private _forget(reason: string, { speaks = false }: { speaks?: boolean } = {}): void {
    const knew = this._pair !== null || this._channel.hasHeard;
    if (!speaks) {
      this._pair?.abandon();
    }
    this._close();
    this._channel.forget();
    this._suggestions = 'on';
    if (this.status !== 'unsupported') {
      this._connection.set('detached');
    }
    if (knew) {
      this._lost.emit(reason);
    }
  }

  private _settle(): void {
    const kernel = this._context.session?.kernel;
    this._connection.set(kernel ? 'detached' : 'no-kernel');
    if (kernel) {
      this._speaksPython(kernel).catch((error: unknown) => this._onFailedAttach(error));
    }
  }

  /** A page that goes away leaves a subshell thread and a writer in the kernel unless its comms are closed. */
  private _leave(): boolean {
    const attached = this._pair !== null;
    this._close();
    if (attached) {
      this._connection.set('detached');
    }
    return attached;
  }

  private get _pair(): CommPair | null {
    return this._channel.pair;
  }

  private readonly _context: ISessionContext;
  private readonly _channel: ReliableChannel;
  private readonly _monitor: KernelMonitor;
  private readonly _pageUnload: IDisposable;
  private readonly _received = new Signal<this, readonly Event[]>(this);
  private readonly _lost = new Signal<this, string>(this);
  private readonly _connection = new ConnectionStatus();
  private _disposed = false;
  /** Whether the user has asked for Spark here, so that a new kernel is attached too. */
  private _wanted = false;
  /** The short way, where Jupyter's server has one. */
  private _completionSocket: CompletionSocket | null = null;
  private _attaching: Promise<void> | null = null;
  /** The number of the attempt to attach that counts, and what ends the wait for it. */
  private _attempt = 0;
  private _giveUp: () => void = () => undefined;
  private _handshake: Handshake | null = null;
  private _suggestions: Required<Hello>['suggestions'] = 'on';
}

export namespace Transport {
  export interface IOptions extends Who {
    readonly sessionContext: ISessionContext;
  }
}
