// The wire to the kernel: attachment and reattachment. It knows nothing of what the messages mean.
//
// What is sent is kept until the kernel has acknowledged it (exchange.ts), and sent again after each reattachment; where an
// acknowledgement stays out although the kernel could give it, there is a reattachment. The kernel takes each frame once.

import type { ISessionContext } from '@jupyterlab/apputils';
import type { Kernel } from '@jupyterlab/services';
import { type ISignal, Signal } from '@lumino/signaling';
import type { IDisposable } from '@lumino/disposable';
import { CommPair } from './comms';
import { Exchange, type Who } from './reliableChannel';
import { Greeting, HELLO_TIMEOUT, HELLO_TIMEOUT_LOADED, type Outcome } from './handshake';
import { isFault, KernelWatch } from './kernelMonitor';
import { onLeaving } from './pageUnload';
import { type Line, lineTo } from './completionSocket';
import { loadExtension } from './loadExtension';
import type { Command, Complete, DropCompletion, Event, Hello } from './messages';
import { isClosed, Standing, type Status } from './connectionStatus';

/** Milliseconds after a kernel's restart in which nothing is asked of it. */
const SETTLED = 300;

/** The connection of one document's session to the Spark extension in its kernel. */
export class Transport implements IDisposable {
  constructor(options: Transport.IOptions) {
    this._context = options.sessionContext;
    this._exchange = new Exchange(options, {
      onEvents: events => this._received.emit(events),
      onHello: (hello, anew) => this._onHello(hello, anew),
      onBroken: problem => this._fail(problem),
      onStuck: () => this._renew(),
      isReady: () => this.status === 'ready'
    });
    this._watch = new KernelWatch(this._context, {
      onReplaced: () => this._onReplaced(),
      onRestarted: ({ speaks }) => this._onRestarted(speaks),
      onDied: () => this._onDied(),
      onIdle: () => this._onIdle(),
      onConnection: connected => this._onConnection(connected)
    });
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
    return this._standing.status;
  }

  /** Why the status is `failed`; empty otherwise. */
  get problem(): string {
    return this._standing.problem;
  }

  get statusChanged(): ISignal<Standing, Status> {
    return this._standing.changed;
  }

  /** The events of one frame, in order. */
  get received(): ISignal<this, readonly Event[]> {
    return this._received;
  }

