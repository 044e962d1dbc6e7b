// Sends commands over the comms and watches for acknowledgements.

import type { CommPair } from './comms';
import { type Command, PROTOCOL_VERSION } from './messages';
import { Outbox, UNCOUNTED } from './outbox';

/** Milliseconds: how long an acknowledgement may stay out before the kernel is attached again. */
const ACK_TIMEOUT = 5000;

/** Sends over one pair of comms after the other. */
export class Sender {
  /** `overdue` is called where an acknowledgement stays out although the kernel could give it. */
  constructor(private readonly _overdue: () => void) {}

  /** The number of the first frame that the kernel may not have. */
  get next(): number {
    return this._outbox.next;
  }

  /** Whether something is not acknowledged. */
  get isWaiting(): boolean {
    return this._outbox.pending.length > 0;
  }

  /** Keep commands until they can be sent. */
  keep(commands: readonly Command[]): void {
    this._outbox.add(commands);
  }

  /** Send what was kept since. With `again` also what was sent and is not acknowledged. */
  send(pair: CommPair, { again }: { again: boolean }): void {
    const frames = again ? this._outbox.takeAll() : this._outbox.takeUnsent();
    frames.forEach(frame => pair.send({ frame: JSON.stringify(frame) }));
    this._watchOver(pair);
  }

  /** Send a command that is neither counted nor kept. */
  sayOnce(pair: CommPair, command: Command): void {
    pair.send({ frame: JSON.stringify({ v: PROTOCOL_VERSION, seq: UNCOUNTED, msgs: [command] }) });
  }

  /** The kernel has taken every frame up to this one. Returns whether that was news. */
  acknowledge(pair: CommPair, seq: number): boolean {
    const news = this._outbox.acknowledge(seq);
    if (news) {
      this._watchOver(pair);
    }
    return news;
  }

  /** The kernel that was spoken to is gone; what it was never told is kept. */
  forgetSent(): void {
    this._outbox.forgetSent();
  }

  /** Nobody will take it. */
  clear(): void {
    this._outbox.clear();
    window.clearTimeout(this._watch);
  }

  /** A kernel that has to end a cell before it can answer is given the time. */
  private _watchOver(pair: CommPair): void {
    window.clearTimeout(this._watch);
    if (!this.isWaiting) {
      return;
    }
    this._watch = window.setTimeout(() => {
      if (pair.isOpen && pair.isHeard) {
        this._overdue();
      } else if (!pair.isClosed) {
        this._watchOver(pair);
      }
    }, ACK_TIMEOUT);
  }

  private readonly _outbox = new Outbox();
  private _watch = 0;
}
