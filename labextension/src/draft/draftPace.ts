// Pace of drafts: when words are asked for, put off or dropped.

import { contentWords, isRipe, LEAST, type Words } from './draftWords';

/** Milliseconds without a key after which a draft is asked for: the most, also before it is known how somebody types, and the least. */
export const PAUSE = 150;
const LEAST_PAUSE = 100;
/** Milliseconds, where hardly anything was added since the last one. */
export const LONG_PAUSE = 500;
/** Gaps between keys that say how somebody types, and the milliseconds from which on a gap is a pause. */
const GAPS = 30;
const NO_GAP = 600;
/** Of the gaps between keys nine in ten are shorter than a pause. */
const SHORTER = 0.9;
/** Content words that are more than hardly anything. */
const ENOUGH = 2;
/** Milliseconds for which a draft may go on while the words grow. */
const PATIENCE = 1500;
/** Drafts that may follow each other at once, and milliseconds after which there may be one more: 58 in ten minutes. */
const MOST = 6;
const REFILL = 11_500;
/** Milliseconds that a pause takes at least where 1, 2 or 3 of them are left: the last ones are for who has stopped to think. */
const SCARCE = [1200, 800, 500];

/** What the pace has done, and by which clock. */
export interface DraftActions {
  now(): number;
  /** Call `draftPace.wake` in so many milliseconds, and not for what was asked before; null: not at all. */
  wake(milliseconds: number | null): void;
  /** Whether a draft can be asked for now; where not, it is put off, and none of those that may follow is spent. */
  canAsk(words: Words): boolean;
  ask(words: Words): void;
  /** Drop what was asked for; with `clear` it says something else than the words do by now. */
  drop(clear: boolean): void;
}

/** Milliseconds without a key that are a pause for who types with these gaps between keys. */
export function pauseOf(gaps: readonly number[]): number {
  const sorted = [...gaps].sort((a, b) => a - b);
  const longest = sorted.at(Math.floor(sorted.length * SHORTER));
  return sorted.length < GAPS || longest === undefined ? PAUSE : Math.min(PAUSE, Math.max(LEAST_PAUSE, Math.ceil(longest)));
}

/** How somebody types, and how many drafts may be asked for by now: the same for all cells. */
export class DraftRhythm {
  private _gaps: number[] = [];
  private _last = -Infinity;
  private _left = MOST;
  private _filled = 0;

  /** A key was pressed. */
  key(now: number): void {
    const gap = now - this._last;
    this._last = now;
    this._gaps = gap < NO_GAP ? [...this._gaps.slice(1 - GAPS), gap] : this._gaps;
  }

  /** Milliseconds without a key that are a pause now. */
  pause(now: number): number {
    this._fill(now);
    return Math.max(pauseOf(this._gaps), SCARCE[this._left - 1] ?? 0);
  }

  /** Take one of the drafts that may be asked for; milliseconds to wait where there is none. */
  take(now: number): number {
    this._fill(now);
    if (this._left < 1) {
      return this._filled + (1 - this._left) * REFILL - now;
    }
    this._left -= 1;
    return 0;
  }

  /** So many requests were made that nobody took: a draft that failed in its copy was written again. */
  charge(requests: number): void {
    this._left -= requests;
  }

  private _fill(now: number): void {
    const more = Math.floor((now - this._filled) / REFILL);
    if (this._left >= MOST || more > 0) {
      this._left = Math.min(MOST, this._left + more);
      this._filled = this._left >= MOST ? now : this._filled + more * REFILL;
    }
  }
}

/** One cell's words, and what was asked for them: at most one draft is written, and one waits. */
export class DraftPace {
  private _words: Words | null = null;
  private _asked: Words | null = null;
  private _since = 0;
  private _typedAt = -Infinity;
  private _flies = false;
  private _hidden = '';

  constructor(
    private readonly _do: DraftActions,
    private readonly _rhythm = new DraftRhythm()
  ) {}

  /** The words for which the present draft is; null: there is none. */
  get asked(): Words | null {
    return this._asked;
  }

  /** What stands there now; null: nothing that a draft could be written for. */
  typed(words: Words | null): void {
    const now = words && isRipe(words) && words.text !== this._hidden ? words : null;
    this._words = now;
    this._typedAt = this._do.now();
    this._hidden = words?.text === this._hidden ? this._hidden : '';
    if (this._asked && !(now && continues(this._asked, now))) {
      this._asked = null;
      this._flies = false;
      this._do.drop(true);
    }
    const isNew = now !== null && now.text !== this._asked?.text;
    this._do.wake(isNew ? this._pause(now) : null);
  }

  /** The pause is over. */
  wake(): void {
    const { _words: words } = this;
    if (!words || words.text === this._asked?.text) {
      return;
    }
    const flies = this._flies ? this._since + PATIENCE - this._do.now() : 0;
    if (flies > 0) {
      this._do.wake(flies); // what is written ends first, and asks again then
      return;
    }
    const wait = this._do.canAsk(words) ? this._rhythm.take(this._do.now()) : LONG_PAUSE;
    if (wait > 0) {
      this._do.wake(wait);
      return;
    }
    this._flies && this._do.drop(false);
    this._asked = words;
    this._since = this._do.now();
    this._flies = true;
    this._do.ask(words);
  }

  /** What was asked for is written. */
  ended(): void {
    if (this._flies) {
      this._flies = false;
      const left = this._words ? this._typedAt + this._pause(this._words) - this._do.now() : 0;
      left > 0 ? this._do.wake(left) : this.wake();
    }
  }

  /** Nothing more, until the words change. */
  hide(): void {
    this._hidden = this._words?.text ?? '';
    this.typed(this._words);
  }

  /** A half-written cell waits for longer: a suggestion at the cursor may come first. So do few words: more may follow. */
  private _pause({ kind, text }: Words): number {
    const words = contentWords(text).length;
    const more = words - (this._asked ? contentWords(this._asked.text).length : 0);
    return more >= ENOUGH && (words >= LEAST || kind === 'function') && kind !== 'cell' ? this._rhythm.pause(this._do.now()) : LONG_PAUSE;
  }
}

/** Whether words only go on from those that were asked for. */
function continues(asked: Words, now: Words): boolean {
  return asked.kind === now.kind && now.text.startsWith(asked.text);
}
