import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Event } from '../src/messages';
import { reduce } from '../src/reducer';
import { EMPTY, type State } from '../src/state';
import { projection } from './projection';

const FIXTURES = join(__dirname, '../../tests/fixtures/events');

interface Fixture {
  readonly name: string;
  readonly steps: readonly { readonly events: readonly Event[]; readonly state: unknown }[];
}

const fixtures = readdirSync(FIXTURES)
  .filter(name => name.endsWith('.json'))
  .map(name => JSON.parse(readFileSync(join(FIXTURES, name), 'utf-8')) as Fixture);

describe('turns that were recorded, which Python takes in too', () => {
  it('are there', () => {
    expect(fixtures.length).toBeGreaterThan(10);
  });

  it.each(fixtures)('lead to the same states: $name', ({ steps }) => {
    steps.reduce((before: State, { events, state }) => {
      const after = events.reduce(reduce, before);
      expect(projection(after)).toEqual(state);
      return after;
    }, EMPTY);
  });
});
