// Pause in typing before a request, learned from the provider's latency.

/** Milliseconds. Nobody notices that a suggestion comes so much later, where the provider takes its time anyway. */
export const LONGEST_PAUSE = 150;
/** Milliseconds for which a request may say nothing. */
export const LONGEST_PATIENCE = 1000;
/** Of the provider's usual time, after which a request is overdue. */
const OVERDUE = 1.5;
/** Milliseconds to the first text below which asking at every key costs nothing worth saving. */
const INSTANT = 30;
/** Requests whose median is believed. */
const MOST_SAMPLES = 9;
/** Milliseconds, as long as nothing was learned. */
const UNKNOWN = 60;

/** The pause in typing that is worth waiting for. */
export class TypingPause {
  private _samples: readonly number[] = [];

  /** The provider took so many seconds to its first text; null: nothing was asked, it was known. */
  learn(firstText: number | null): void {
    this._samples = [...this._samples, (firstText ?? 0) * 1000].slice(-MOST_SAMPLES);
  }

  /** Milliseconds after the last key: half of what the provider takes, and at most `LONGEST_PAUSE`. */
  get length(): number {
    const median = this._median;
    return median === null ? UNKNOWN : median < INSTANT ? 0 : Math.min(LONGEST_PAUSE, median / 2);
  }

  /**
   * Milliseconds that a request is given to say something, while what is typed may still be what it says: who is asked again at each key
   * never comes to speak.
   */
  get patience(): number {
    const median = this._median;
    return median === null ? LONGEST_PATIENCE : Math.min(LONGEST_PATIENCE, OVERDUE * median);
  }

  /** Milliseconds to wait after a key that came `gap` milliseconds after the one before: after a pause the first is asked for at once. */
  after(gap: number): number {
    return gap >= this.length ? 0 : this.length;
  }

  private get _median(): number | null {
    return this._samples.length === 0 ? null : [...this._samples].sort((a, b) => a - b)[Math.floor(this._samples.length / 2)];
  }
}
