import { describe, expect, it } from 'vitest';
import { editedPart } from '../src/cellMagic';

describe('the part of a cell that an edit concerns', () => {
  it('is the whole cell where it has no magic line', () => {
    expect(editedPart('a = 1', 'a = 1')).toBe('a = 1');
    expect(editedPart('a = 2', 'a = 1')).toBe('a = 2');
  });

  it('leaves out the magic line that the document still has', () => {
    expect(editedPart('%%spark edit shorter\na = 1\n', 'a = 1')).toBe('a = 1');
  });

  it('is the whole cell where its body was changed meanwhile', () => {
    expect(editedPart('%%spark edit shorter\na = 2', 'a = 1')).toBe('%%spark edit shorter\na = 2');
  });

  it('does not take a cell of another kind for unchanged', () => {
    expect(editedPart('# %%spark\na = 1', 'a = 1')).toBe('# %%spark\na = 1');
  });
});
