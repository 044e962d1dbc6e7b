import { describe, expect, it } from 'vitest';
import { contentHash } from '../../src/hash';
import { changedRanges, isFresh, label, type Offer } from '../../src/nextedit/editOffer';

function offer(...cells: [string, string][]): Offer {
  return { words: 'rename `df` to `sales`', edits: cells.map(([cell_id, source]) => ({ cell_id, source_hash: contentHash(source), source: 'x' })), byModel: false };
}

describe('an offer', () => {
  it('is fresh while every cell holds the text that it was made for', () => {
    const one = offer(['a', 'df'], ['b', 'df + 1']);
    const cells = new Map([['a', 'df'], ['b', 'df + 1']]);
    expect(isFresh(one, id => cells.get(id))).toBe(true);
    cells.set('b', 'df + 2');
    expect(isFresh(one, id => cells.get(id))).toBe(false);
    cells.delete('b');
    expect(isFresh(one, id => cells.get(id))).toBe(false);
  });

  it('says what Tab does, and where', () => {
    expect(label(offer(['b', ''], ['c', '']), 'a')).toBe('Tab: rename df to sales in 2 cells');
    expect(label(offer(['b', '']), 'a')).toBe('Tab: rename df to sales in 1 cell');
    expect(label(offer(['a', '']), 'a')).toBe('Tab: rename df to sales in this cell');
  });
});

describe('the places of a next edit', () => {
  const marked = (source: string, target: string) => changedRanges(source, target).map(({ from, to }) => source.slice(from, to));

  it('are the names that change', () => {
    expect(marked('df = df.dropna()\nx = dfs', 'sales = sales.dropna()\nx = dfs')).toEqual(['df', 'df']);
  });

  it('are the lines where more changes', () => {
    expect(marked('a = 1\nf(1, 2)\nb = 2', 'a = 1\nf(1)\nb = 2')).toEqual(['f(1, 2)']);
    expect(marked('a = 1\nf(1)\n', 'a = 1\nf(1, b=2)\n')).toEqual(['f(1)']);
  });

  it('count as an editor counts', () => {
    expect(marked('x = "日本 😀"; df', 'x = "日本 😀"; sales')).toEqual(['df']);
  });
});
