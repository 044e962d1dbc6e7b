// Running average of frame times, with hysteresis.
//
// The owner tells how long its frames took.

/** Milliseconds of a frame at 60 Hz. */
const FRAME = 1000 / 60;
/** Milliseconds: a frame in which was written and that took longer is slow. */
const SLOW = 21;
/** Milliseconds: below this frames are fast again. */
const FAST = 17.5;
/** Milliseconds: a frame counts as no longer than this, so that one hiccup is not remembered for long. */
const LONGEST = 100;
/** Weight of the newest frame in the average. */
const WEIGHT = 0.15;

/** A running average of frames, with a band in which it stays what it was. */
export class FrameRate {
  private _average = FRAME;
  private _slow = false;

  /** Whether frames take too long. */
  get slow(): boolean {
    return this._slow;
  }

  /**
   * How many frames to leave out after one in which was written: none, or one (30 Hz), or where even that is too much, as many as one
   * with writing takes the time of, so that half of the time stays for the user's own typing and scrolling.
   */
  get rest(): number {
    return this._slow ? Math.max(1, Math.round(this._average / FRAME) - 1) : 0;
  }

  /** A frame in which was written took so many milliseconds until the next one. */
  learn(took: number): void {
    this._average += WEIGHT * (Math.min(took, LONGEST) - this._average);
    this._slow = this._slow ? this._average > FAST : this._average > SLOW;
  }
}
