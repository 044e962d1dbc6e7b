// Three-way merge by lines of a proposal and the user's changes.

import { Chunk } from '@codemirror/merge';
import { Text } from '@codemirror/state';

/** Two changes of one source, brought together. */
export interface Merged {
  readonly source: string;
  /** How many places both changed, each in another way. There `source` has the proposal's text. */
  readonly conflicts: number;
}

/** Lines `from` to `to` (exclusive) of the base are replaced by `lines`. */
interface Change {
  readonly from: number;
  readonly to: number;
  readonly lines: readonly string[];
}

/** `mine` with what leads from `base` to `theirs`. Changes are whole lines; such that only touch one another are no conflict. */
export function merge(base: string, mine: string, theirs: string): Merged {
  if (mine === base || mine === theirs) {
    return { source: theirs, conflicts: 0 };
  }
  const lines = base.split('\n');
  const result: string[] = [];
  let done = 0;
  let conflicts = 0;
  for (const place of places(changes(base, mine), changes(base, theirs))) {
    const kept = applied(lines, place, place.mine);
    const proposed = applied(lines, place, place.theirs);
    const both = place.mine.length > 0 && place.theirs.length > 0 && kept.join('\n') !== proposed.join('\n');
    conflicts += both ? 1 : 0;
    result.push(...lines.slice(done, place.from), ...(place.theirs.length > 0 ? proposed : kept));
    done = place.to;
  }
  return { source: [...result, ...lines.slice(done)].join('\n'), conflicts };
}

/** A stretch of the base and the changes in it. */
interface Place {
  from: number;
  to: number;
  readonly mine: Change[];
  readonly theirs: Change[];
}

/** The stretches of the base that are changed, in order; changes that overlap are in one. */
function places(mine: readonly Change[], theirs: readonly Change[]): Place[] {
  const all = [...mine.map(change => ({ change, own: true })), ...theirs.map(change => ({ change, own: false }))];
  all.sort((a, b) => a.change.from - b.change.from || a.change.to - b.change.to);
  const result: Place[] = [];
  for (const { change, own } of all) {
    let place = result.at(-1);
    if (!place || !overlap(place, change)) {
      place = { from: change.from, to: change.to, mine: [], theirs: [] };
      result.push(place);
    }
    place.to = Math.max(place.to, change.to);
    (own ? place.mine : place.theirs).push(change);
  }
  return result;
}

/** Whether a change that does not begin before a place has to do with it: lines in common, or both only insert at one point. */
function overlap(place: Place, change: Change): boolean {
  return change.from < place.to || (place.from === place.to && change.from === change.to && change.from === place.from);
}

function applied(base: readonly string[], place: Place, own: readonly Change[]): string[] {
  const result: string[] = [];
  let done = place.from;
  for (const { from, to, lines } of own) {
    result.push(...base.slice(done, from), ...lines);
    done = to;
  }
  return [...result, ...base.slice(done, place.to)];
}

function changes(base: string, other: string): Change[] {
  const a = Text.of(base.split('\n'));
  const b = Text.of(other.split('\n'));
  const lines = other.split('\n');
  return Chunk.build(a, b).map(({ fromA, toA, fromB, toB }) => ({
    from: lineAt(a, fromA),
    to: lineAt(a, toA),
    lines: lines.slice(lineAt(b, fromB), lineAt(b, toB))
  }));
}

/** The index of the line that begins at a position; behind the last line, how many there are. */
function lineAt(text: Text, position: number): number {
  return position > text.length ? text.lines : text.lineAt(position).number - 1;
}
