// Short name of a cell: its first telling line.

import { EMPTY_CELL, PASSIVE_LINE } from './constants';

const PASSIVE = new RegExp(PASSIVE_LINE);

/** The first line that is no import, comment, docstring or magic. */
export function nameOf(source: string): string {
  const lines = source.split('\n').filter(line => line.trim());
  return lines.find(line => !PASSIVE.test(line)) ?? lines[0] ?? EMPTY_CELL;
}
