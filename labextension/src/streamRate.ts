// Rate of streamed text, and its batches of whole lines.

import type { CellChange } from './messages';

/** Milliseconds of a frame at 60 Hz. */
const FRAME = 1000 / 60;
/** Characters in such a time (about 250 tokens a second) from which on each write costs more than it shows. */
const FAST = 16;
/** Characters in such a time (about 30,000 tokens a second) from which on a box would be full at once. */
const FLOOD = 2000;
/** Weight of the newest frame in the average. */
const WEIGHT = 0.3;

/** A running average of the characters that come in the time of a frame. */
export class StreamRate {
  private _arrived = 0;
  private _average = 0;
  private _last = -Infinity;

  /** These have come. */
  arrived(changes: readonly CellChange[]): void {
    for (const change of changes) {
      this._arrived += change.type === 'append' ? change.text.length : 0;
    }
  }

  /** A frame is made, at a time of `performance.now()`. Whether text comes fast, and no faster than it can be painted, however slow frames are. */
  frame(now: number): boolean {
    const newest = this._arrived / Math.max(1, (now - this._last) / FRAME);
    this._average += WEIGHT * (newest - this._average);
    this._arrived = 0;
    this._last = now;
    return this._average > FAST && Math.max(newest, this._average) < FLOOD;
  }
}

/** Text up to the end of its last line, and the beginning of a line behind that; a line without an end is not held back. */
export function lineBatch(text: string): [lines: string, rest: string] {
  const end = text.lastIndexOf('\n') + 1;
  return end > 0 ? [text.slice(0, end), text.slice(end)] : [text, ''];
}
