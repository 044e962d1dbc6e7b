// Ghost text in an editor, which follows what is typed.

import { type EditorState, type Extension, StateEffect, StateField, type Transaction } from '@codemirror/state';
import { Decoration, type DecorationSet, EditorView, WidgetType } from '@codemirror/view';
import type { Mend } from '../messages';
import { isForIndentation } from './partialAccept';
import { bringIntoSight } from './scrollToGhost';
import { restAfter, type Typed } from './cursorContext';
import { t } from '../translation';

/** Lines below the first that are shown; more are taken with it all the same. */
const MOST_LINES = 20;

/** What is shown. `mends` by their places in the text. */
export interface Ghost {
  readonly text: string;
  readonly mends: readonly Mend[];
  /** Whether Tab may take it. */
  readonly tab: boolean;
}

interface Placed extends Ghost {
  readonly at: number;
}

const setGhost = StateEffect.define<Ghost | null>();

const field = StateField.define<Placed | null>({
  create: () => null,
  update: (ghost, transaction) => {
    const effect = transaction.effects.findLast(one => one.is(setGhost));
    if (effect) {
      const shown = effect.value as Ghost | null;
      return shown && { ...shown, at: transaction.newSelection.main.head };
    }
    return ghost && carried(ghost, transaction);
  },
  provide: self => [
    EditorView.decorations.compute([self, 'doc'], state => decorations(state, state.field(self))),
    EditorView.editorAttributes.compute([self, 'doc'], state => attributes(state, state.field(self)))
  ]
});

/** Ghost text, for one editor. */
export function ghostText(): Extension {
  return field;
}

/** Show ghost text at the cursor; null: none. */
export function showGhost(view: EditorView, ghost: Ghost | null): void {
  const shown = ghostIn(view.state);
  const same = shown && ghost ? shown.text === ghost.text && shown.at === view.state.selection.main.head : shown === ghost;
  if (!same) {
    view.dispatch({ effects: setGhost.of(ghost) });
    if (ghost?.text.includes('\n')) {
      bringIntoSight(view);
    }
  }
}

/** What is shown in an editor. */
export function ghostIn(state: EditorState): Placed | null {
  return state.field(field, false) ?? null;
}

/** Typing what it says takes that from its beginning, in the same transaction: nothing flickers. All else takes it away. */
function carried(ghost: Placed, transaction: Transaction): Placed | null {
  if (!transaction.docChanged) {
    return transaction.selection && transaction.newSelection.main.head !== ghost.at ? null : ghost;
  }
  const since = typedAt(ghost.at, transaction);
  const text = since && restAfter(ghost.text, since);
  if (!since || !text) {
    return null;
  }
  const { length } = since.typed;
  const mends = ghost.mends.map(mend => ({ ...mend, start: mend.start - length })).filter(({ start }) => start >= 0);
  return { ...ghost, text, mends, at: ghost.at + length };
}

/** What was typed there, and what the editor closed behind it; null where the transaction is something else. */
function typedAt(at: number, transaction: Transaction): Typed | null {
  const inserted: (string | null)[] = [];
  transaction.changes.iterChanges((from, to, _from, _to, text) => inserted.push(from === at && to === at ? text.toString() : null));
  const { head } = transaction.newSelection.main;
  const [text] = inserted;
  return inserted.length === 1 && text && head >= at ? { typed: text.slice(0, head - at), closed: text.slice(head - at) } : null;
}

/** Classes that keys are bound to: one where ghost text is shown, another where Tab takes it. */
function attributes(state: EditorState, ghost: Placed | null): Record<string, string> {
  if (!ghost) {
    return {};
  }
  const before = state.sliceDoc(0, ghost.at);
  const takes = ghost.tab && !isForIndentation(before, state.sliceDoc(ghost.at), ghost.text);
  return { class: takes ? 'spark-mod-ghost spark-mod-ghostTab' : 'spark-mod-ghost' };
}

function decorations(state: EditorState, ghost: Placed | null): DecorationSet {
  if (!ghost || ghost.at > state.doc.length) {
    return Decoration.none;
  }
  const end = ghost.text.indexOf('\n');
  const first = end < 0 ? ghost.text : ghost.text.slice(0, end);
  const here = Decoration.widget({ widget: new GhostWidget(first, ghost.mends, false), side: 1 }).range(ghost.at);
  if (end < 0) {
    return Decoration.set([here]);
  }
  const mends = ghost.mends.map(mend => ({ ...mend, start: mend.start - end - 1 }));
  const lines = new GhostWidget(ghost.text.slice(end + 1), mends, true);
  const below = Decoration.widget({ widget: lines, side: 2, block: true }).range(state.doc.lineAt(ghost.at).to);
  return Decoration.set([here, below], true);
}

/** A screen reader is told elsewhere, once it stands still; here it would be read as if it stood in the cell. */
class GhostWidget extends WidgetType {
  constructor(
    private readonly _text: string,
    private readonly _mends: readonly Mend[],
    private readonly _block: boolean
  ) {
    super();
  }

  override eq(other: GhostWidget): boolean {
    return other._text === this._text && other._block === this._block && other._mends.length === this._mends.length;
  }

  override toDOM(): HTMLElement {
    const lines = this._text.split('\n');
    const text = lines.length > MOST_LINES ? [...lines.slice(0, MOST_LINES), '…'].join('\n') : this._text;
    const node = document.createElement(this._block ? 'div' : 'span');
    node.className = 'spark-Ghost';
    node.dir = 'auto';
    node.setAttribute('aria-hidden', 'true');
    node.append(...pieces(text, this._mends));
    return node;
  }

  override ignoreEvent(): boolean {
    return false; // a click is the editor's
  }
}

/** The text with the names that were mended marked. */
function pieces(text: string, mends: readonly Mend[]): (string | HTMLElement)[] {
  const parts: (string | HTMLElement)[] = [];
  let at = 0;
  for (const { start, right, wrong } of mends) {
    if (start >= at && text.startsWith(right, start)) {
      const corrected = document.createElement('span');
      corrected.className = 'spark-Ghost-mend';
      corrected.title = t('“%1” does not exist here; “%2” does.', wrong, right);
      corrected.textContent = right;
      parts.push(text.slice(at, start), corrected);
      at = start + right.length;
    }
  }
  return [...parts, text.slice(at)];
}
