import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { contentHash, sha256 } from '../src/hash';

describe('the hash of a source', () => {
  it.each([0, 1, 3, 55, 56, 57, 63, 64, 65, 119, 120, 1000])('is SHA-256 for %i bytes', length => {
    const bytes = Uint8Array.from({ length }, (_, index) => (index * 37) % 251);
    expect(sha256(bytes)).toBe(createHash('sha256').update(bytes).digest('hex'));
  });

  it('is of the text in UTF-8, and short', () => {
    const text = 'naïve = "✓ 🎉"';
    expect(contentHash(text)).toBe(createHash('sha256').update(text, 'utf-8').digest('hex').slice(0, 16));
  });
});
