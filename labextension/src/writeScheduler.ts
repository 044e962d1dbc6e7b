// Schedules writes once per animation frame, or less often on slow pages.

import { FrameRate } from './frameRate';

/** Milliseconds between writes in a tab that is not shown, where there are no animation frames. */
const HIDDEN = 200;

/** What is asked for: to write all that waits, to do what a frame is for, or to leave this frame to the user's own typing and scrolling. */
export type Moment = 'all' | 'frame' | 'rest';

/** Calls `work` at the pace that the page can stand. */
export class WriteScheduler {
  private _scheduled = 0;
  private _timer = 0;
  private readonly _frameRate = new FrameRate();
  private _measuring = 0;
  private _skipped = 0;

  /**
   * `work` says whether it has written; where it has not, it is called again in the next frame. With `adaptive` false no frame is left to
   * the user.
   */
  constructor(
    private readonly work: (moment: Moment) => boolean,
    public adaptive = true
  ) {}

  /** Whether frames are left out now. */
  get slow(): boolean {
    return this._frameRate.slow && this.adaptive;
  }

  /** Have `work` called soon. */
  request(): void {
    if (document.hidden) {
      this._timer ||= window.setTimeout(() => this.flush(), HIDDEN); // a frame that was requested before may never come
    } else if (!this._timer) {
      this._scheduled ||= window.requestAnimationFrame(now => this._frame(now));
    }
  }

  /** Have all written now if something was requested. */
  flush(): void {
    if (this._scheduled || this._timer) {
      this.cancel();
      this.work('all');
    }
  }

  /** Forget the request. What was written last is still measured. */
  cancel(): void {
    window.cancelAnimationFrame(this._scheduled);
    window.clearTimeout(this._timer);
    this._scheduled = this._timer = 0;
  }

  private _frame(now: number): void {
    this._scheduled = 0;
    if (this.work(this.adaptive && this._skipped < this._frameRate.rest ? 'rest' : 'frame')) {
      this._skipped = 0;
      this._measuring ||= window.requestAnimationFrame(next => {
        this._measuring = 0;
        this._frameRate.learn(next - now);
      });
    } else {
      this._skipped += 1;
      this.request();
    }
  }
}
