// Editor decorations of a next edit: places, gutter and hint.
//
// They go with the next change.

import { type EditorState, type Extension, StateEffect, StateField } from '@codemirror/state';
import { Decoration, type DecorationSet, EditorView, WidgetType } from '@codemirror/view';
import type { Range } from './editOffer';

/** What is marked in one editor. `hint` is said behind the line of the cursor; empty: nowhere. */
export interface Marks {
  readonly ranges: readonly Range[];
  readonly hint: string;
}

const setMarks = StateEffect.define<Marks | null>();

const field = StateField.define<Marks | null>({
  create: () => null,
  update: (marks, transaction) => {
    const effect = transaction.effects.findLast(one => one.is(setMarks));
    return effect ? (effect.value as Marks | null) : transaction.docChanged ? null : marks;
  },
  provide: self => [
    EditorView.decorations.compute([self, 'doc', 'selection'], state => decorations(state, state.field(self))),
    EditorView.editorAttributes.compute([self, 'doc', 'selection'], state => attributes(state, state.field(self)))
  ]
});

/** Marks, for one editor. */
export function nextEditMarks(): Extension {
  return field;
}

/** Show these in an editor; null: none. */
export function showMarks(view: EditorView, marks: Marks | null): void {
  const shown = view.state.field(field, false);
  if (shown !== undefined && (shown !== null || marks !== null)) {
    view.dispatch({ effects: setMarks.of(marks) });
  }
}

/** A class that the keys are bound to. Where only white space stands before the cursor, Tab means indentation. */
function attributes(state: EditorState, marks: Marks | null): Record<string, string> {
  if (!marks) {
    return {};
  }
  const { head } = state.selection.main;
  const before = state.sliceDoc(state.doc.lineAt(head).from, head);
  return { class: before.trim() ? 'spark-mod-nextEdit spark-mod-nextEditTab' : 'spark-mod-nextEdit' };
}

function decorations(state: EditorState, marks: Marks | null): DecorationSet {
  if (!marks) {
    return Decoration.none;
  }
  const { length } = state.doc;
  const ranges = marks.ranges.filter(({ from, to }) => from <= to && to <= length);
  const lines = new Set(ranges.map(({ from }) => state.doc.lineAt(from).from));
  const found = [
    ...[...lines].map(from => Decoration.line({ class: 'spark-NextEdit-line' }).range(from)),
    ...ranges.filter(({ from, to }) => from < to).map(({ from, to }) => Decoration.mark({ class: 'spark-NextEdit-place' }).range(from, to))
  ];
  if (marks.hint) {
    const end = state.doc.lineAt(state.selection.main.head).to;
    found.push(Decoration.widget({ widget: new Hint(marks.hint), side: 2 }).range(end));
  }
  return Decoration.set(found, true);
}

class Hint extends WidgetType {
  constructor(private readonly _text: string) {
    super();
  }

  override eq(other: Hint): boolean {
    return other._text === this._text;
  }

  override toDOM(): HTMLElement {
    const node = document.createElement('span');
    node.className = 'spark-NextEdit-hint';
    node.setAttribute('aria-hidden', 'true');
    node.textContent = this._text;
    return node;
  }

  override ignoreEvent(): boolean {
    return false; // a click is the editor's
  }
}
