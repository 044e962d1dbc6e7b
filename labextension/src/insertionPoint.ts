// Insertion point for the next answer in a notebook view.
//
// Where the user has not moved since the last prompt, new cells go below the last answer instead of the active cell. The owner says what
// is asked, and which cell becomes the active one.

/** The place from which the user asks in one view of a notebook. Cells are given by their names on the wire. */
export class InsertionPoint {
  /** The cells at which the user still is where the last prompt was sent from; empty where that is left. */
  private readonly _stands = new Set<string>();
  /** Below which cells the answers since then were to go, oldest first. */
  private _afters: string[] = [];

  /** A prompt was sent while `active` was the active cell; what is answered goes below `after`, or into it. */
  asked(active: string | null, after: string | null): void {
    if (this._stands.size === 0) {
      this._afters = [];
    }
    this._stands.clear();
    if (after !== null && after !== this._afters.at(-1)) {
      this._afters.push(after);
    }
    if (active !== null) {
      this._stands.add(active);
    }
  }

  /** Spark itself is about to make this the active cell. */
  carriedTo(cell: string): void {
    if (this._stands.size > 0) {
      this._stands.add(cell);
    }
  }

  /** This is the active cell now. `answered` are the cells of the last answer. */
  wentTo(cell: string | null, answered: readonly string[]): void {
    if (cell !== null && !this._stands.has(cell) && !answered.includes(cell)) {
      this._stands.clear();
    }
  }

  /**
   * Below which cell to go on, null where the user has moved. `answered` as in `wentTo`. Where nothing of the last answer `stands` any more,
   * nor the cell below which it was to go, it is the one before that.
   */
  next(answered: readonly string[], stands: (cell: string) => boolean): string | null {
    return this._stands.size > 0 ? (answered.at(-1) ?? this._afters.findLast(stands) ?? null) : null;
  }
}
