// Review of a notebook: start, stop, and apply known fixes.

import type { ISharedNotebook } from '@jupyter/ydoc';
import { notebookCells } from './notebookCells';
import { newId } from './ids';
import type { Remark } from './messages';
import { find, replaceSourceAtOnce } from './sharedModel';
import type { Store } from './store';
import type { Transport } from './transport';

/** What a review is of. */
export interface Reviewed {
  readonly notebook: ISharedNotebook;
  readonly store: Store;
  readonly transport: Pick<Transport, 'send'>;
}

/** What is asked for where a cell fails from the top. What it printed or raised in its copy is not said: no model is told that. */
export function wishFor({ line }: Remark): string {
  return `Fix this cell: it fails${line == null ? '' : ` in line ${line}`} when the notebook runs from its top.`;
}

/** What the panel asks of a review. */
export class Reviewer {
  /** What the cells held when they were reviewed. */
  private _sources: ReadonlyMap<string, string> = new Map();

  constructor(private readonly _session: Reviewed) {}

  /** Review the notebook; with `run` all of it is run, too, in a copy. */
  begin(run: boolean): void {
    const cells = notebookCells(this._session.notebook);
    this._sources = new Map(cells.map(cell => [cell.id, cell.source ?? '']));
    void this._session.transport.send({ type: 'BeginReview', review_id: newId('r'), cells, run });
  }

  /** Stop it; what is known by then stays. */
  cancel(): void {
    const { review } = this._session.store.state;
    if (review) {
      void this._session.transport.send({ type: 'CancelReview', review_id: review.review_id });
    }
  }

  /** Take it from the screen. */
  close(): void {
    this.cancel();
    this._session.store.dispatch({ type: 'ReviewClosed' });
  }

  /** Whether the cell can be mended: it is as it was reviewed, and how is known. */
  canMend({ cell_id, fix }: Remark): boolean {
    const cell = find(this._session.notebook, cell_id);
    return Boolean(fix) && cell !== null && cell.source === this._sources.get(cell_id);
  }

  /** Mend the cell. It is the user's own change, and one Undo takes it back. */
  mend(remark: Remark): void {
    const cell = find(this._session.notebook, remark.cell_id);
    if (cell && this.canMend(remark)) {
      replaceSourceAtOnce(cell, remark.fix ?? '');
      this.begin(false);
    }
  }
}
