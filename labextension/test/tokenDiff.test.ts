import { Chunk } from '@codemirror/merge';
import { Text } from '@codemirror/state';
import { expect, test } from 'vitest';
import { ended, tokenDiff } from '../src/tokenDiff';

/** What is taken out and put in, in pairs. */
function changes(a: string, b: string): [string, string][] {
  return tokenDiff(a, b).map(({ fromA, toA, fromB, toB }) => [a.slice(fromA, toA), b.slice(fromB, toB)]);
}

test('a name or number is changed as a whole', () => {
  expect(changes('b = 2', 'b = 20')).toEqual([['2', '20']]);
  expect(changes('total_a = 1', 'total_b = 1')).toEqual([['total_a', 'total_b']]);
  expect(changes('df.head()', 'sdf.head()')).toEqual([['df', 'sdf']]);
  expect(changes('größe + 1', 'größer + 1')).toEqual([['größe', 'größer']]);
});

test('what is put beside a word leaves the word alone', () => {
  expect(changes('print(d)', "print(d, 'end')")).toEqual([['', ", 'end'"]]);
  expect(changes('x = 1', 'x = 1\ny = 2')).toEqual([['', '\ny = 2']]);
});

test('what is unchanged between the changes is the same in both texts', () => {
  const words = ['total', 'totals', 'x1', 'x', ' = ', '(', ')', '\n', '2', '20', ' ', 'ä'];
  let seed = 7;
  const text = () => Array.from({ length: 12 }, () => words[(seed = (seed * 1103515245 + 12345) % 2147483648) % words.length]).join('');
  for (let n = 0; n < 300; n += 1) {
    const [a, b] = [text(), text()];
    let [atA, atB, made] = [0, 0, ''];
    for (const { fromA, toA, fromB, toB } of tokenDiff(a, b)) {
      expect(a.slice(atA, fromA)).toBe(b.slice(atB, fromB));
      made += a.slice(atA, fromA) + b.slice(fromB, toB);
      [atA, atB] = [toA, toB];
    }
    expect(made + a.slice(atA)).toBe(b);
  }
});

/** The lines that a diff shows as removed, and as put in. */
function lines(a: string, b: string): [string, string][] {
  const [from, to] = [a, b].map(text => Text.of(ended(text).split('\n')));
  return Chunk.build(from, to, { override: tokenDiff }).map(({ fromA, toA, fromB, toB }) => [from.sliceString(fromA, toA), to.sliceString(fromB, toB)]);
}

test('a line that stays is not shown as replaced, wherever lines are put in or taken out', () => {
  expect(lines('a = 1\nb = 2', 'a = 1\nb = 2\nc = 3')).toEqual([['', 'c = 3\n']]);
  expect(lines('a = 1\nb = 2\nc = 3', 'a = 1\nb = 2')).toEqual([['c = 3\n', '']]);
  const code = ['df.head()', 'df.tail()', 'plt.plot(x)', '    x = 1', '', 'print(x)', 'return x'];
  let seed = 11;
  const some = (count: number) => Array.from({ length: count }, () => code[(seed = (seed * 1103515245 + 12345) % 2147483648) % code.length]);
  for (let n = 0; n < 300; n += 1) {
    const old = some(2 + (n % 6));
    const at = n % (old.length + 1);
    const now = [...old.slice(0, at), ...some(1 + (n % 3)), ...old.slice(at)];
    expect(lines(old.join('\n'), now.join('\n')).map(([gone]) => gone).join('')).toBe('');
    expect(lines(now.join('\n'), old.join('\n')).map(([, put]) => put).join('')).toBe('');
  }
});
