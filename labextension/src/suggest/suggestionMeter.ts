// Meter of suggestions: shown, accepted, kept, cost.

import { type ISignal, Signal } from '@lumino/signaling';
import type { Completed } from '../messages';
import type { Shown } from './suggestionMachine';
import { storedTally, storeTally } from './storedChoices';
import { charged, counted, onDay, type Tally, tallyLine } from './suggestionTally';

/** Milliseconds for which a suggestion stands before it counts as shown: nobody reads faster. */
const READABLE = 300;
/** Milliseconds after which is looked whether an accepted suggestion still stands. */
const SETTLED = 30_000;

/** This browser's meter. */
export class SuggestionMeter {
  private readonly _changed = new Signal<this, void>(this);
  private _tally: Tally = storedTally();
  private _timer = 0;
  /** The one that stands on the screen, and the one that was counted last. */
  private _standing = '';
  private _counted = '';
  private _accepted = '';
  /** What was asked for last and is not on the screen yet: what was asked for before it is not waited for. */
  private _asked: { readonly id: string; readonly at: number } | null = null;

  get changed(): ISignal<this, void> {
    return this._changed;
  }

  get tally(): Tally {
    return this._tally;
  }

  /** Requests since the day began. */
  get requestsToday(): number {
    return onDay(this._tally, today()).today;
  }

  /** The meter in one line; empty where nothing was shown yet. */
  get line(): string {
    return tallyLine(this._tally, today());
  }

  /** A request was sent, for a key that was pressed `at` (milliseconds, as `performance.now`). */
  asked(id: string, at: number): void {
    this._asked = { id, at };
    this._tally = onDay(this._tally, today());
    this._count({ requests: 1, today: 1 });
  }

  /** This is shown now. */
  shown(shown: Shown | null): void {
    if (!shown || shown.id !== this._standing) {
      window.clearTimeout(this._timer);
    }
    if (shown && shown.id !== this._standing) {
      this._time(shown.id);
      this._timer = window.setTimeout(() => this._countShown(shown.id), READABLE);
    }
    this._standing = shown?.id ?? '';
  }

  /** A part of it was accepted; `source` is what its cell holds whenever it is looked at, null where it was closed. */
  accepted(id: string, text: string, source: () => string | null): void {
    this._countShown(id);
    if (id !== this._accepted) {
      this._accepted = id;
      this._count({ accepted: 1 });
      window.setTimeout(() => this._lookAgain(text, source()), SETTLED);
    }
  }

  private _lookAgain(text: string, source: string | null): void {
    if (source !== null) {
      this._count({ looked: 1, kept: source.includes(text.trim()) ? 1 : 0 });
    }
  }

  /** A request is done. */
  ended({ done = false, cost = null, mends = [], silenced = false }: Completed): void {
    if (done && (mends.length > 0 || silenced)) {
      this._count({ mended: mends.length > 0 ? 1 : 0, silenced: silenced ? 1 : 0 });
    }
    if (done && cost !== null) {
      this._set(charged(this._tally, cost, today()));
    }
  }

  /** The time from the key to the screen, of what was asked for. */
  private _time(id: string): void {
    if (this._asked?.id === id) {
      this._count({ timed: 1, milliseconds: performance.now() - this._asked.at });
      this._asked = null;
    } else {
      this._count({ known: 1 });
    }
  }

  private _countShown(id: string): void {
    if (id !== this._counted) {
      this._counted = id;
      this._count({ shown: 1 });
    }
  }

  private _count(more: Parameters<typeof counted>[1]): void {
    this._set(counted(this._tally, more));
  }

  /** Storing is for later: it is on nobody's way to the screen. */
  private _set(tally: Tally): void {
    this._tally = tally;
    this._storing ||= window.setTimeout(() => {
      this._storing = 0;
      storeTally(this._tally);
      this._changed.emit();
    }, READABLE);
  }

  private _storing = 0;
}

function today(): string {
  return new Date().toISOString().slice(0, 10);
}
