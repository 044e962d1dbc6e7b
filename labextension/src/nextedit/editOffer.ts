// A next edit as words and as changes by cell.

import { textChange } from '../textChange';
import { contentHash } from '../hash';
import type { NextEdit, NextEdits } from '../messages';
import { t } from '../translation';

/** What the kernel offers after an edit of a cell. */
export interface Offer {
  readonly words: string;
  readonly edits: readonly NextEdit[];
  /** A model has thought of it: nothing would find it again. */
  readonly byModel: boolean;
}

/** From one character of a source to another. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

const TOKEN = /\w+|\s+|[^\w\s]/gu;

/** What an event offers; null: nothing. */
export function offerOf({ words = '', edits = [], by_model: byModel = false }: NextEdits): Offer | null {
  return edits.length > 0 ? { words, edits, byModel } : null;
}

/** Whether every cell that an offer is about holds the text that it was made for. */
export function isFresh({ edits }: Offer, sourceOf: (cellId: string) => string | undefined): boolean {
  return edits.every(({ cell_id, source_hash }) => {
    const source = sourceOf(cell_id);
    return source !== undefined && contentHash(source) === source_hash;
  });
}

/** What the key does: “Tab: rename df to sales in 3 cells”. `here` is the cell in which the edit was made. */
export function label({ words, edits }: Offer, here: string): string {
  const others = edits.filter(edit => edit.cell_id !== here).length;
  const where = others === 0 ? t('in this cell') : edits.length > 1 ? t('in %1 cells', edits.length) : t('in 1 cell');
  return t('Tab: %1 %2', plain(words), where);
}

/** The words without the marks of code. */
export function plain(words: string): string {
  return words.replace(/`/g, '');
}

/** The places of a source that would change: its tokens that differ, or where more does, the lines. */
export function changedRanges(source: string, target: string): Range[] {
  const old = source.match(TOKEN) ?? [];
  const fresh = target.match(TOKEN) ?? [];
  return old.length === fresh.length ? tokens(old, fresh) : [lines(source, target)];
}

function tokens(old: readonly string[], fresh: readonly string[]): Range[] {
  const ranges: Range[] = [];
  let at = 0;
  old.forEach((token, index) => {
    if (token !== fresh[index]) {
      ranges.push({ from: at, to: at + token.length });
    }
    at += token.length;
  });
  return ranges;
}

/** From the first line that differs to the last one. */
function lines(source: string, target: string): Range {
  const { from, to } = textChange(source, target);
  const last = source.indexOf('\n', to);
  return { from: source.lastIndexOf('\n', from - 1) + 1, to: last < 0 ? source.length : last };
}
