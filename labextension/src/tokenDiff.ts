// Difference of two texts by whole tokens.
//
// A name or number that changes is marked as a whole: half of a word in green is hard to read.

import { Change, presentableDiff } from '@codemirror/merge';

const WORD = /[\p{L}\p{N}_]/u;

/** A text as a diff reads it, with a line break at its end: CodeMirror takes a last line without for replaced where one is added below it. */
export function ended(text: string): string {
  return `${text}\n`;
}

/** The changes between two texts, none of which begins or ends within a word or number. */
export function tokenDiff(a: string, b: string): Change[] {
  const changes: Change[] = [];
  const found = presentableDiff(a, b);
  found.forEach(({ fromA, toA, fromB, toB }, n) => {
    const last = changes.at(-1);
    const left = isCut(a, fromA, b, fromB) || isCut(b, fromB, a, fromA) ? wordLength(a, fromA, -1, last?.toA ?? 0) : 0;
    const right = isCut(a, toA, b, toB) || isCut(b, toB, a, toA) ? wordLength(a, toA, 1, found[n + 1]?.fromA ?? a.length) : 0;
    const widened = new Change(fromA - left, toA + right, fromB - left, toB + right);
    if (last && last.toA >= widened.fromA) {
      changes[changes.length - 1] = new Change(last.fromA, widened.toA, last.fromB, widened.toB);
    } else {
      changes.push(widened);
    }
  });
  return changes;
}

/** Whether a boundary lies within a word of the first text; next to it both texts are the same on one side. */
function isCut(text: string, at: number, other: string, otherAt: number): boolean {
  return isWord(text[at - 1]) && isWord(text[at]) && (isWord(other[otherAt - 1]) || isWord(other[otherAt]));
}

/** Characters of the word that goes on from a place, up to a limit. */
function wordLength(text: string, from: number, by: 1 | -1, limit: number): number {
  let length = 0;
  while (from + by * length !== limit && isWord(text[from + by * length - (by < 0 ? 1 : 0)])) {
    length += 1;
  }
  return length;
}

function isWord(character: string | undefined): boolean {
  return character !== undefined && WORD.test(character);
}
