// Parts of a suggestion that a key accepts: word, line, or all.

/** What a key takes of a suggestion. */
export type Part = 'all' | 'line' | 'word';

/** White space and signs go with the word behind them: `.groupby`, `("region`, then `")`. */
const WORD = /^\s*(?:[^\s\p{L}\p{M}\p{N}_]*[\p{L}\p{M}\p{N}_]+|[^\s\p{L}\p{M}\p{N}_]+)/u;
const LINE = /^\n*[^\n]*/;
const WORD_CHARACTER = /^[\p{L}\p{M}\p{N}_]/u;

/** The beginning of a suggestion that is taken; all of it where no such part can be told. */
export function partOf(text: string, part: Part): string {
  switch (part) {
    case 'all':
      return text;
    case 'line':
      return LINE.exec(text)?.[0] || text;
    case 'word':
      return WORD.exec(text)?.[0] ?? text;
  }
}

/** What is shown of a suggestion before `after`: in mid-line only what fits into the line; nothing where only white space is left. */
export function shownPart(text: string, after: string): string {
  const restOfLine = after.slice(0, lineLength(after));
  const fitting = restOfLine.trim() === '' ? text : text.slice(0, lineLength(text));
  return fitting.trim() === '' ? '' : fitting;
}

/** Whether the cursor stands before the end of a word: what is suggested there would read as part of it. */
export function isInWord(after: string): boolean {
  return WORD_CHARACTER.test(after);
}

/**
 * Whether Tab means indentation, where a suggestion is shown: only white space stands before the cursor, and there is something in the line
 * to indent, or the suggestion itself begins with indentation, which Tab types then.
 */
export function isForIndentation(before: string, after: string, suggestion: string): boolean {
  const line = before.slice(before.lastIndexOf('\n') + 1);
  return line.trim() === '' && (after.slice(0, lineLength(after)).trim() !== '' || /^[ \t]/.test(suggestion));
}

function lineLength(text: string): number {
  const end = text.indexOf('\n');
  return end < 0 ? text.length : end;
}
