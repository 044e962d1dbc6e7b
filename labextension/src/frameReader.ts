// Event frames in order, each once, with gaps reported.
//
// Frames are numbered from 1 within one kernel's life. A frame that was seen is dropped, one that comes too early is held until
// the ones before it have come again. Hello concerns one client only, so it is taken whatever its number is; a Snapshot
// replaces everything, so it sets the count. A frame without a number (0) is an answer for this client alone: it is taken as it comes.

import { PROTOCOL_VERSION, type Event, type EventFrame } from './messages';

/** The number of a frame that stands beside the numbered ones. */
const UNNUMBERED = 0;

/** What one frame led to. */
export interface Received {
  /** Events to take in now, in order. */
  readonly events: readonly Event[];
  /** The frame from which on the kernel is to send again; null when nothing is missing. */
  readonly resendFrom: number | null;
}

/** The frame can't be read. `message` is a sentence for the user. */
export class FrameError extends Error {}

/** Puts the frames of one kernel in order. */
export class FrameReader {
  private _last: number;
  private readonly _early = new Map<number, EventFrame>();

  /** `last` is the number of the last frame that was taken in; 0 when none was. */
  constructor(last = 0) {
    this._last = last;
  }

  /** The number of the last frame that was taken in. */
  get last(): number {
    return this._last;
  }

  /** Take in a frame's text. Throws FrameError where it is not a frame of this version. */
  receive(text: string): Received {
    const frame = parse(text);
    if (frame.msgs.some(event => event.type === 'Snapshot')) {
      return this._restart(frame);
    }
    if (frame.seq === UNNUMBERED) {
      return { events: frame.msgs, resendFrom: null };
    }
    if (frame.seq === this._last + 1 || this._last === 0) {
      return this._take(frame);
    }
    if (isGreeting(frame)) {
      return { events: frame.msgs, resendFrom: null };
    }
    if (frame.seq <= this._last) {
      return { events: [], resendFrom: null };
    }
    const asked = this._early.size > 0;
    this._early.set(frame.seq, frame);
    return { events: [], resendFrom: asked ? null : this._last + 1 };
  }

  private _restart(frame: EventFrame): Received {
    this._last = frame.seq;
    for (const seq of this._early.keys()) {
      if (seq <= frame.seq) {
        this._early.delete(seq);
      }
    }
    return { events: [...frame.msgs, ...this._drain()], resendFrom: null };
  }

  private _take(frame: EventFrame): Received {
    // Before the first frame any number is right, but a greeting's own number says nothing about what follows it.
    if (this._last !== 0 || !isGreeting(frame)) {
      this._last = frame.seq;
    }
    return { events: [...frame.msgs, ...this._drain()], resendFrom: null };
  }

  private _drain(): Event[] {
    const events: Event[] = [];
    for (let next = this._early.get(this._last + 1); next; next = this._early.get(this._last + 1)) {
      this._early.delete(next.seq);
      this._last = next.seq;
      events.push(...next.msgs);
    }
    return events;
  }
}

function isGreeting(frame: EventFrame): boolean {
  return frame.msgs.every(event => event.type === 'Hello');
}

function parse(text: string): EventFrame {
  let frame: Partial<EventFrame>;
  try {
    frame = JSON.parse(text) as Partial<EventFrame>;
  } catch {
    throw new FrameError('The kernel sent something that is not JSON.');
  }
  if (frame.v !== PROTOCOL_VERSION) {
    throw new FrameError(
      `The kernel speaks version ${String(frame.v)} of the Spark protocol, this page version ${PROTOCOL_VERSION}. ` +
        'Install the same version of spark-jupyter on both sides, then reload the page.'
    );
  }
  if (typeof frame.seq !== 'number' || !Array.isArray(frame.msgs)) {
    throw new FrameError('The kernel sent something that is not a frame.');
  }
  return frame as EventFrame;
}
