// Keeps the end of what is being written on the screen, unless the user looks somewhere else.

import { EditorView } from '@codemirror/view';
import type { Cell } from '@jupyterlab/cells';
import { CodeMirrorEditor } from '@jupyterlab/codemirror';
import type { NotebookPanel } from '@jupyterlab/notebook';
import type { IDisposable } from '@lumino/disposable';

/** Pixels between the last line and the lower edge: room for the footer. */
const MARGIN = 64;
/** Milliseconds: a scroll this soon after a movement of the user is the user's. */
const HANDS_ON = 400;

const MOVES = ['wheel', 'touchmove', 'pointerdown', 'keydown'] as const;

/** Follows the growing cell in one view of a notebook. */
export class TailFollower implements IDisposable {
  private readonly _scroller: HTMLElement;
  private _handsOn = 0;
  private _following = true;
  private _last: { cell: Cell; tail: number } | null = null;
  private _disposed = false;

  constructor(private readonly panel: NotebookPanel) {
    this._scroller = panel.content.outerNode;
    MOVES.forEach(name => this._scroller.addEventListener(name, this._onMove, { passive: true, capture: true }));
    this._scroller.addEventListener('scroll', this._onScroll, { passive: true });
  }

  get isDisposed(): boolean {
    return this._disposed;
  }

  /** A new turn begins: follow it wherever the user was. */
  restart(): void {
    this._following = true;
    this._last = null;
  }

  /** `cell` has grown and its text ends at `tail`. */
  follow(cell: Cell, tail: number): void {
    this._last = { cell, tail };
    if (!this._following || !this.panel.isVisible) {
      return;
    }
    const view = viewOf(cell);
    if (view && cell.node.isConnected) {
      const at = Math.min(tail, view.state.doc.length);
      view.dispatch({ effects: EditorView.scrollIntoView(at, { y: 'nearest', yMargin: MARGIN }) });
    } else {
      // Not scrollToCell, which would also take the keyboard's focus.
      const index = this.panel.content.widgets.indexOf(cell);
      void this.panel.content.scrollToItem(index, 'auto').catch(() => undefined);
    }
  }

  dispose(): void {
    this._disposed = true;
    MOVES.forEach(name => this._scroller.removeEventListener(name, this._onMove, { capture: true }));
    this._scroller.removeEventListener('scroll', this._onScroll);
  }

  private readonly _onMove = (): void => {
    this._handsOn = performance.now();
  };

  private readonly _onScroll = (): void => {
    if (performance.now() - this._handsOn < HANDS_ON && this._last) {
      this._following = this._isVisible(this._last.cell, this._last.tail);
    }
  };

  private _isVisible(cell: Cell, tail: number): boolean {
    const view = viewOf(cell);
    const place = view?.coordsAtPos(Math.min(tail, view.state.doc.length));
    const { top, bottom } = this._scroller.getBoundingClientRect();
    return !!place && place.bottom > top && place.top < bottom;
  }
}

/** The CodeMirror view of a cell's editor, null where it is not rendered. */
export function viewOf(cell: Cell): EditorView | null {
  return cell.editor instanceof CodeMirrorEditor ? cell.editor.editor : null;
}
