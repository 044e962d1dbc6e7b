// Unified diff of an edit, laid over its cell.
//
// The cell's own document stays as it is until the edit is accepted.

import { acceptChunk, getChunks, getOriginalDoc, rejectChunk, unifiedMergeView, type Chunk } from '@codemirror/merge';
import { Compartment, EditorState, type Extension, RangeSetBuilder, type Text } from '@codemirror/state';
import { Decoration, type DecorationSet, EditorView, lineNumbers } from '@codemirror/view';
import { jupyterTheme } from '@jupyterlab/codemirror';
import { type ISignal, Signal } from '@lumino/signaling';
import { Widget } from '@lumino/widgets';
import type { HunkAction } from './footer/footerModel';
import { ended, tokenDiff } from './tokenDiff';
import { textChange } from './textChange';
import { merge } from './threeWayMerge';
import { preview } from './editPreview';
import { t } from './translation';

const CURRENT = Decoration.line({ class: 'spark-mod-currentHunk' });
/** The empty line behind the text, which has no height. */
const END = Decoration.line({ class: 'spark-mod-end' });
/** Unchanged lines around a change that stay, and how many more are folded: a long cell is shown where it changes. */
const FOLDED = { margin: 3, minSize: 30 };

/** A diff of one cell against what is proposed for it. */
export class DiffView extends Widget {
  private readonly _base: string;
  private readonly _keys: (action: HunkAction) => string;
  private readonly _view: EditorView;
  private readonly _merge = new Compartment();
  private readonly _changed = new Signal<this, void>(this);
  private readonly _decided = new Signal<this, void>(this);
  /** What the cell holds now. */
  private _original: string;
  private _draft = '';
  private _whole = false;
  private _current = 0;
  private _partly = false;

  /** `base` is what the draft is an edit of, `original` what the cell holds now; `keys` are the shortcuts in tooltips. */
  constructor({ base, original, extensions, keys }: { base: string; original: string; extensions: Extension; keys: (action: HunkAction) => string }) {
    super();
    this._base = base;
    this._keys = keys;
    this.addClass('spark-Diff');
    this._original = original;
    this._view = new EditorView({
      parent: this.node,
      state: EditorState.create({
        doc: ended(original),
        extensions: [
          jupyterTheme,
          lineNumbers({ formatNumber: (line, { doc }) => (line === doc.lines ? '' : String(line)) }),
          EditorView.lineWrapping,
          EditorState.readOnly.of(true),
          EditorView.editable.of(false),
          EditorView.contentAttributes.of({
            tabindex: '0',
            'aria-label': t('Difference between the cell and the proposal'),
            class: 'spark-Diff-content'
          }),
          EditorState.phrases.of({ '$ unchanged lines': t('%1 unchanged lines', '$') }),
          EditorView.decorations.of(view => this._marks(view)),
          extensions,
          this._merge.of(this._difference(original))
        ]
      })
    });
  }

  /** The number of hunks, or the one that is chosen, has changed. */
  get changed(): ISignal<this, void> {
    return this._changed;
  }

  /** Every hunk has been decided. */
  get decideMode(): ISignal<this, void> {
    return this._decided;
  }

  /** How many hunks are undecided. */
  get hunks(): number {
    return this._chunks().length;
  }

  /** Whether a hunk was decided by itself. */
  get partly(): boolean {
    return this._partly;
  }

  /** Which of them is chosen, from 0. */
  get current(): number {
    return Math.min(this._current, Math.max(0, this.hunks - 1));
  }

  /** What the cell would hold if every undecided hunk were accepted; undefined while the draft is not whole. */
  get source(): string | undefined {
    return this._whole ? unended(this._view.state.doc) : undefined;
  }

  /** Show a draft; `whole` when no more of it comes. Nothing happens where both are shown already. */
  propose(draft: string, whole: boolean): void {
    if (draft === this._draft && whole === this._whole) {
      return;
    }
    const turned = whole !== this._whole;
    this._draft = draft;
    this._whole = whole;
    this._write(whole ? merge(this._base, this._original, draft).source : preview(this._original, draft));
    if (turned && this._view.state.doc.lines > FOLDED.minSize) {
      this._compare(unended(getOriginalDoc(this._view.state)));
    }
    this._showButtons();
    this._changed.emit();
  }

  /** The cell now holds something else: what is proposed is carried over to that, and what was decided stays decided. */
  rebase(original: string): void {
    if (original !== this._original) {
      const old = this._original;
      const { state } = this._view;
      const draft = this.source;
      const text = draft === undefined ? preview(original, this._draft) : merge(old, original, draft).source;
      const accepted = merge(old, original, unended(getOriginalDoc(state))).source;
      this._original = original;
      this._compare(accepted, text);
      this._changed.emit();
    }
  }

