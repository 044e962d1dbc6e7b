// Context of the cursor, and what a suggestion still adds there.

import type { CellType } from '../messages';

const CLOSERS = /^[)\]}"'`]{1,6}$/;

/** The cursor in a cell. */
export interface Situation {
  /** The notebook or console, as its owner names it. */
  readonly host: string;
  readonly cellId: string;
  readonly cellType: CellType;
  readonly before: string;
  readonly after: string;
  /** Goes up when another cell was changed or has run. It matters where nothing stands in this one. */
  readonly context: number;
}

/** What a suggestion made for `of` still says in `now`, having said `text`; null where what was typed since contradicts it. */
export function restOf(of: Situation, text: string, now: Situation): string | null {
  const since = typedSince(of, now);
  return since && restAfter(text, since);
}

/** What was typed at one cursor, and what the editor closed behind it. */
export interface Typed {
  readonly typed: string;
  readonly closed: string;
}

/**
 * The rest of a text when its beginning was typed; null where something else was. Brackets and quotes that the editor closed by itself stand
 * behind the cursor already: they are the end of the rest, or it does not fit.
 */
export function restAfter(text: string, { typed, closed }: Typed): string | null {
  const fits = text.startsWith(typed) && text.length >= typed.length + closed.length && text.endsWith(closed);
  return fits ? text.slice(typed.length, text.length - closed.length) : null;
}

/** What was typed since at the same cursor; null where something else happened. */
export function typedSince(of: Situation, now: Situation): Typed | null {
  const along =
    of.host === now.host &&
    of.cellId === now.cellId &&
    of.cellType === now.cellType &&
    now.after.endsWith(of.after) &&
    now.before.startsWith(of.before) &&
    (of.context === now.context || !isEmpty(now));
  const typed = now.before.slice(of.before.length);
  const closed = now.after.slice(0, now.after.length - of.after.length);
  return along && (closed === '' || (typed !== '' && CLOSERS.test(closed))) ? { typed, closed } : null;
}

/** Whether the cursor stands at the same host in the same text. */
export function isSame(one: Situation, other: Situation): boolean {
  const { host, cellId, before, after } = one;
  return host === other.host && cellId === other.cellId && before === other.before && after === other.after;
}

/** Whether nothing stands in the cell. */
export function isEmpty({ before, after }: Situation): boolean {
  return before.trim() === '' && after.trim() === '';
}

/** The line in which the cursor stands, by what comes before it: two situations in one line have the same. */
export function lineOf({ host, cellId, before }: Situation): string {
  return `${host} ${cellId} ${before.split('\n').length}`;
}

const STRINGS = /'[^'\n]*(?:'|$)|"[^"\n]*(?:"|$)/gu;
/** A name that is being chosen: of a function or class, a parameter, what a loop or a `lambda` binds, an import's or a context's. */
const NEW_NAME = /\b(?:(?:def|class)\s+\w*|def\s+\w+\((?:[^()]*,)?[^=:(),]*|(?:as|lambda)\s+\w+|(?:for|lambda)\s+(?![^\n]*\bin\b)\w[\w, ]*)$/u;
/** The end of a text in a docstring: its quotes open a line, behind a colon or at the beginning, and are not closed. */
const DOCSTRING = /(?:^|:)\s*[rR]?("""|''')(?:(?!\1)[^])*$/u;

/** Whether the user writes what only the user knows: a comment, a docstring, or a name that is being chosen. */
export function isInOwnWords({ cellType, before }: Situation): boolean {
  const line = before.slice(before.lastIndexOf('\n') + 1);
  return cellType === 'code' && (NEW_NAME.test(line) || DOCSTRING.test(before) || line.replace(STRINGS, '').includes('#'));
}
