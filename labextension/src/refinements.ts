// Better texts of cells that were proven in idle time: a line below the cell, quietly, until it is shown as a proposal, hidden or stale.

import type { Cell } from '@jupyterlab/cells';
import type { IDisposable } from '@lumino/disposable';
import { Widget } from '@lumino/widgets';
import { insertBelowInput } from './cellDecorations';
import { h, withCode } from './dom';
import { contentHash } from './hash';
import type { Event, Refined } from './messages';
import { howSame } from './proofView';
import type { NotebookSession } from './notebookSession';

/** Where the cells stand that are refined: a view of a notebook. */
export interface Refinable {
  readonly session: NotebookSession;
  /** The cell's widget here. */
  cell(cellId: string): Cell | null;
}

/** The refinements that one view of a notebook offers. */
export class Refinements implements IDisposable {
  private readonly _marks = new Map<string, Mark>();
  private _disposed = false;

  constructor(private readonly _view: Refinable) {
    _view.session.transport.received.connect(this._onEvents, this);
  }

  get isDisposed(): boolean {
    return this._disposed;
  }

  dispose(): void {
    if (!this._disposed) {
      this._disposed = true;
      this._view.session.transport.received.disconnect(this._onEvents, this);
      this._marks.forEach(mark => mark.dispose());
      this._marks.clear();
    }
  }

  private _onEvents(_: unknown, events: readonly Event[]): void {
    for (const event of events) {
      if (event.type === 'Refined') {
        this._offer(event);
      }
    }
  }

  private _offer(refined: Refined): void {
    const cell = this._view.cell(refined.cell_id);
    if (cell?.layout && contentHash(cell.model.sharedModel.source) === refined.source_hash) {
      this._marks.get(refined.cell_id)?.dispose();
      const mark = new Mark(cell, refined, () => this._show(refined));
      this._marks.set(refined.cell_id, mark);
      mark.disposed.connect(() => this._marks.get(refined.cell_id) === mark && this._marks.delete(refined.cell_id));
    }
  }

  /** As a turn like any other: the kernel knows the text. */
  private _show({ cell_id }: Refined): void {
    void this._view.session.prompt('refine this', { intent: 'refactor', active: cell_id, target: { edit: cell_id } });
  }
}

/** The line below a cell. It goes with the text that it is about. */
class Mark extends Widget {
  constructor(
    private readonly _cell: Cell,
    refined: Refined,
    show: () => void
  ) {
    super({ node: h('div', { class: 'spark-Refinement', role: 'note', 'aria-label': 'A better text of this cell' }) });
    const taken = () => {
      this.dispose();
      show();
    };
    this.node.append(
      h('span', {}, `${howSame(refined)}, better: `, ...withCode(refined.words)),
      h('button', { type: 'button', class: 'spark-Button', title: 'Show what would change', onclick: taken }, 'Show'),
      h('button', { type: 'button', class: 'spark-Button', title: 'Hide this', 'aria-label': 'Hide', onclick: () => this.dispose() }, '×')
    );
    insertBelowInput(_cell, this);
    _cell.model.sharedModel.changed.connect(this.dispose, this);
    _cell.disposed.connect(this.dispose, this);
  }

  override dispose(): void {
    if (!this.isDisposed) {
      this._cell.model?.sharedModel?.changed.disconnect(this.dispose, this);
      super.dispose();
    }
  }
}
