import { describe, expect, it } from 'vitest';
import { MAX_CACHED, SuggestionCache } from '../../src/suggest/suggestionCache';
import type { Situation } from '../../src/suggest/cursorContext';

function at(before: string, fields: Partial<Situation> = {}): Situation {
  return { host: 'n', cellId: 'c', cellType: 'code', before, after: '', context: 0, ...fields };
}

function remembering(...entries: [string, string][]): SuggestionCache {
  const remembered = new SuggestionCache();
  entries.forEach(([before, text], index) => remembered.put({ id: `${index}`, situation: at(before), text, mends: [], done: true }));
  return remembered;
}

const texts = (remembered: SuggestionCache, now: Situation) => remembered.find(now).map(({ rest }) => rest);

describe('what was suggested', () => {
  it('is known while the user types along, and when they delete back', () => {
    const remembered = remembering(['df.', 'head()']);
    expect(texts(remembered, at('df.he'))).toEqual(['ad()']);
    expect(texts(remembered, at('df.'))).toEqual(['head()']);
    expect(texts(remembered, at('df.ho'))).toEqual([]);
    expect(texts(remembered, at('df'))).toEqual([]);
  });

  it('is known for its own cell and what stands behind the cursor there', () => {
    const remembered = remembering(['df.', 'head()']);
    expect(texts(remembered, at('df.', { cellId: 'other' }))).toEqual([]);
    expect(texts(remembered, at('df.', { host: 'other' }))).toEqual([]);
    expect(texts(remembered, at('df.', { after: ')' }))).toEqual([]);
  });

  it('is known when other cells have changed, but not for what comes next in an empty cell', () => {
    expect(texts(remembering(['df.', 'head()']), at('df.', { context: 1 }))).toEqual(['head()']);
    const next = remembering(['', 'df.head()']);
    expect(texts(next, at('', { context: 1 }))).toEqual([]);
    expect(texts(next, at('df', { context: 1 }))).toEqual(['.head()']);
  });

  it('is given the newest first, and each text once', () => {
    expect(texts(remembering(['df.', 'head()'], ['df.h', 'ist()'], ['df', '.head()']), at('df.h'))).toEqual(['ead()', 'ist()']);
  });

  it('is forgotten when there are too many', () => {
    const remembered = new SuggestionCache();
    for (let index = 0; index < 3 * MAX_CACHED; index += 1) {
      remembered.put({ id: `${index}`, situation: at(`${index}.`), text: 'x', mends: [], done: true });
    }
    expect(remembered.size).toBe(MAX_CACHED);
    expect(texts(remembered, at('0.'))).toEqual([]);
    expect(texts(remembered, at(`${3 * MAX_CACHED - 1}.`))).toEqual(['x']);
  });

  it('may be nothing, which is known for that very place', () => {
    const remembered = remembering(['x = ', '']);
    expect(remembered.isSilent(at('x = '))).toBe(true);
    expect(remembered.isSilent(at('x = 1'))).toBe(false);
    remembered.put({ id: 'n', situation: at('y'), text: '', mends: [], done: false });
    expect(remembered.isSilent(at('y'))).toBe(false);
  });
});
