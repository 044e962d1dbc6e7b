// Removal of text that the writer before has written too.
//
// A tab that lost its connection may have written, before it knew that another one writes now, what that one has completed meanwhile. The
// document is merged when it is back, and would hold it twice.

import type { CellChange, ISharedCell } from '@jupyter/ydoc';
import type { IDisposable } from '@lumino/disposable';

/** The text with which one cell was completed here, from offset `at` of its source on. */
export class Handover implements IDisposable {
  /** How much of the text has come a second time. */
  private _twice = 0;
  private _disposed = false;

  constructor(
    private readonly _cell: ISharedCell,
    private readonly _at: number,
    private readonly _text: string,
    /** Whether it is this tab that changes the cell now. */
    private readonly _isOwn: () => boolean
  ) {
    _cell.changed.connect(this._onChange, this);
  }

  get isDisposed(): boolean {
    return this._disposed;
  }

  dispose(): void {
    this._disposed = true;
    this._cell.changed.disconnect(this._onChange, this);
  }

  private _onChange(_: ISharedCell, { sourceChange }: CellChange): void {
    let at = 0;
    for (const { retain = 0, insert = '' } of this._isOwn() ? [] : sourceChange ?? []) {
      at += retain;
      const stands = at <= this._at || at >= this._at + this._text.length;
      if (insert && stands && this._text.startsWith(insert, this._twice)) {
        this._twice += insert.length;
        const from = at;
        queueMicrotask(() => this._cell.updateSource(from, from + insert.length, ''));
      }
      at += insert.length;
    }
  }
}

/** How much of `source`, which streams, stands in a cell that somebody may have typed in, and where that ends; null where nothing is found. */
export function standingPart(text: string, source: string): { readonly written: number; readonly tail: number } | null {
  if (source.startsWith(text)) {
    return { written: text.length, tail: text.length };
  }
  for (let written = source.length; written >= Math.max(LEAST, source.length - FURTHEST); written--) {
    const last = source.slice(Math.max(0, written - WINDOW), written);
    const at = text.lastIndexOf(last);
    if (at >= 0) {
      return { written, tail: at + last.length };
    }
  }
  return null;
}

/** Characters that must stand together to be the stream's own. */
const WINDOW = 24;
const LEAST = 4;
/** A writer is not further behind. */
const FURTHEST = 4_000;
