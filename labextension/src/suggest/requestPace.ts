// Pace of automatic requests, slower while none is used.

/** Requests in a row of which nothing was used that cost no time. */
const FREE = 5;
/** After so many the user goes on without suggestions. */
const MANY = 10;
/** Milliseconds between two requests up to then, from then on at first, and at most. */
const GAP = 300;
const SLOW_GAP = 1000;
const LONGEST_GAP = 10_000;
/** Requests in any minute. */
const MOST_A_MINUTE = 60;
const MINUTE = 60_000;

/** What is asked for unasked, counted. Times are in milliseconds. */
export class RequestPace {
  private _unused = 0;
  private _times: readonly number[] = [];

  /** A request was sent. */
  asked(at: number): void {
    this._unused += 1;
    this._times = [...this._times, at].slice(-MOST_A_MINUTE);
  }

  /** What a request said was taken, or typed along. */
  used(): void {
    this._unused = 0;
  }

  /** How long the next request has to wait. */
  wait(at: number): number {
    const [oldest] = this._times;
    const last = this._times.at(-1) ?? Number.NEGATIVE_INFINITY;
    const minute = this._times.length < MOST_A_MINUTE ? 0 : oldest + MINUTE - at;
    return Math.max(0, last + this._gap - at, minute);
  }

  private get _gap(): number {
    const beyond = this._unused - MANY;
    return this._unused < FREE ? 0 : beyond < 0 ? GAP : Math.min(LONGEST_GAP, SLOW_GAP * 2 ** (beyond / MANY));
  }
}
