// Prompt below a cell, for asking without the panel.

import { ReactWidget } from '@jupyterlab/apputils';
import type { Cell } from '@jupyterlab/cells';
import type { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import * as React from 'react';
import { insertBelowInput } from './cellDecorations';
import { proposalsOf, streamingTurn } from './selectors';
import type { PanelModel } from './panel/panelModel';
import { TurnAnswer } from './panel/turnAnswer';
import { PromptInput } from './panel/promptInput';
import type { FullTurn } from './state';
import type { NotebookView } from './notebookView';

/**
 * The prompt below one cell's input. It goes with Escape, and when the answer that was asked for in it is whole and stands in cells; an
 * answer in words stands here.
 */
class InlinePrompt extends ReactWidget {
  private _asked = false;
  private _answer: FullTurn | null = null;
  /** Whether what is asked here is about the cell's code. */
  private readonly _edits: boolean;
  /** The last turn before what is asked here. */
  private _before = '';

  constructor(
    private readonly _model: PanelModel,
    private readonly _view: NotebookView,
    private readonly _rendermime: IRenderMimeRegistry,
    /** Show the panel. */
    private readonly _open: () => void
  ) {
    super();
    this.addClass('spark-InlinePrompt');
    this._before = this._last?.id ?? '';
    this._edits = _model.editing;
    _model.changed.connect(this._onModel, this);
  }

  override dispose(): void {
    if (this.isDisposed) {
      return;
    }
    const focused = this.node.contains(document.activeElement);
    this._model.changed.disconnect(this._onModel, this);
    super.dispose();
    this._model.editing = false; // the wish to edit was for this cell
    if (focused && !this._view.isDisposed) {
      this._view.panel.content.node.focus();
    }
  }

  protected override render(): React.JSX.Element {
    return (
      <>
        <PromptInput model={this._model} rows={2} leave={this._leave} />
        {this._answer && (
          <div className="spark-InlinePrompt-answer" role="status">
            <TurnAnswer turn={this._answer} rendermime={this._rendermime} reuse={this._reuse} connect={this._model.state?.hello?.offline ? this._connect : null} />
          </div>
        )}
      </>
    );
  }

  private readonly _reuse = (prompt: string): void => {
    this._model.draft = prompt;
    this.node.querySelector('textarea')?.focus();
  };

  private readonly _connect = (): void => {
    this._model.connecting = true;
    this._open();
  };

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
      this._asked = false;
      this._answer = this._inWords();
      if (this._answer === null) {
        this.dispose();
      } else {
        this._model.editing = this._edits; // the user can say otherwise; a change comes here again
      }
      return;
    }
    this._asked = busy;
    this.update();
  }

  private get _last(): FullTurn | undefined {
    return this._view.session.store.state.turns.at(-1);
  }

  /** The turn that has just ended, where no cell holds its answer. */
  private _inWords(): FullTurn | null {
    const turn = this._last;
    const fresh = turn !== undefined && turn.id !== this._before && proposalsOf(this._view.session.store.state, turn.id).length === 0;
    this._before = turn?.id ?? '';
    return fresh && (turn.notes.trim() || turn.reason) ? turn : null;
  }
}

/** The one prompt that is open at a cell. */
export class InlinePrompts {
  private _open: InlinePrompt | null = null;

  constructor(
    private readonly _model: PanelModel,
    private readonly _rendermime: IRenderMimeRegistry,
    /** Show the panel. */
    private readonly _show: () => void
  ) {}

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
    this._open = new InlinePrompt(this._model, view, this._rendermime, this._show);
    insertBelowInput(cell, this._open);
    return true;
  }

  close(): void {
    this._open?.dispose();
    this._open = null;
  }
}
