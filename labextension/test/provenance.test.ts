import { describe, expect, it } from 'vitest';
import { contentHash } from '../src/hash';
import { fullProposal, fullTurn } from '../src/model';
import { markOf, provenance } from '../src/provenance';

const finding = { rule: 'r', severity: 'warn', line: 3, message: 'secret detail' } as const;

describe('provenance', () => {
  const proposal = fullProposal({ cell_id: 'c', turn_id: 't', findings: [finding] });
  const value = provenance(proposal, fullTurn({ id: 't', prompt: 'p', model: 'm' }), 'x = 1', Date.UTC(2026, 10, 21, 3, 4, 5, 678));

  it('says turn, model, prompt, time, findings and hash', () => {
    expect(value).toEqual({
      turn: 't',
      model: 'm',
      prompt: 'p',
      time: '2026-11-21T03:04:05Z',
      findings: [{ rule: 'r', severity: 'warn' }],
      hash: contentHash('x = 1')
    });
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
