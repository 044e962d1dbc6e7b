// Line below a cell that offers a proven better text.
//
// The kernel finds it in idle time. The line stays until it is shown as a proposal, hidden or stale.

import { ReactWidget } from '@jupyterlab/apputils';
import type { Cell } from '@jupyterlab/cells';
import { closeIcon } from '@jupyterlab/ui-components';
import type { IDisposable } from '@lumino/disposable';
import * as React from 'react';
import { Button } from './button';
import { insertBelowInput } from './cellDecorations';
import { howSame } from './footer/proofDetails';
import { contentHash } from './hash';
import { InlineCode } from './inlineCode';
import { told } from './kernelTexts';
import type { Event, Refined } from './messages';
import type { NotebookSession } from './notebookSession';
import { t } from './translation';

/** The view of a notebook whose cells are refined. */
export interface Refinable {
  readonly session: NotebookSession;
  /** The cell's widget here. */
  cell(cellId: string): Cell | null;
}

/** The refinements that one view of a notebook offers. */
export class Refinements implements IDisposable {
  private readonly _lines = new Map<string, RefinementLine>();
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
      this._lines.forEach(line => line.dispose());
      this._lines.clear();
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
      this._lines.get(refined.cell_id)?.dispose();
      const line = new RefinementLine(cell, refined, () => this._show(refined));
      this._lines.set(refined.cell_id, line);
      line.disposed.connect(() => this._lines.get(refined.cell_id) === line && this._lines.delete(refined.cell_id));
    }
  }

  /** As a turn like any other: the kernel knows the text. */
  private _show({ cell_id }: Refined): void {
    void this._view.session.prompt('refine this', { intent: 'refactor', active: cell_id, target: { edit: cell_id } });
  }
}

/** The line below a cell. It goes when the cell changes. */
class RefinementLine extends ReactWidget {
  constructor(
    private readonly _cell: Cell,
    private readonly _refined: Refined,
    private readonly _show: () => void
  ) {
    super();
    this.addClass('spark-Refinement');
    this.node.setAttribute('role', 'note');
    this.node.setAttribute('aria-label', t('A better text of this cell'));
    insertBelowInput(_cell, this);
    _cell.model.sharedModel.changed.connect(this.dispose, this);
    _cell.disposed.connect(this.dispose, this);
  }

  protected override render(): React.JSX.Element {
    return (
      <>
        <span>
          {t('%1, better:', howSame(this._refined))} <InlineCode text={told(this._refined.words)} />
        </span>
        <Button label={t('Show')} title={t('Show what would change')} onClick={this._onShow} />
        <Button label={t('Hide')} title={t('Hide this')} icon={closeIcon} iconOnly onClick={() => this.dispose()} />
      </>
    );
  }

  private readonly _onShow = (): void => {
    this.dispose();
    this._show();
  };

  override dispose(): void {
    if (!this.isDisposed) {
      this._cell.model?.sharedModel?.changed.disconnect(this.dispose, this);
      super.dispose();
    }
  }
}
