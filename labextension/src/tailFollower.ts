// Keeps the end of a growing cell in view while it streams.
//
// It stops where the user looks somewhere else.

import { StateEffect } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import type { Cell } from '@jupyterlab/cells';
import { CodeMirrorEditor } from '@jupyterlab/codemirror';
import type { NotebookPanel } from '@jupyterlab/notebook';
import type { IDisposable } from '@lumino/disposable';
import { ScrollIntent } from './scrollIntent';

/** Pixels between the last line and the lower edge: room for the footer. */
const MARGIN = 64;
/**
 * Milliseconds between two scrolls where the page does not keep up: each makes every editor of the notebook look where it is (50 ms
 * with 1,000 cells, measured). Each then makes more room.
 */
const STEP = 150;
/** The part of the view that is then below the last line. */
const ROOM = 1 / 3;
const MOVES = ['wheel', 'touchmove', 'pointerdown', 'keydown'] as const;

/** Follows the growing cell in one view of a notebook. */
export class TailFollower implements IDisposable {
  private readonly _scroller: HTMLElement;
  private readonly _following = new ScrollIntent();
  private _last: { cell: Cell; tail: number } | null = null;
  private _step = 0;
  private _disposed = false;
  private readonly _asks = new WeakSet<EditorView>();
  /**
   * An editor makes a step when the page is next drawn: where the user's hand has moved since it was asked for, it is left. It is known
   * by its margin.
   */
  private readonly _asking = EditorView.scrollHandler.of((_, __, { yMargin }) => yMargin >= MARGIN && !this._isFollowed);

  /** `below` tells the pixels that are to be in view from the last line on. */
  constructor(
    private readonly panel: NotebookPanel,
    private readonly below: () => number
  ) {
    this._scroller = panel.content.outerNode;
    MOVES.forEach(name => this._scroller.addEventListener(name, this._onMove, { passive: true, capture: true }));
    this._scroller.addEventListener('keydown', this._onKey, { passive: true, capture: true });
    this._scroller.addEventListener('scroll', this._onScroll, { passive: true });
  }

  get isDisposed(): boolean {
    return this._disposed;
  }

  /** A new turn begins: follow it wherever the user was. The cell that it is to edit is shown, where it is out of view. */
  restart(edited: Cell | null): void {
    this._following.restart();
    this._last = null;
    void (edited && this._scrollTo(edited));
  }

  /** `cell` has grown and its text ends at `tail`. Where the page is `slow` it is followed in fewer, larger steps. */
  follow(cell: Cell, tail: number, slow = false): void {
    this._last = { cell, tail };
    if (!slow) {
      this._show(MARGIN);
    } else {
      this._step ||= window.setTimeout(() => this._show(Math.max(MARGIN, this._scroller.clientHeight * ROOM)), STEP);
    }
  }

  /** What is to be in view below its last line has grown. */
  followOn(): void {
    this._show(MARGIN);
  }

  /**
   * Nothing grows any more: have the end of the cell that grew last shown, or of `other` where none did, as `show` does it, where it was
   * followed until now. A cell that came and was whole within one step is brought into the page first.
   */
  async showEnd(show: (cell: Cell) => void, other: Cell | null = null): Promise<void> {
    this._last ??= other && { cell: other, tail: 0 };
    const cell = this._isFollowed ? this._last?.cell : null;
    if (cell) {
      window.clearTimeout(this._step);
      this._step = 0;
      await (cell.node.isConnected ? null : this._scrollTo(cell));
      await cell.ready;
      if (cell === this._last?.cell && this._isFollowed) {
        show(cell);
      }
    }
  }

  dispose(): void {
    this._disposed = true;
    window.clearTimeout(this._step);
    MOVES.forEach(name => this._scroller.removeEventListener(name, this._onMove, { capture: true }));
    this._scroller.removeEventListener('keydown', this._onKey, { capture: true });
    this._scroller.removeEventListener('scroll', this._onScroll);
  }

  private _show(margin: number): void {
    window.clearTimeout(this._step);
    this._step = 0;
    const last = this._last;
    if (!last || !this._isFollowed) {
      return;
    }
    const view = viewOf(last.cell);
    if (view && last.cell.node.isConnected) {
      const tail = Math.min(last.tail, view.state.doc.length);
      const at = view.lineWrapping ? tail : view.state.doc.lineAt(tail).from; // what was read is not to move sideways
      const first = this._asks.has(view) ? [] : [StateEffect.appendConfig.of(this._asking)];
      this._asks.add(view);
      view.dispatch({ effects: [...first, EditorView.scrollIntoView(at, { y: 'nearest', yMargin: margin })] });
      this._makeRoom(view, at);
    } else {
      void this._scrollTo(last.cell);
    }
  }

  /** Have what is painted from the last line on in view in this frame: the editor, which does not know of it, would scroll in the next one. */
  private _makeRoom(view: EditorView, at: number): void {
    const below = this.below();
    const place = below > 0 ? view.coordsAtPos(at) : null; // the editor scrolls now
    if (place) {
      this._scroller.scrollTop += Math.max(0, place.top + below + MARGIN - this._scroller.getBoundingClientRect().bottom);
    }
  }

  /** Not scrollToCell, which would also take the keyboard's focus. */
  private async _scrollTo(cell: Cell): Promise<void> {
    const index = this.panel.content.widgets.indexOf(cell);
    await (index < 0 ? null : this.panel.content.scrollToItem(index, 'auto').catch(() => undefined)); // it may be gone
  }

  private get _isFollowed(): boolean {
    return this._following.follows(performance.now()) && this.panel.isVisible;
  }

  /** Who types in another cell looks at that one. */
  private readonly _onKey = (event: KeyboardEvent): void => {
    const editor = event.target instanceof Element ? event.target.closest('.cm-editor') : null;
    if (editor && isTyping(event) && !this._last?.cell.node.contains(editor)) {
      this._following.left();
    }
  };

  private readonly _onMove = (): void => {
    this._following.moved(performance.now());
  };

  private readonly _onScroll = (): void => {
    const last = this._last;
    if (last) {
      this._following.scrolled(performance.now(), () => this._isVisible(last.cell, last.tail));
    }
  };

  private _isVisible(cell: Cell, tail: number): boolean {
    const view = viewOf(cell);
    const place = view?.coordsAtPos(Math.min(tail, view.state.doc.length));
    const { top, bottom } = this._scroller.getBoundingClientRect();
    return !!place && place.bottom > top && place.top < bottom;
  }
}

/** Whether a key changes a text, or moves in it. */
function isTyping({ key, ctrlKey, metaKey, altKey, shiftKey }: KeyboardEvent): boolean {
  const runs = key === 'Enter' && shiftKey;
  return !ctrlKey && !metaKey && !altKey && !runs && (key.length === 1 || /^(Enter|Backspace|Delete|Tab|Arrow.*)$/.test(key));
}

/** The CodeMirror view of a cell's editor, null where it is not rendered. */
export function viewOf(cell: Cell): EditorView | null {
  return cell.editor instanceof CodeMirrorEditor ? cell.editor.editor : null;
}
