import { describe, expect, it } from 'vitest';
import { merge } from '../src/threeWayMerge';

const BASE = 'a\nb\nc\nd\ne';

describe('a proposal and a cell that was changed meanwhile', () => {
  it('is the proposal where the cell was not changed', () => {
    expect(merge(BASE, BASE, 'a\nB\nc')).toEqual({ source: 'a\nB\nc', conflicts: 0 });
  });

  it('keeps both changes where they are apart', () => {
    expect(merge(BASE, '# mine\na\nb\nc\nd\ne', 'a\nb\nc\nD\ne')).toEqual({ source: '# mine\na\nb\nc\nD\ne', conflicts: 0 });
    expect(merge(BASE, 'a\nb\nc\nd\ne\nf', 'A\nb\nc\nd\ne')).toEqual({ source: 'A\nb\nc\nd\ne\nf', conflicts: 0 });
    expect(merge(BASE, 'a\nc\nd\ne', 'a\nb\nc\nd')).toEqual({ source: 'a\nc\nd', conflicts: 0 });
  });

  it('keeps both where one begins at the line at which the other ends', () => {
    expect(merge(BASE, 'a\nB\nc\nd\ne', 'a\nb\nC\nd\ne')).toEqual({ source: 'a\nB\nC\nd\ne', conflicts: 0 });
    expect(merge(BASE, 'a\nB\nc\nd\ne', 'a\nb\nnew\nc\nd\ne')).toEqual({ source: 'a\nB\nnew\nc\nd\ne', conflicts: 0 });
  });

  it('takes the same change once', () => {
    expect(merge(BASE, 'a\nB\nc\nd\ne', 'a\nB\nc\nd\nE')).toEqual({ source: 'a\nB\nc\nd\nE', conflicts: 0 });
    expect(merge(BASE, 'a\nB\nc\nd\ne', 'a\nB\nc\nd\ne')).toEqual({ source: 'a\nB\nc\nd\ne', conflicts: 0 });
  });

  it('shows the proposal and says so where both changed a line', () => {
    expect(merge(BASE, 'a\nmine\nc\nd\ne', 'a\ntheirs\nc\nd\nE')).toEqual({ source: 'a\ntheirs\nc\nd\nE', conflicts: 1 });
    expect(merge(BASE, 'a\nmine 1\nmine 2\nc\nd\ne', 'a\nd\ne')).toEqual({ source: 'a\nd\ne', conflicts: 1 });
    expect(merge(BASE, '1\na\nb\nc\nd\ne', '2\na\nb\nc\nd\ne')).toEqual({ source: '2\na\nb\nc\nd\ne', conflicts: 1 });
  });

  it('knows lines at both ends and sources without any', () => {
    expect(merge('', 'mine', '')).toEqual({ source: 'mine', conflicts: 0 });
    expect(merge('', 'mine', 'theirs')).toEqual({ source: 'theirs', conflicts: 1 });
    expect(merge('a', 'a\nmine', 'b')).toEqual({ source: 'b', conflicts: 1 }); // the line end is of the line above
  });

  it('gives back either side where the other did nothing, for any pair', () => {
    const sources = ['', 'a', 'a\n', '\na', 'a\nb', 'b\na', 'a\nb\nc\n', 'x\ny', BASE, 'e\nd\nc\nb\na'];
    for (const base of sources) {
      for (const other of sources) {
        expect(merge(base, other, base)).toEqual({ source: other, conflicts: 0 });
        expect(merge(base, base, other)).toEqual({ source: other, conflicts: 0 });
        expect(merge(base, other, other)).toEqual({ source: other, conflicts: 0 });
      }
    }
  });
});
