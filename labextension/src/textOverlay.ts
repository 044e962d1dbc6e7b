// Overlay for streamed lines that the editor does not hold yet.
//
// The box has a fixed size and is laid out by itself, so that a new line in it costs a tenth of what it costs in the editor. It begins at the
// editor's last line, whose text it leaves room for, and has its font and wrapping. What it shows goes into the editor in the same frame in which
// it goes from here, so that nothing is seen twice or not at all.

import { StateEffect, StateField } from '@codemirror/state';
import { Decoration, EditorView, WidgetType } from '@codemirror/view';
import type { Cell } from '@jupyterlab/cells';
import type { NotebookPanel } from '@jupyterlab/notebook';
import type { IDisposable } from '@lumino/disposable';
import type { Painter } from './liveWriter';
import { viewOf } from './tailFollower';

/** Lines for which there is room at first, and at most; of the notebook's height it is no more than this part. */
const LEAST = 4;
const MOST = 32;
const PART = 1 / 2;
/** Lines that are painted at most: of more than there is room for, the last ones are seen. */
const MOST_PAINTED = 64;
/** Characters of a line that may be wrapped. */
const LONG = 60;
/** What the editor shows in another way: control characters, directions, half characters. */
const SPECIAL = /[^\P{C}\n\t]|[\u2028\u2029]/u;

/** Room for so many lines, of which the first is the editor's last. */
class Box extends WidgetType {
  readonly node = document.createElement('div');
  private readonly _window = this.node.appendChild(document.createElement('div'));
  private readonly _lines = this._window.appendChild(document.createElement('div'));
  private _text = '';
  private _before = '';
  /** The text of the last line, as long as it has no end. */
  private _open: Text | null = null;

  constructor(readonly room: number) {
    super();
    this.node.className = 'spark-LiveText';
    this.node.style.setProperty('--spark-room', String(room));
    this.node.setAttribute('aria-hidden', 'true');
    this._window.className = 'spark-LiveText-window';
    this._lines.className = 'spark-LiveText-lines';
  }

  toDOM(): HTMLElement {
    return this.node;
  }

  override ignoreEvent(): boolean {
    return false; // a click in it is one in the text
  }

  /** Show this behind a line that begins with `before`. */
  show(text: string, before: string): void {
    if (!text.startsWith(this._text) || before !== this._before) {
      this._lines.replaceChildren();
      this._open = null;
      this._text = '';
    }
    for (const piece of text.slice(this._text.length).split(/(?<=\n)/)) {
      if (this._open) {
        this._open.data += piece;
      } else if (piece) {
        const line = this._lines.appendChild(document.createElement('div'));
        line.className = 'cm-line';
        line.dataset.before = line.previousSibling ? '' : before;
        this._open = line.appendChild(document.createTextNode(piece));
      }
      this._open = piece.endsWith('\n') ? null : this._open;
    }
    this._text = text;
    this._before = before;
  }
}

const setBox = StateEffect.define<Box | null>();

const boxField = StateField.define<Box | null>({
  create: () => null,
  update: (box, { effects }) => effects.reduce((last, effect) => (effect.is(setBox) ? effect.value : last), box),
  provide: field =>
    EditorView.decorations.compute([field, 'doc'], state => {
      const widget = state.field(field);
      return widget ? Decoration.set(Decoration.widget({ widget, block: true, side: 1 }).range(state.doc.length)) : Decoration.none;
    })
});

/** Paints in one view of a notebook. */
export class TextOverlay implements Painter, IDisposable {
  private _shown: { readonly view: EditorView; readonly box: Box } | null = null;
  private _room = LEAST;
  private _limit = MOST;
  /** The most lines that waited since the last write. */
  private _most = 0;
  private _disposed = false;

  /** `flush` has what waits written: somebody is about to do something with the text. `grown` is called when the box needs more room. */
  constructor(
    private readonly panel: NotebookPanel,
    private readonly cell: (cellId: string) => Cell | null,
    private readonly flush: () => void,
    private readonly grown: () => void
  ) {
    panel.content.node.addEventListener('pointerdown', this._onInput, { capture: true });
    panel.content.node.addEventListener('keydown', this._onInput, { capture: true });
  }

  get isDisposed(): boolean {
    return this._disposed;
  }

  dispose(): void {
    this._disposed = true;
    this.panel.content.node.removeEventListener('pointerdown', this._onInput, { capture: true });
    this.panel.content.node.removeEventListener('keydown', this._onInput, { capture: true });
    this._shown = null;
  }

  /** The pixels that it takes from the editor's last line on. */
  get height(): number {
    return this._shown ? this._shown.box.room * this._shown.view.defaultLineHeight : 0;
  }

  paint(cellId: string, text: string): boolean {
    const cell = this.cell(cellId);
    const view = cell && viewOf(cell);
    if (!view?.dom.isConnected || !this.panel.isVisible || view.viewport.to < view.state.doc.length) {
      this.clear();
      return true; // nobody sees it
    }
    const { doc } = view.state;
    const before = doc.lineAt(doc.length).text;
    if (!this._shown) {
      const lines = Math.floor((this.panel.content.outerNode.clientHeight * PART) / view.defaultLineHeight);
      this._limit = Math.max(LEAST, Math.min(MOST, lines));
      this._room = Math.min(this._room, this._limit);
    }
    if (!this._finds(text, before) || view.hasFocus || before.length > LONG || SPECIAL.test(before + text)) {
      return false;
    }
    this._boxIn(view).show(text, before);
    return true;
  }

  /**
   * Whether there is room for this text, or as much as there can be and nothing `before` it. There is more behind the next write where
   * there is not, and less where the last text took half.
   */
  private _finds(text: string, before: string): boolean {
    const lines = text.split('\n').length;
    if (lines < this._most) {
      this._room = this._most <= this._room / 2 ? Math.max(LEAST, Math.ceil(this._room / 2)) : this._room;
      this._most = 0;
    }
    this._most = Math.max(this._most, lines);
    if (lines <= this._room || (this._room === this._limit && lines <= MOST_PAINTED && !before)) {
      return true;
    }
    this._room = Math.min(this._limit, Math.max(2 * this._room, lines));
    return false;
  }

  clear(): void {
    const { view } = this._shown ?? {};
    this._shown = null;
    view?.dispatch({ effects: setBox.of(null) });
  }

  private _boxIn(view: EditorView): Box {
    if (this._shown?.view !== view || this._shown.box.room !== this._room) {
      if (this._shown?.view !== view) {
        this.clear();
      }
      const box = new Box(this._room);
      if (view.state.field(boxField, false) === undefined) {
        view.dispatch({ effects: StateEffect.appendConfig.of(boxField) });
      }
      view.dispatch({ effects: setBox.of(box) });
      this._shown = { view, box };
      this.grown();
    }
    return this._shown.box;
  }

  private readonly _onInput = (event: Event): void => {
    const stops = event instanceof KeyboardEvent && event.key === 'Escape'; // the kernel hears of it before what waits is written
    if (this._shown && !stops) {
      this.flush();
      this.clear(); // in a tab that does not write there was nothing to flush
    }
  };
}
