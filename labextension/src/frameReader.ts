// Event frames in order, each once, with gaps reported.
//
// Frames are numbered from 1 within one kernel's life. A frame that was seen is dropped, one that comes too early is held until
// the ones before it have come again. Hello concerns one client only, so it is taken whatever its number is; a Snapshot
// replaces everything, so it sets the count. A frame without a number (0) is an answer for this client alone: it is taken as it comes.

import { PROTOCOL_VERSION, type Event, type EventFrame } from './messages';
import { isEvent, salvaged } from './messageCheck';
import { t } from './translation';
import { isObject, type Json } from './validate';

/** The number of a frame that stands beside the numbered ones. */
const UNNUMBERED = 0;

/** Frames that are held because they come too early. Those beyond are dropped: the kernel sends them again. */
const MOST_EARLY = 1000;

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
  private _hasComplained = false;
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
    const { msgs, ...rest } = parse(text);
    const frame: EventFrame = { ...rest, msgs: msgs.flatMap(event => this._read(event)) };
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
    if (this._early.size < MOST_EARLY) {
      this._early.set(frame.seq, frame);
    }
    return { events: [], resendFrom: asked ? null : this._last + 1 };
  }

  /** An event, or what of it can be read; that something can't be is said once, or a kernel of another version would say it for ever. */
  private _read(event: Json): Event[] {
    if (isEvent(event)) {
      return [event as unknown as Event];
    }
    const said = this._hasComplained ? [] : [unreadable()];
    this._hasComplained = true;
    const rest = salvaged(event);
    return rest ? [rest as unknown as Event, ...said] : said;
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
  return frame.msgs.length > 0 && frame.msgs.every(event => event.type === 'Hello');
}

/** The event in a text. Throws FrameError where there is none. */
export function parseEvent(text: string): Event {
  const event = parseJson(text);
  if (!isTyped(event)) {
    throw new FrameError('The kernel sent something that is not an event.');
  }
  return isEvent(event) ? (event as unknown as Event) : unreadable();
}

function isTyped(value: unknown): value is Json {
  return isObject(value) && typeof value.type === 'string';
}

/** What is said where something is not as its type says. */
function unreadable(): Event {
  const remedy = t('Install the same version of Spark on both sides, then reload the page.');
  return { type: 'Problem', code: 'protocol_error', message: t('The kernel sent something that this page can’t read.'), remedy };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new FrameError('The kernel sent something that is not JSON.');
  }
}

function parse(text: string): Omit<EventFrame, 'msgs'> & { readonly msgs: readonly Json[] } {
  const frame = parseJson(text);
  if (!isObject(frame)) {
    throw new FrameError('The kernel sent something that is not a frame.');
  }
  if (frame.v !== PROTOCOL_VERSION) {
    throw new FrameError(
      `The kernel speaks version ${String(frame.v)} of the Spark protocol, this page version ${PROTOCOL_VERSION}. ` +
        'Install the same version of spark-jupyter on both sides, then reload the page.'
    );
  }
  if (!Number.isSafeInteger(frame.seq) || Number(frame.seq) < 0 || !Array.isArray(frame.msgs) || !frame.msgs.every(isTyped)) {
    throw new FrameError('The kernel sent something that is not a frame.');
  }
  return frame as unknown as ReturnType<typeof parse>;
}
