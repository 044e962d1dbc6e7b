// Cells that begin with a Spark cell magic: the part to compare.

const FIRST_LINE = /^%%[^\n]*\n/;

/**
 * The part of a cell's `source` that an edit of `base` concerns. A cell `%%spark edit …` is edited without that line, while the
 * document still has it: then the part is `base`, and nothing counts as changed. Otherwise it is the whole source.
 */
export function editedPart(source: string, base: string): string {
  return source !== base && source.replace(FIRST_LINE, '').trimEnd() === base.trimEnd() ? base : source;
}
