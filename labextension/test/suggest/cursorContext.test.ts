import { describe, expect, it } from 'vitest';
import { isInOwnWords, restAfter, restOf, type Situation } from '../../src/suggest/cursorContext';

function at(before: string, after = ''): Situation {
  return { host: 'n', cellId: 'c', cellType: 'code', before, after, context: 0 };
}

describe('brackets and quotes that the editor closes by itself', () => {
  it('are the end of the rest', () => {
    expect(restOf(at('df.'), 'head()', at('df.head(', ')'))).toBe('');
    expect(restOf(at('df.'), 'groupby("region").sum()', at('df.groupby(', ')'))).toBe('"region").sum(');
    expect(restAfter('["a"]', { typed: '["', closed: '"]' })).toBe('a');
  });

  it('contradict a text that does not end so', () => {
    expect(restOf(at('df.'), 'head() + 1', at('df.head(', ')'))).toBeNull();
    expect(restOf(at('df.'), 'head()', at('df.', ')'))).toBeNull();
    expect(restOf(at('df.'), 'head(x', at('df.head(', 'x'))).toBeNull();
  });
});

describe('own words', () => {
  const inCode = (before: string) => isInOwnWords({ host: 'n', cellId: 'c', cellType: 'code', before, after: '', context: 0 });

  it.each(['# why', 'x = 1  # why', 'def f', 'def f(a, b', 'def f(a: int, b', 'for key, val', 'with open(p) as fi', 'lambda row', 'def f():\n    """Say wha', '"""Module te'])(
    'are written here: %s',
    before => expect(inCode(before)).toBe(true)
  );

  it.each(['df.', 'x = "#', 'for ', 'for x in xs', 'f(a, b', 'def f(a=', 'def f(a: in', 'q = """SELECT na', 'def f():\n    """Said."""\n    ret', 'as_table(', 'lambda row: row.'])(
    'are not written here: %s',
    before => expect(inCode(before)).toBe(false)
  );
});
