// State machine of suggestions: what to request, drop and show.
//
// One request is under way at most. Typing what it says keeps it; a key that contradicts it drops it. A request that has said nothing yet
// is kept until it speaks, or is overdue: then the newest is asked for in its place. Its owner has the clock, the connection and the
// screen.

import type { Completed, Mend } from '../messages';
import { isInWord, shownPart } from './partialAccept';
import { RequestPace } from './requestPace';
import { TypingPause } from './typingPause';
import { type Entry, type Found, SuggestionCache } from './suggestionCache';
import { isEmpty, isInOwnWords, isSame, lineOf, restOf, type Situation, typedSince } from './cursorContext';

/** Suggestions that a request for another one names. */
const MOST_OTHERS = 8;
const LONGEST_OTHER = 4000;
/** Characters of a suggestion that are typed by nobody who did not want it. */
const TYPED_ALONG = 4;
/** Milliseconds after which an answer to a key counts as lost: the key asks again then, or it would do nothing for ever. */
const LOST = 15_000;

/** What has brought the user here. `entered`: an empty cell became the active one, or the cell above it has run. */
export type Move = 'typed' | 'deleted' | 'moved' | 'entered';

/** What is shown at the cursor. */
export interface Shown {
  /** The request that said it. */
  readonly id: string;
  readonly text: string;
  readonly mends: readonly Mend[];
}

/** A request. */
export interface Request {
  readonly id: string;
  readonly situation: Situation;
  /** By a key, and not by a pause in typing. */
  readonly byKey: boolean;
  readonly otherThan: readonly string[];
}

/** What the owner does. */
export interface Owner {
  /** A name for a request. */
  newId(): string;
  /** Milliseconds, as `went` is told. */
  now(): number;
  /** Whether anything may be asked for by itself: the user's budget of the day is not spent. */
  mayAsk(): boolean;
  ask(request: Request): void;
  /** Nobody waits for that request any more. */
  drop(id: string): void;
  /** Show this at the cursor; null: nothing. */
  show(shown: Shown | null): void;
  /** Call `woken` after so many milliseconds, and not when it was said before; null: never. */
  wake(milliseconds: number | null): void;
  /** Who asked by a key gets nothing: why, in a sentence, or empty. */
  explainNothing(problem: string): void;
}

/** One browser's suggestions. */
export class SuggestionMachine {
  private readonly _cache = new SuggestionCache();
  private readonly _pause = new TypingPause();
  private readonly _pace = new RequestPace();
  private _now: Situation | null = null;
  private _flight: Request | null = null;
  private _askedAt = 0;
  private _shown: Shown | null = null;
  /** The entry that was chosen among several. */
  private _chosen = '';
  /** The line in which the user does not want any. */
  private _hiddenLine = '';
  /** The request whose provider's time was learned from last: each is one sample, however often more of it comes. */
  private _learned = '';
  private _lastKey = Number.NEGATIVE_INFINITY;
  /** Whether a request is wanted as soon as the one under way turns out to say something else. */
  private _wants = false;

  constructor(private readonly _owner: Owner) {}

  get shown(): Shown | null {
    return this._shown;
  }

  /** How long is waited for another key, in milliseconds. */
  get pause(): number {
    return this._pause.length;
  }

  /**
   * The cursor stands here now; null: nowhere where anything may be shown. `at` is in milliseconds. With `asks` false nothing is asked for
   * by itself; `wait`: not before so many milliseconds, within which more may be known.
   */
  cursorMoved(now: Situation | null, move: Move, at: number, { asks, wait = 0 }: { asks: boolean; wait?: number }): void {
    const gap = at - this._lastKey;
    this._lastKey = move === 'typed' || move === 'deleted' ? at : this._lastKey;
    if (move === 'moved' && asks && now && this._wants && this._now && isSame(this._now, now)) {
      return; // an editor says more than once that the cursor stands where it stands: what is wanted is wanted still
    }
    this._now = now;
    if (!now || (this._hiddenLine !== '' && lineOf(now) === this._hiddenLine)) {
      this._stop();
      return;
    }
    this._hiddenLine = '';
    const contradicted = this._flight && !this._mayStillSay(this._flight, now) ? this._flight : null;
    if (contradicted && contradicted.situation.host !== now.host) {
      this._drop();
    } else if (contradicted) {
      this._flight = null;
    }
    const known = this._showKnown(now);
    this._wants = !known && asks && isWorthAsking(now, move) && !this._cache.isSilent(now);
    if (!this._wants) {
      this._owner.wake(null);
    } else if (wait > 0) {
      this._owner.wake(wait);
    } else if (this._flight) {
      this._owner.wake(Math.max(this._pause.length, this._askedAt + this._pause.patience - at));
    } else if (move === 'deleted') {
      this._owner.wake(this._pause.length);
    } else {
      this._wait(this._pause.after(gap));
    }
    if (contradicted?.situation.host === now.host && !this._flight) {
      this._owner.drop(contradicted.id); // a request that is sent at once drops it by itself: one message less is before it
    }
  }

  /** The time has come. */
  timerFired(): void {
    if (this._wants && this._now) {
      this._ask(this._now);
    }
  }

  /** The user asks by a key. */
  request(now: Situation): void {
    this._now = now;
    this._hiddenLine = '';
    const known = this._cache.find(now);
    const isAsked = this._flight?.byKey && isSame(this._flight.situation, now) && this._owner.now() - this._askedAt < LOST;
    if (isAsked || (!this._shown && this._showKnown(now))) {
      return; // who presses the key again while an answer is awaited does not want to wait for it anew
    }
    this._ask(now, { byKey: true, otherThan: known.map(({ rest }) => rest) });
  }

