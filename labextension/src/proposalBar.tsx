// Bar over a notebook while several proposals are open.
//
// One proposal that is in sight has its footer; the bar is for several, and for what landed out of sight.

import { ReactWidget } from '@jupyterlab/apputils';
import { Widget } from '@lumino/widgets';
import * as React from 'react';
import { PendingBar, type Side } from './panel/pendingBar';
import type { NotebookView } from './notebookView';

/** The bar of one view. */
export class ProposalBar extends ReactWidget {
  private _frame = 0;

  constructor(private readonly _view: NotebookView) {
    super();
    this.addClass('spark-ProposalBar');
    this._scroller.addEventListener('scroll', this._later, { passive: true });
  }

  override dispose(): void {
    window.cancelAnimationFrame(this._frame);
    this._scroller.removeEventListener('scroll', this._later);
    super.dispose();
  }

  /** Show what is open now. */
  sync(): void {
    const { panel } = this._view;
    if (!this.isAttached && panel.isAttached) {
      Widget.attach(this, panel.node);
    }
    this.update();
  }

  protected override render(): React.JSX.Element | null {
    const { waiting } = this._view.session.decisions;
    const side = waiting.length === 1 ? this._sideOf(waiting[0].cell_id) : null;
    const isWanted = waiting.length > 1 || side !== null;
    this.setHidden(!isWanted);
    return isWanted ? <PendingBar view={this._view} floats side={side} /> : null;
  }

  private get _scroller(): HTMLElement {
    return this._view.panel.content.outerNode;
  }

  /** Where a cell's buttons are, seen from what is shown; null: in sight. A cell that is far away is not in the page. */
  private _sideOf(cellId: string): Side | null {
    const { widgets } = this._view.panel.content;
    const cell = this._view.cell(cellId);
    const { top, bottom } = this._scroller.getBoundingClientRect();
    if (!cell || top === bottom) {
      return null;
    }
    const buttons = cell.node.querySelector('.spark-Footer') ?? cell.node; // a long output may be in sight when they are not
    const shown = cell.node.isConnected ? buttons.getBoundingClientRect() : null;
    if (!shown) {
      return widgets.indexOf(cell) < widgets.findIndex(one => one.node.isConnected) ? 'above' : 'below';
    }
    return shown.bottom <= top ? 'above' : shown.top >= bottom ? 'below' : null;
  }

  private readonly _later = (): void => {
    this._frame ||= window.requestAnimationFrame(() => {
      this._frame = 0;
      if (this._view.session.decisions.waiting.length > 0) {
        this.update();
      }
    });
  };
}
