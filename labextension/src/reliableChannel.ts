// Reliable, ordered delivery of frames between a document and the kernel.
//
// What was sent is kept until it is acknowledged, and what is missing is asked for again, whatever comms carry it. The channel lives as
// long as the extension in the kernel; it does not know what the messages mean.

import { MOST_HINTS } from './constants';
import type { Answer, CommPair } from './comms';
import { FrameError, FrameReader, parseEvent } from './frameReader';
import type { Attach, Command, Event, Hello, Person, PromptPolicy } from './messages';
import { Sender } from './commandSender';

/** How often in a row the kernel is attached again because it acknowledges nothing. */
const MOST_RENEWALS = 3;
/** Milliseconds: how long frames that were asked for again may take before everything is asked for. */
const RESEND_TIMEOUT = 2000;

/** Who is here. */
export interface Who {
  /** Names this document in this tab; fit for a cell id. */
  readonly clientId: string;
  /** The notebook's path now. */
  readonly path: () => string;
  /** Whether there is a notebook here into which cells can be written. */
  readonly canWrite: boolean;
  /** What the notebook's author lets prompts write. */
  readonly prompts?: () => PromptPolicy;
  readonly hints?: () => number;
  readonly promptLimit?: () => number | null;
  /** What a teacher has signed. */
  readonly course?: () => Pick<Attach, 'course' | 'hashes'>;
  /** The user; null where that is not known. */
  readonly person?: () => Person | null;
}

/** Who is told what comes of it. */
export interface ChannelListener {
  /** The events of one frame, in order. */
  onEvents(events: readonly Event[]): void;
  /** The kernel has answered who is here. `anew`: it knows nothing of what was said before. Comes before the other events of its frame. */
  onHello(hello: Hello, anew: boolean): void;
  /** The kernel speaks another version. The argument is a sentence. */
  onBroken(problem: string): void;
  /** An acknowledgement stays out although the kernel could give it. */
  onStuck(): void;
  /** Whether the kernel takes what is said. */
  isReady(): boolean;
}

/** All that was said, and is to be said, between one document and the kernel. */
export class ReliableChannel {
  constructor(
    readonly who: Who,
    private readonly _listener: ChannelListener
  ) {}

  /** The comms over which it goes now. */
  pair: CommPair | null = null;

  /** Whether something was sent that the kernel has not taken, and will be sent again. */
  get isWaiting(): boolean {
    return this._sender.isWaiting;
  }

  /** Whether something was heard. */
  get hasHeard(): boolean {
    return this._reader.last > 0;
  }

  /** Who is here and what it has. With `all` it has nothing. */
  attachment({ all = false }: { all?: boolean } = {}): Attach {
    return {
      type: 'Attach',
      client_id: this.who.clientId,
      last_seq: all ? 0 : this._reader.last,
      can_write: this.who.canWrite,
      notebook: this.who.path(),
      life: this._life,
      next_seq: this._sender.next,
      prompts: this.who.prompts?.() ?? 'on',
      hints: this.who.hints?.() ?? MOST_HINTS,
      prompt_limit: this.who.promptLimit?.() ?? null,
      ...this.who.course?.(),
      person: this.who.person?.() ?? null
    };
  }

  /** Say who is here; the kernel answers with a Hello and what was missed. */
  sayAttach(what: { all?: boolean } = {}): void {
    this._sayOnce(this.attachment(what));
  }

  /** Keep commands until they can be sent. */
  keep(commands: readonly Command[]): void {
    this._sender.keep(commands);
  }

  /** Send what was kept since. With `again` also what was sent and is not acknowledged. */
  send({ again }: { again: boolean }): void {
    if (this.pair) {
      this._sender.send(this.pair, { again });
    }
  }

  /** Nobody will take what was kept. */
  clear(): void {
    this._sender.clear();
  }

  /** The kernel's memory is gone: begin to count again. What it was never told is kept. */
  forget(): void {
    this._reader = new FrameReader();
    this._life = '';
    this._renewals = 0;
    this._refusal = '';
    this._sender.forgetSent();
  }

  /** Whether the kernel, which acknowledges nothing, is to be attached again: not for ever in a row. */
  renew(): boolean {
    this._renewals += 1;
    return this._renewals <= MOST_RENEWALS;
  }

  /** Take in a frame. */
  receive(text: string): void {
    this._read(() => {
      const { events, resendFrom } = this._reader.receive(text);
      if (resendFrom !== null) {
        this._askAgain(resendFrom);
      }
      events.filter(event => event.type === 'Hello').forEach(hello => this._greet(hello));
      if (events.length > 0) {
        this._listener.onEvents(events);
      }
    });
  }

  /** Take in what a pair of comms was answered. */
  answered(pair: CommPair, { ack, problem }: Answer): void {
    if (ack !== undefined && this._sender.acknowledge(pair, ack)) {
      this._renewals = 0;
    }
    if (problem && problem !== this._refusal) {
      this._refusal = problem; // each frame that it can't read would say so
      this._read(() => this._listener.onEvents([parseEvent(problem)]));
    }
  }

  /** Take in what the kernel sent; what can't be read is told. */
  private _read(take: () => void): void {
    try {
      take();
    } catch (error) {
      if (!(error instanceof FrameError)) {
        throw error;
      }
      this._listener.onBroken(error.message);
    }
  }

  private _greet(hello: Hello): void {
    const { life = '' } = hello;
    const anew = this._life !== '' && this._life !== life;
    this._life = life;
    this._listener.onHello(hello, anew);
  }

  private _askAgain(from: number): void {
    this._sayOnce({ type: 'Resend', from_seq: from });
    window.setTimeout(() => {
      if (this._reader.last < from && this._listener.isReady()) {
        this.sayAttach({ all: true });
      }
    }, RESEND_TIMEOUT);
  }

  private _sayOnce(command: Command): void {
    if (this.pair) {
      this._sender.sayOnce(this.pair, command);
    }
  }

  private _reader = new FrameReader();
  /** The life of the extension in the kernel that was spoken to last. */
  private _life = '';
  private readonly _sender = new Sender(() => this._listener.onStuck());
  /** What the kernel has answered last instead of taking a frame. */
  private _refusal = '';
  /** How often the kernel was attached again since it last acknowledged something. */
  private _renewals = 0;
}
