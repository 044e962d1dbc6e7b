import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { CellChange } from '../src/messages';
import { apply, type Notebook, NotebookError } from '../src/notebook';

const FIXTURES = join(__dirname, '../../tests/fixtures/changes');

interface Fixture {
  name: string;
  before: Notebook;
  changes: CellChange[];
  after?: Notebook;
  refused?: boolean;
}

const fixtures = readdirSync(FIXTURES)
  .filter(name => name.endsWith('.json'))
  .map(name => JSON.parse(readFileSync(join(FIXTURES, name), 'utf-8')) as Fixture);

describe('the fixtures that Python passes too', () => {
  it('are there', () => {
    expect(fixtures.length).toBeGreaterThan(10);
  });

  it.each(fixtures.filter(one => !one.refused))('$name', ({ before, changes, after }) => {
    const copy = structuredClone(before);
    expect(apply(before, changes)).toEqual(after);
    expect(before).toEqual(copy);
  });

  it.each(fixtures.filter(one => one.refused))('$name', ({ before, changes }) => {
    const copy = structuredClone(before);
    expect(() => apply(before, changes)).toThrow(NotebookError);
    expect(before).toEqual(copy);
  });
});
