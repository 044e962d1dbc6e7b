// A prompt at the cell in which the user is: the same words as in the panel, without a way there and back.

import { ReactWidget } from '@jupyterlab/apputils';
import type { Cell } from '@jupyterlab/cells';
import * as React from 'react';
import { insertBelowInput } from './decor';
import { streamingTurn } from './selectors';
import type { PanelModel } from './panel/model';
import { PromptWords } from './panel/words';
import type { NotebookView } from './view';

/** The prompt below one cell's input. It goes with Escape, and when the answer that was asked for in it is whole. */
class InlinePrompt extends ReactWidget {
  private _asked = false;

  constructor(
    private readonly _model: PanelModel,
    private readonly _view: NotebookView
  ) {
    super();
    this.addClass('spark-InlinePrompt');
    _model.changed.connect(this._onModel, this);
  }

  override dispose(): void {
    if (this.isDisposed) {
      return;
    }
    const focused = this.node.contains(document.activeElement);
    this._model.changed.disconnect(this._onModel, this);
    super.dispose();
    this._model.editing = false; // that was for this cell
    if (focused && !this._view.isDisposed) {
      this._view.panel.content.node.focus();
    }
  }

  protected override render(): React.JSX.Element {
    return <PromptWords model={this._model} rows={2} leave={this._leave} />;
  }

  /** While a turn streams, Escape stops it. */
  private readonly _leave = (): boolean => {
    if (this._streams || this._model.sending) {
      return false;
    }
    this.dispose();
    return true;
  };

  private get _streams(): boolean {
    return streamingTurn(this._view.session.store.state) !== null;
  }

  private _onModel(): void {
    const busy = this._streams || this._model.pending !== null;
    if (this._asked && !busy && !this._model.draft) {
      this.dispose();
      return;
    }
    this._asked = this._asked || busy;
    this.update();
  }
}

/** The one prompt that is open at a cell. */
export class InlinePrompts {
  private _open: InlinePrompt | null = null;

  constructor(private readonly _model: PanelModel) {}

  /** Whether the focus is in it. */
  get focused(): boolean {
    return this._open !== null && !this._open.isDisposed && this._open.node.contains(document.activeElement);
  }

  /** Open it at the active cell: code that stands there is to be edited. Whether there was a cell. */
  open(view: NotebookView): boolean {
    const cell: Cell | null = view.panel.content.activeCell;
    if (!cell || cell.isPlaceholder()) {
      return false;
    }
    this.close();
    this._model.editing = cell.model.sharedModel.source.trim() !== '' && streamingTurn(view.session.store.state) === null;
    this._open = new InlinePrompt(this._model, view);
    insertBelowInput(cell, this._open);
    return true;
  }

  close(): void {
    this._open?.dispose();
    this._open = null;
  }
}
