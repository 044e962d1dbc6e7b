// Preview of an edit while only its beginning has streamed.

import { Chunk } from '@codemirror/merge';
import { Text } from '@codemirror/state';

/**
 * The draft so far, and below it the lines of `base` that it has not come to yet.
 *
 * Without them everything that is still to come would look deleted. Which lines those are is known from the last difference: where
 * it goes on to the end of `base`, each line of the draft in it stands for one line of `base`.
 */
export function preview(base: string, draft: string): string {
  if (draft === '') {
    return base;
  }
  const written = draft.endsWith('\n') ? draft.slice(0, -1) : draft;
  const baseText = Text.of(base.split('\n'));
  const draftText = Text.of(written.split('\n'));
  const last = Chunk.build(baseText, draftText, { scanLimit: 200 }).at(-1);
  if (!last || last.toA <= baseText.length || last.fromA === last.toA) {
    return draft;
  }
  const done = last.fromB === last.toB ? 0 : linesBetween(draftText, last.fromB, last.endB);
  const first = baseText.lineAt(last.fromA).number + done;
  return first > baseText.lines ? draft : `${written}\n${baseText.sliceString(baseText.line(first).from)}`;
}

function linesBetween(text: Text, from: number, to: number): number {
  return text.lineAt(to).number - text.lineAt(from).number + 1;
}
