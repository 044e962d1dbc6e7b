import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const SOURCES = join(__dirname, '..', 'src');
const GENERATED = ['messages.ts', 'constants.ts'];
const files = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' }).filter(name => /\.tsx?$/.test(name) && !GENERATED.includes(name));
const RELATIVE = /^\/\/ (?:What|That|How|Whether|Where|Who|Which)\b/;

describe('the first line of a module', () => {
  it.each(files)('says what %s does, subject first', name => {
    const [first] = readFileSync(join(SOURCES, name), 'utf8').split('\n');
    expect(first).toMatch(/^\/\/ \S.*\.$/);
    expect(first).not.toMatch(RELATIVE);
    expect(first.length).toBeLessThanOrEqual(103);
    expect(first.slice(3).split(/\s+/).length).toBeLessThanOrEqual(12);
  });
});

describe('the length of a module', () => {
  it.each(files)('%s has at most 450 lines', name => {
    expect(readFileSync(join(SOURCES, name), 'utf8').split('\n').length).toBeLessThanOrEqual(450);
  });
});
