import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { contentHash, sha256 } from '../src/hash';

describe('the hash of a source', () => {
  it.each([0, 1, 3, 55, 56, 57, 63, 64, 65, 119, 120, 1000])('is SHA-256 for %i bytes', length => {
    const bytes = Uint8Array.from({ length }, (_, index) => (index * 37) % 251);
    expect(sha256(bytes)).toBe(createHash('sha256').update(bytes).digest('hex'));
  });

  it('is the one that Python gives', () => {
    const text = readFileSync(join(__dirname, '../../tests/fixtures/hashes.json'), 'utf-8');
    for (const { source, hash } of JSON.parse(text) as { source: string; hash: string }[]) {
      expect(contentHash(source)).toBe(hash);
    }
  });
});
