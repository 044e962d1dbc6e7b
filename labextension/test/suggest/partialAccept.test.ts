import { describe, expect, it } from 'vitest';
import { isForIndentation, isInWord, partOf, shownPart } from '../../src/suggest/partialAccept';

/** Every part that a key takes, one press after the other. */
function presses(text: string, part: 'word' | 'line'): string[] {
  const taken: string[] = [];
  for (let rest = text; rest !== ''; rest = rest.slice(taken.at(-1)?.length)) {
    taken.push(partOf(rest, part));
  }
  return taken;
}

describe('a key takes', () => {
  it('a word with the signs before it', () => {
    expect(presses('.groupby("region").sum()', 'word')).toEqual(['.groupby', '("region', '").sum', '()']);
  });

  it('a word with the white space before it, a new line too', () => {
    expect(presses(' in rows:\n    print(x)', 'word')).toEqual([' in', ' rows', ':', '\n    print', '(x', ')']);
  });

  it('a word in any script', () => {
    expect(presses('größe 数据 مرحبا e\u0301t', 'word')).toEqual(['größe', ' 数据', ' مرحبا', ' e\u0301t']);
  });

  it('a line, and the next one with the break before it', () => {
    expect(presses('x:\n    y = 1\n\nz', 'line')).toEqual(['x:', '\n    y = 1', '\n\nz']);
  });

  it('all of it, whatever it is', () => {
    for (const text of ['a', '\n', '  ', '🎉🎉', ')']) {
      expect(partOf(text, 'all')).toBe(text);
      expect(presses(text, 'word').join('')).toBe(text);
      expect(presses(text, 'line').join('')).toBe(text);
    }
  });
});

describe('what is shown', () => {
  it('is all of it at the end of a line, whatever the next lines hold', () => {
    expect(shownPart('(x)\nprint(x)', '')).toBe('(x)\nprint(x)');
    expect(shownPart('(x)\nprint(x)', '  \nnext')).toBe('(x)\nprint(x)');
  });

  it('is one line in mid-line', () => {
    expect(shownPart('a, b\nmore', ')\nnext')).toBe('a, b');
  });

  it('is nothing where only white space is left', () => {
    expect(shownPart(' \n ', '')).toBe('');
    expect(shownPart('\nmore', ')')).toBe('');
  });

  it('stands in no word', () => {
    expect(isInWord('ter')).toBe(true);
    expect(isInWord('é')).toBe(true);
    expect(isInWord('')).toBe(false);
    expect(isInWord(')')).toBe(false);
  });
});

describe('Tab means indentation', () => {
  it('where a line is to be moved in, or the suggestion begins with white space', () => {
    expect(isForIndentation('if x:\n', 'y = 1', 'z = ')).toBe(true);
    expect(isForIndentation('if x:\n', '', '    y = 1')).toBe(true);
  });

  it('neither on a blank line nor behind text', () => {
    expect(isForIndentation('', '', 'df.head()')).toBe(false);
    expect(isForIndentation('if x:\n    ', '\nz', 'y = 1')).toBe(false);
    expect(isForIndentation('df.', ')', 'head()')).toBe(false);
  });
});
