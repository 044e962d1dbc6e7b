import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Finding, Turn } from '../src/messages';
import { fullProposal, fullTurn } from '../src/state';
import { helpIn, markOf, provenance, withHint, withSuggested } from '../src/provenance';

interface Fixture {
  readonly name: string;
  readonly source: string;
  readonly turn: Turn;
  readonly at: number;
  readonly findings: readonly Finding[];
  readonly kept: unknown;
}

const fixtures = JSON.parse(readFileSync(join(__dirname, '../../tests/fixtures/provenance.json'), 'utf-8')) as Fixture[];
const finding = { rule: 'r', severity: 'warn', line: 3, message: 'secret detail' } as const;

describe('provenance', () => {
  const proposal = fullProposal({ cell_id: 'c', turn_id: 't', findings: [finding] });
  const value = provenance(proposal, fullTurn({ id: 't', prompt: 'p', model: 'm' }), 'x = 1', Date.UTC(2026, 10, 21, 3, 4, 5, 678));

  it.each(fixtures)('is kept as Python keeps it: $name', ({ source, turn, at, findings, kept }) => {
    const proposal = fullProposal({ cell_id: 'c', turn_id: turn.id, findings });
    expect(provenance(proposal, fullTurn(turn), source, at * 1000)).toEqual(kept);
  });

  it('shows whether the cell was changed since', () => {
    expect(markOf(value, 'x = 1')?.changed).toBe(false);
    expect(markOf(value, 'x = 2')?.changed).toBe(true);
  });

  it.each([undefined, null, 'text', 7, [], [{}], {}, { hash: 5 }, { prompt: 'p' }])('sees no mark in %j', metadata => {
    expect(markOf(metadata, 'x')).toBeNull();
  });

  it('shows strings only, short and without characters that could deceive', () => {
    const mark = markOf({ hash: 'h', prompt: `a\u202eb\n${'c'.repeat(1000)}`, model: { toString: 'x' }, time: 5 }, 'x');
    expect(mark?.details).toHaveLength(1);
    expect(mark?.details[0]).not.toMatch(/[\u202e\n]/);
    expect(mark?.details[0].length).toBeLessThan(330);
  });
});

describe('what was suggested of a cell', () => {
  it('is counted in characters, and is never more than the cell has', () => {
    expect(withSuggested(undefined, 5, 100)).toEqual({ suggested: 5 });
    expect(withSuggested({ suggested: 5, turn: 't' }, 7, 100)).toEqual({ suggested: 12, turn: 't' });
    expect(withSuggested({ suggested: 1e9 }, 7, 20)).toEqual({ suggested: 20 });
    expect(withSuggested({ suggested: 'much' }, 7, 20)).toEqual({ suggested: 7 });
  });

  it('stays when a turn’s mark comes or goes, and makes no mark by itself', () => {
    expect(helpIn({ suggested: 12, turn: 't' })).toEqual({ suggested: 12 });
    expect(helpIn('anything')).toEqual({});
    expect(helpIn(withHint(withHint({ suggested: 12, hash: 'h' }, 1), 2))).toEqual({ suggested: 12, hints: [1, 2] });
    expect(withHint({ hints: 'many' }, 3)).toEqual({ hints: [3] });
    expect(markOf({ suggested: 12 }, 'x')).toBeNull();
  });
});
