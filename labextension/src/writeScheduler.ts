// Schedules writes once per animation frame, or less often on slow pages.

import { FrameRate } from './frameRate';

/** Milliseconds between writes in a tab that is not shown, where there are no animation frames. */
const HIDDEN = 200;

/** Calls `work` at the pace that the page can stand. */
export class WriteScheduler {
  private _scheduled = 0;
  private _timer = 0;
  private readonly _frameRate = new FrameRate();
  private _measuring = 0;
  private _skipped = 0;

  /** `work` is called once for any number of requests. With `adaptive` false it is called at every frame. */
  constructor(
    private readonly work: () => void,
    public adaptive = true
  ) {}

  /** Whether frames are left out now. */
  get slow(): boolean {
    return this._frameRate.slow && this.adaptive;
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

  /** Forget the request. What was written last is still measured. */
  cancel(): void {
    window.cancelAnimationFrame(this._scheduled);
    window.clearTimeout(this._timer);
    this._scheduled = this._timer = 0;
  }

  private _frame(now: number): void {
    if (this.adaptive && this._skipped < this._frameRate.rest) {
      this._skipped += 1;
      this._scheduled = window.requestAnimationFrame(next => this._frame(next));
      return;
    }
    this._skipped = 0;
    this._run(now);
  }

  private _run(now: number): void {
    this.cancel();
    this.work();
    if (now > 0 && !this._measuring) {
      this._measuring = window.requestAnimationFrame(next => {
        this._measuring = 0;
        this._frameRate.learn(next - now);
      });
    }
  }
}