  /** Show an older or a newer suggestion for the same cursor; after the newest, another one is asked for. */
  step(by: 1 | -1): void {
    const now = this._now;
    if (!now || !this._shown) {
      return;
    }
    const known = this._cache.find(now);
    const at = known.findIndex(({ entry }) => entry.id === this._shown?.id);
    const next = known[at - by]; // the newest comes first
    if (next) {
      this._show(next, now);
    } else if (by === 1 && !this._flight) {
      this._ask(now, { byKey: true, otherThan: known.map(({ rest }) => rest) });
    }
  }

  /** The user has taken a part of what is shown. */
  accepted(): void {
    this._pace.used();
  }

  /** The user does not want it: not here, until another line is gone to or one is asked for. */
  hide(): void {
    if (this._now) {
      this._hiddenLine = lineOf(this._now);
    }
    this._stop();
  }

  /** The kernel says what may be shown by now. */
  completed(event: Completed): void {
    const flight = this._flight;
    if (!flight || event.completion_id !== flight.id) {
      return; // the request was dropped
    }
    const { text = '', mends = [], done = false, first_text: firstText = null, problem = '' } = event;
    this._cache.put({ id: flight.id, situation: flight.situation, text, mends, done });
    if (this._learned !== flight.id && (done || text !== '')) {
      this._learned = flight.id;
      this._pause.learn(firstText);
    }
    this._flight = done ? null : flight;
    this._take(flight, text, done, problem);
  }

  /** What was asked for is not answered any more. */
  lost(): void {
    this._flight = null;
  }

  // --- inside ------------------------------------------------------------------------------------------------------------

  private _take(flight: Request, text: string, done: boolean, problem: string): void {
    const now = this._now;
    if (!now) {
      return;
    }
    if (restOf(flight.situation, text, now) === null && !(this._flight && this._mayStillSay(flight, now, text))) {
      this._drop();
      if (this._wants) {
        this._ask(now);
      }
      return;
    }
    if (text !== '') {
      this._chosen = flight.id;
    }
    const known = this._showKnown(now);
    if (known || done) {
      this._wants = false;
      this._owner.wake(null);
    }
    if (done && flight.byKey && (text === '' || flight.otherThan.includes(text))) {
      this._owner.explainNothing(problem);
    }
  }

  private _wait(milliseconds: number): void {
    if (milliseconds > 0) {
      this._owner.wake(milliseconds);
    } else {
      this.timerFired();
    }
  }

  private _ask(now: Situation, { byKey = false, otherThan = [] }: { byKey?: boolean; otherThan?: readonly string[] } = {}): void {
    const wait = byKey ? 0 : this._pace.wait(this._owner.now());
    if (wait > 0) {
      this._wants = true;
      this._owner.wake(wait);
      return;
    }
    this._owner.wake(null);
    this._wants = false;
    if (!byKey && !this._owner.mayAsk()) {
      return;
    }
    if (this._flight && this._flight.situation.host !== now.host) {
      this._drop(); // within one place the newest drops the one before by itself
    }
    const others = otherThan.filter(text => text.length <= LONGEST_OTHER).slice(0, MOST_OTHERS);
    this._flight = { id: this._owner.newId(), situation: now, byKey, otherThan: others };
    this._askedAt = this._owner.now();
    if (!byKey) {
      this._pace.asked(this._askedAt);
    }
    this._owner.ask(this._flight);
  }

  /** Whether a request that was made for another cursor may still say something for this one, having said `text`. */
  private _mayStillSay({ id, situation }: Request, now: Situation, text = this._cache.textOf(id)): boolean {
    const since = typedSince(situation, now);
    return since !== null && (text.startsWith(since.typed) || since.typed.startsWith(text));
  }

  /** Show what is known for the cursor, if anything is. */
  private _showKnown(now: Situation): boolean {
    const known = this._cache.find(now).filter(({ rest }) => shownPart(rest, now.after) !== '');
    const found = known.find(({ entry }) => entry.id === this._chosen) ?? known[0];
    if (found) {
      this._show(found, now);
    } else {
      this._clear();
    }
    return found !== undefined;
  }

  private _show({ entry, rest }: Found, now: Situation): void {
    const text = shownPart(rest, now.after);
    const offset = typedSince(entry.situation, now)?.typed.length ?? 0;
    this._chosen = entry.id;
    if (offset >= TYPED_ALONG) {
      this._pace.used();
    }
    this._shown = { id: entry.id, text, mends: mendsFrom(entry, offset, text.length) };
    this._owner.show(this._shown);
  }

  private _clear(): void {
    if (this._shown) {
      this._shown = null;
      this._owner.show(null);
    }
  }

  private _drop(): void {
    if (this._flight) {
      this._owner.drop(this._flight.id);
      this._flight = null;
    }
  }

  private _stop(): void {
    this._wants = false;
    this._owner.wake(null);
    this._drop();
    this._clear();
  }
}

/** Whether something is to be asked for by itself: the user writes here, or comes to an empty cell. */
function isWorthAsking(now: Situation, move: Move): boolean {
  const comes = move === 'entered' ? isEmpty(now) : move !== 'moved';
  return comes && !isInWord(now.after) && !isInOwnWords(now);
}

/** The mended names in what is shown, by their places in it: `start` counts characters, strings count half of a surrogate pair. */
function mendsFrom({ text, mends }: Entry, offset: number, length: number): readonly Mend[] {
  const characters = Array.from(text);
  return mends
    .map(mend => ({ ...mend, start: characters.slice(0, mend.start).join('').length - offset }))
    .filter(({ start, right }) => start >= 0 && start + right.length <= length);
}
