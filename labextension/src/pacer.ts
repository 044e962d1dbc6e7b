// When to write: once per animation frame, and every second one while frames take too long.

/** Milliseconds: a frame in which was written and that took longer is slow (60 Hz has 16.7). */
const SLOW = 21;
/** Milliseconds: below this frames are fast again. */
const FAST = 17.5;
/** Milliseconds between writes in a tab that is not shown, where there are no animation frames. */
const HIDDEN = 200;
/** Weight of the newest frame in the average. */
const WEIGHT = 0.15;

/** Calls `work` at the pace that the page can stand. */
export class Pacer {
  private _scheduled = 0;
  private _timer = 0;
  private _lastWork = 0;
  private _average = 16.7;
  private _slow = false;
  private _skipped = false;

  /** `work` is called once for any number of requests. With `adaptive` false it is called at every frame. */
  constructor(
    private readonly work: () => void,
    public adaptive = true
  ) {}

  /** Whether every second frame is left out now. */
  get slow(): boolean {
    return this._slow && this.adaptive;
  }

  /** Have `work` called soon. */
  request(): void {
    if (this._scheduled || this._timer) {
      return;
    }
    if (document.hidden) {
      this._timer = window.setTimeout(() => this._run(0), HIDDEN);
    } else {
      this._scheduled = window.requestAnimationFrame(now => this._frame(now));
    }
  }

  /** Call `work` now if it was requested. */
  flush(): void {
    if (this._scheduled || this._timer) {
      this._run(0);
    }
  }

  /** Forget the request. */
  cancel(): void {
    window.cancelAnimationFrame(this._scheduled);
    window.clearTimeout(this._timer);
    this._scheduled = this._timer = 0;
  }

  private _frame(now: number): void {
    if (this._lastWork > 0 && !this._skipped) {
      this._learn(now - this._lastWork);
    }
    if (this.slow && !this._skipped) {
      this._skipped = true;
      this._scheduled = window.requestAnimationFrame(next => this._frame(next));
      return;
    }
    this._skipped = false;
    this._run(now);
  }

  /** `took` is the time from the frame of a write to the next frame, in milliseconds. Longer ones were pauses. */
  private _learn(took: number): void {
    if (took < 200) {
      this._average += WEIGHT * (took - this._average);
      this._slow = this._slow ? this._average > FAST : this._average > SLOW;
    }
  }

  private _run(now: number): void {
    this.cancel();
    this._lastWork = now;
    this.work();
  }
}
