// Lines of a draft, stable while it is written again.

/** One line: `id` stays as long as it does. `old`: of the draft before, and not written again yet. */
export interface DraftLine {
  readonly id: number;
  readonly text: string;
  readonly old: boolean;
}

/** The lines to show for a text of which, while it `grows`, the last line may not be whole. What was shown below goes on being shown. */
export function linesOf(shown: readonly DraftLine[], text: string, grows: boolean, newId: () => number): readonly DraftLine[] {
  const written = text === '' ? [] : text.split('\n');
  const partial = grows ? (written.pop() ?? '') : '';
  const lines: DraftLine[] = [];
  let at = 0;
  for (const line of written) {
    const exact = shown.findIndex((one, n) => n >= at && one.text === line);
    const found = exact < 0 && growsTo(shown.at(at), line) ? at : exact;
    const same = found < 0 ? null : shown[found];
    lines.push(same?.text === line && !same.old ? same : { id: same?.id ?? newId(), text: line, old: false });
    at = same ? found + 1 : at;
  }
  if (!grows) {
    return lines;
  }
  const next = shown.at(at);
  if (next && growsTo(next, partial)) {
    lines.push({ ...next, text: partial });
    at += 1;
  } else if (partial !== '' && !shown.slice(at).some(one => one.text.startsWith(partial))) {
    lines.push({ id: newId(), text: partial, old: false });
  }
  return [...lines, ...shown.slice(at).map(one => (one.old ? one : { ...one, old: true }))];
}

/** Whether a line that was not whole goes on as that one. */
function growsTo(shown: DraftLine | undefined, line: string): boolean {
  return shown !== undefined && !shown.old && shown.text !== '' && line.startsWith(shown.text);
}

/** Where a line of a draft stands in the cells that were made of it: the number of the cell, and the line in it. The last line, where it is in none. */
export function placeOfLine(sources: readonly string[], line: number): { cell: number; line: number } {
  const counts = sources.map(source => source.trimEnd().split('\n').length);
  const above = counts.map((_, n) => counts.slice(0, n).reduce((sum, count) => sum + count, 0));
  const cell = above.findLastIndex(lines => lines <= line);
  return { cell, line: Math.min(line - above[cell], counts[cell] - 1) };
}