  /** Choose the next hunk (or with -1 the one before), and show it. */
  step(by: 1 | -1): void {
    const count = this.hunks;
    if (count > 0) {
      this._current = (this.current + by + count) % count;
      this._reveal();
    }
  }

  acceptHunk(): void {
    this._decide(chunk => acceptChunk(this._view, chunk.fromB));
  }

  rejectHunk(): void {
    this._decide(chunk => rejectChunk(this._view, chunk.fromB));
  }

  /** Show a line of the draft (from 1), and put the focus there. */
  reveal(line: number): void {
    const { doc } = this._view.state;
    const { from } = doc.line(Math.max(1, Math.min(line, doc.lines - 1)));
    this._view.dispatch({ selection: { anchor: from }, effects: EditorView.scrollIntoView(from, { y: 'nearest', yMargin: 40 }) });
    this.focus();
  }

  /** Put the keyboard's focus into the diff. */
  focus(): void {
    this._view.contentDOM.focus({ preventScroll: true });
  }

  override dispose(): void {
    if (!this.isDisposed) {
      this._view.destroy();
      Signal.clearData(this);
      super.dispose();
    }
  }

  private _decide(decide: (chunk: Chunk) => boolean): void {
    const chunk = this._chunks()[this.current];
    if (this._whole && chunk && decide(chunk)) {
      this._onHunkDecided();
    }
  }

  private _onHunkDecided(): void {
    this._current = this.current;
    this._partly = true;
    if (this.hunks === 0) {
      this._decided.emit();
    } else {
      this._reveal();
    }
  }

  private _reveal(): void {
    const chunk = this._chunks()[this.current];
    if (chunk) {
      const effects = EditorView.scrollIntoView(chunk.fromB, { y: 'nearest', yMargin: 40 });
      this._view.dispatch({ selection: { anchor: chunk.fromB }, effects });
    }
    this._changed.emit();
  }

  /** Write the least that makes the document hold `text`: the differences are then only looked for there. */
  private _write(text: string): void {
    const [old, now] = [this._view.state.doc.toString(), ended(text)];
    if (old !== now) {
      this._view.dispatch({ changes: textChange(old, now) });
    }
  }

  /** Show the differences anew, from `original`; with `text`, to that. */
  private _compare(original: string, text?: string): void {
    this._view.dispatch({ effects: this._merge.reconfigure([]) });
    if (text !== undefined) {
      this._write(text);
    }
    this._view.dispatch({ effects: this._merge.reconfigure(this._difference(original)) });
  }

  /** The buttons at each change, where there are several: to decide the only one is to decide all. */
  private _showButtons(): void {
    this.toggleClass('spark-mod-hunks', this._whole && (this.hunks > 1 || this._partly));
  }

  private _difference(original: string): Extension {
    const mergeControls = (type: 'accept' | 'reject', decide: (event: MouseEvent) => void) => {
      const button = document.createElement('button');
      button.type = 'button';
      button.className = 'spark-Button';
      button.dataset.action = `${type}-hunk`;
      button.textContent = type === 'accept' ? t('Accept') : t('Reject');
      const title = type === 'accept' ? t('Accept this change') : t('Reject this change');
      // the shortcuts may be there, or change, after the diff is drawn
      button.onpointerenter = () => {
        const key = this._keys(`${type}-hunk`);
        button.title = key ? `${title} (${key})` : title;
      };
      button.tabIndex = -1; // the key does the same in the diff
      button.onclick = event => {
        decide(event);
        this._onHunkDecided();
      };
      return button;
    };
    return unifiedMergeView({
      original: ended(original),
      mergeControls,
      gutter: true,
      syntaxHighlightDeletions: true,
      diffConfig: { override: tokenDiff },
      ...(this._whole ? { collapseUnchanged: FOLDED } : {})
    });
  }

  private _chunks(): readonly Chunk[] {
    return getChunks(this._view.state)?.chunks ?? [];
  }

  private _marks(view: EditorView): DecorationSet {
    const builder = new RangeSetBuilder<Decoration>();
    const { doc } = view.state;
    const chunks = getChunks(view.state)?.chunks ?? [];
    const chunk = chunks[Math.min(this._current, chunks.length - 1)];
    if (chunk && this._whole) {
      const last = doc.lineAt(chunk.endB).number;
      for (let n = doc.lineAt(chunk.fromB).number; n <= last; n += 1) {
        const { from } = doc.line(n);
        builder.add(from, from, CURRENT);
      }
    }
    builder.add(doc.length, doc.length, END);
    return builder.finish();
  }
}

function unended(doc: Text): string {
  return doc.sliceString(0, doc.length - 1);
}
