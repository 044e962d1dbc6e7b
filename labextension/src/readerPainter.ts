// Painting of fast lines in a tab that does not write them.
//
// The kernel tells each tab what is written; the document has it from the writer's tab, in batches. What is behind is painted.

import type { ISharedNotebook } from '@jupyter/ydoc';
import type { Painter } from './liveWriter';
import { isOfDocument, proposalsOf } from './selectors';
import { find } from './sharedModel';
import type { State } from './state';

/** Lines, the last of which may have no end, that the document is behind where the writer writes in batches. */
const BEHIND = 3;
/** Lines that are painted at most. */
const MOST = 30;
/** Milliseconds for which the box stays where it was needed, so that the cell does not jump to and fro. */
const STAYS = 500;

/** Has one view show what its document does not hold yet. */
export class ReaderPainter {
  private _needed = -Infinity;
  private _shown = false;

  constructor(
    private readonly notebook: ISharedNotebook,
    private readonly painter: Painter
  ) {}

  /** Events have come, or the document has changed, at a time of `performance.now()`. What is shown stays until the document has it. */
  update(state: State, now: number): void {
    const behind = state.hello?.writer === false ? this._behind(state) : null;
    this._needed = behind && behind.lines.length >= BEHIND ? now : this._needed;
    const text = behind?.lines.slice(0, MOST).join('') ?? '';
    const begins = behind?.streams && now - this._needed <= STAYS;
    const cellId = begins || (this._shown && text) ? behind?.cellId : undefined;
    const isPainted = cellId !== undefined && [1, 2, 3, 4].some(() => this.painter.paint(cellId, text)); // there is more room each time
    if (this._shown && !isPainted) {
      this.painter.clear();
    }
    this._shown = isPainted;
  }

  /** What of the last cell's text is not in the document; null where that holds something else. */
  private _behind(state: State): { readonly cellId: string; readonly streams: boolean; readonly lines: readonly string[] } | null {
    const turn = state.turns.at(-1);
    const proposal = turn && isOfDocument(state, turn) ? proposalsOf(state, turn.id).at(-1) : null;
    const held = proposal?.kind === 'insert' ? find(this.notebook, proposal.cell_id)?.source : undefined;
    if (!proposal || held === undefined || !(proposal.source.startsWith(held) || held.startsWith(proposal.source))) {
      return null;
    }
    return { cellId: proposal.cell_id, streams: proposal.state === 'streaming', lines: proposal.source.slice(held.length).split(/(?<=\n)/) };
  }
}
