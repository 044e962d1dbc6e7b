import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { contentHash } from '../src/hash';

describe('the hash of a source', () => {
  it('is the one that Python gives', () => {
    const text = readFileSync(join(__dirname, '../../tests/fixtures/hashes.json'), 'utf-8');
    for (const { source, hash } of JSON.parse(text) as { source: string; hash: string }[]) {
      expect(contentHash(source)).toBe(hash);
    }
  });
});
