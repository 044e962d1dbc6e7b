import { describe, expect, it } from 'vitest';
import { preview } from '../src/editPreview';

const BASE = 'import math\na = 1\nb = 2\nc = 3';

describe('the preview of an edit', () => {
  it('is the whole cell before anything has come', () => {
    expect(preview(BASE, '')).toBe(BASE);
  });

  it('keeps below the draft what it has not come to', () => {
    expect(preview(BASE, 'import math\na = 10\n')).toBe('import math\na = 10\nb = 2\nc = 3');
  });

  it('takes a line that is being written for the line in its place', () => {
    expect(preview(BASE, 'import nu')).toBe('import nu\na = 1\nb = 2\nc = 3');
  });

  it('is the draft where the draft goes to the end', () => {
    expect(preview(BASE, BASE)).toBe(BASE);
    expect(preview(BASE, `${BASE}\nd = 4`)).toBe(`${BASE}\nd = 4`);
    expect(preview('', 'a = 1')).toBe('a = 1');
  });

  it('never loses a character of the draft, wherever it is cut', () => {
    const target = 'import numpy\na = 1\nnew = 5\nc = 3\nprint(a)';
    for (let cut = 0; cut <= target.length; cut += 1) {
      expect(preview(BASE, target.slice(0, cut)).startsWith(target.slice(0, cut))).toBe(true);
    }
  });
});