  /** Whether something was sent that the kernel has not taken, and will be sent again. */
  get isWaiting(): boolean {
    return this._exchange.isWaiting;
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
    this._attaching ??= this._attach()
      .catch((error: unknown) => this._onFailedAttach(error))
      .finally(() => {
        this._attaching = null;
        if (isClosed(this.status)) {
          this._exchange.clear();
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
    if (this.status !== 'ready' || !this._line?.send(command)) {
      void this.send(command);
    }
  }

  /**
   * Send commands in one frame, attaching first where needed. They reach the kernel in the order in which they were sent, each once,
   * however often comms, subshells and sockets go meanwhile; where nobody can take them the status says why.
   */
  async send(...commands: Command[]): Promise<void> {
    this._exchange.keep(commands);
    if (this.status === 'ready' && this._pair) {
      this._exchange.send({ again: false });
    } else {
      await this.attach({ load: true });
    }
  }

  /** The document has another path: say so. */
  renamed(): void {
    if (this.status === 'ready') {
      this._exchange.sayAttach();
    }
  }

  dispose(): void {
    if (this._disposed) {
      return;
    }
    this._disposed = true;
    this._leaving.dispose();
    this._watch.dispose();
    this._exchange.clear();
    this._close();
    Signal.clearData(this);
    this._standing.dispose();
  }

  // --- opening ---------------------------------------------------------------------------------------------------------

  private async _attach(): Promise<void> {
    const kernel = this._context.session?.kernel;
    if (!kernel || !(await this._speaksPython(kernel))) {
      return;
    }
    this._standing.set(kernel.status === 'busy' ? 'waiting' : 'connecting');
    let outcome = await this._open(kernel, HELLO_TIMEOUT);
    if (outcome === 'refused' && this._wanted) {
      this._standing.set(kernel.status === 'busy' ? 'waiting' : 'connecting');
      const problem = await loadExtension(kernel, () => this._standing.set('waiting'));
      if (problem !== null) {
        this._standing.set('failed', problem);
        return;
      }
      outcome = await this._open(kernel, HELLO_TIMEOUT_LOADED);
    }
    const isOurs = !this._disposed && this._context.session?.kernel === kernel;
    if (isOurs && outcome === 'refused' && this.status !== 'failed') {
      this._standing.set(this._wanted ? 'failed' : 'detached', 'The Spark extension in the kernel does not answer.');
    }
  }

  /** A kernel that goes away meanwhile cancels what waits for it. What that means is seen from its status. */
  private _onFailedAttach(error: unknown): void {
    const kernel = this._context.session?.kernel;
    if (kernel && isFault(error, kernel)) {
      this._standing.set('failed', `The kernel could not be reached (${String(error)}).`);
    }
  }

  private async _speaksPython(kernel: Kernel.IKernelConnection): Promise<boolean> {
    const speaks = (await kernel.info).language_info.name === 'python';
    if (!speaks) {
      this._standing.set('unsupported');
    }
    return speaks;
  }

  /** Open both comms and attach. */
  private async _open(kernel: Kernel.IKernelConnection, patience: number): Promise<Outcome> {
    await this._retire();
    const pair = new CommPair(kernel, {
      onFrame: frame => this._exchange.receive(frame),
      onAnswer: answer => this._exchange.answered(pair, answer),
      onClosed: () => this._onClosed()
    });
    this._exchange.pair = pair;
    await pair.started(() => this._standing.set('waiting'));
    return this._pair === pair ? this._greet(pair, patience) : 'gone';
  }

  private async _greet(pair: CommPair, patience: number): Promise<Outcome> {
    const greeting = (this._greeting = new Greeting(pair, patience, () => this._standing.set('waiting')));
    pair.open(this._exchange.who.clientId).then(
      open => (open ? this._exchange.sayAttach() : greeting.end('refused')),
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
    this._exchange.pair = null;
    this._greeting?.end(outcome);
  }

  /** The kernel has closed a comm: it does not know the targets, or somebody has unloaded the extension. */
  private _onClosed(): void {
    const wasReady = this.status === 'ready';
    this._close('refused');
    if (wasReady) {
      // Spark comes back when somebody asks for it, not by itself.
      this._wanted = false;
      this._standing.set('detached');
      if (this._exchange.isWaiting) {
        void this.attach({ load: true });
      }
    }
  }

  // --- what is said over it --------------------------------------------------------------------------------------------

  /** What was sent does not arrive: attach anew, on new comms and new subshells, and send it again. */
  private _renew(): void {
    if (this.status !== 'ready') {
      return; // the client is being attached anew already, or comes back with the socket
    }
    if (!this._exchange.renew()) {
      this._exchange.clear();
      this._fail('The Spark extension in the kernel takes no commands. Restart the kernel if this lasts.');
      return;
    }
    this._standing.set('connecting');
    void this.attach({ load: true });
  }

  /** Nothing more is said over these comms. */
  private _fail(problem: string): void {
    this._close();
    this._standing.set('failed', problem);
  }

  /** Until both comms are open it may be the answer to an attempt before this one; then there will be another. */
  private _onHello(hello: Hello, anew: boolean): void {
    if (anew) {
      this._lost.emit('Spark was started anew in the kernel.');
    }
    this._suggestions = hello.suggestions ?? 'on';
    if (this._pair?.isOpen && this._greeting) {
      this._standing.set('ready');
      this._greeting.end('ready');
      this._line ??= lineTo(this._pair.kernel, {
        attach: () => this._exchange.attachment(),
        onFrame: frame => this._exchange.receive(frame)
      });
      this._exchange.send({ again: true });
    }
  }

  // --- what happens to the kernel ----------------------------------------------------------------------------------------

  private _onReplaced(): void {
    this._forget('The kernel was replaced.');
    this._settle();
  }

  /** Where it `speaks` already, JupyterLab has comms with the new kernel that it does not know. */
  private _onRestarted(speaks: boolean): void {
    if (!speaks) {
      this._forget('The kernel was restarted.');
    } else if (this._pair !== null) {
      this._forget('The kernel was restarted.', { speaks });
      window.setTimeout(() => this._returnAfterRestart(), SETTLED);
    }
  }

  private _onDied(): void {
    this._forget('The kernel has died.');
    this._standing.set('no-kernel');
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
    const settled = kernel?.status === 'idle' && kernel.connectionStatus === 'connected';
    if (settled && this.status === 'detached' && this._wanted && !this._disposed) {
      void this.attach({ load: true });
    }
  }

  private _onConnection(connected: boolean): void {
    if (connected && this.status === 'offline') {
      this._standing.set('ready');
      this._exchange.sayAttach();
      this._exchange.send({ again: true });
    } else if (connected && this.status === 'detached') {
      window.setTimeout(() => this._returnAfterRestart(), SETTLED);
    } else if (!connected && this.status === 'ready') {
      this._standing.set('offline');
    }
  }

  /** The kernel's memory is gone: begin anew. */
  private _forget(reason: string, { speaks = false }: { speaks?: boolean } = {}): void {
    const knew = this._pair !== null || this._exchange.hasHeard;
    if (!speaks) {
      this._pair?.abandon();
    }
    this._close();
    this._exchange.forget();
    this._suggestions = 'on';
    if (this.status !== 'unsupported') {
      this._standing.set('detached');
    }
    if (knew) {
      this._lost.emit(reason);
    }
  }

  private _settle(): void {
    const kernel = this._context.session?.kernel;
    this._standing.set(kernel ? 'detached' : 'no-kernel');
    if (kernel) {
      this._speaksPython(kernel).catch((error: unknown) => this._onFailedAttach(error));
    }
  }

  /** A page that goes away leaves a subshell thread and a writer in the kernel unless its comms are closed. */
  private _leave(): boolean {
    const attached = this._pair !== null;
    this._close();
    if (attached) {
      this._standing.set('detached');
    }
    return attached;
  }

  private get _pair(): CommPair | null {
    return this._exchange.pair;
  }

  private readonly _context: ISessionContext;
  private readonly _exchange: Exchange;
  private readonly _watch: KernelWatch;
  private readonly _leaving: IDisposable;
  private readonly _received = new Signal<this, readonly Event[]>(this);
  private readonly _lost = new Signal<this, string>(this);
  private readonly _standing = new Standing();
  private _disposed = false;
  /** Whether the user has asked for Spark here, so that a new kernel is attached too. */
  private _wanted = false;
  /** The short way, where Jupyter's server has one. */
  private _line: Line | null = null;
  private _attaching: Promise<void> | null = null;
  private _greeting: Greeting | null = null;
  private _suggestions: Required<Hello>['suggestions'] = 'on';
}

export namespace Transport {
  export interface IOptions extends Who {
    readonly sessionContext: ISessionContext;
  }
}
