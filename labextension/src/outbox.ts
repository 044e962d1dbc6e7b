// Outbox of numbered commands, kept until the kernel acknowledges them.
//
// The kernel takes the frames of one page in order and each once, and says the number of the last one it took. So all that
// is not acknowledged may be sent again at any time: after a reattachment, on another comm, twice.

import { type Command, type CommandFrame, PROTOCOL_VERSION } from './messages';

/** The number of a frame that is not counted: one that opens the conversation, or asks for events again. */
export const UNCOUNTED = 0;

/** What has been said and may not have been heard. */
export class Outbox {
  private readonly _pending: CommandFrame[] = [];
  private _last = 0;
  private _sent = 0;

  /** The number of the first frame that the kernel may not have. */
  get next(): number {
    return this._pending[0]?.seq ?? this._last + 1;
  }

  /** The frames that are not acknowledged, in order. */
  get pending(): readonly CommandFrame[] {
    return this._pending;
  }

  /** Put commands into a frame of their own. */
  add(commands: readonly Command[]): void {
    this._last += 1;
    this._pending.push({ v: PROTOCOL_VERSION, seq: this._last, msgs: commands });
  }

  /** The frames that were never sent; from now on they were. */
  takeUnsent(): readonly CommandFrame[] {
    const unsent = this._pending.filter(frame => frame.seq > this._sent);
    this._sent = this._last;
    return unsent;
  }

  /** All frames that are not acknowledged, to be sent again. */
  takeAll(): readonly CommandFrame[] {
    this._sent = this._last;
    return [...this._pending];
  }

  /** The kernel has taken every frame up to this one. Returns whether that was news. */
  acknowledge(seq: number): boolean {
    const taken = this._pending.filter(frame => frame.seq <= seq).length;
    this._pending.splice(0, taken);
    return taken > 0;
  }

  /** The kernel that was spoken to is gone: what it was told concerned only it. What was never sent is still to be said. */
  forgetSent(): void {
    this.acknowledge(this._sent);
  }

  /** Nobody will take it. */
  clear(): void {
    this._pending.length = 0;
  }
}
