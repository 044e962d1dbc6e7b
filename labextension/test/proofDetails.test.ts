import { describe, expect, it } from 'vitest';
import { differs, howSame, placeOf, proofDetails } from '../src/footer/proofDetails';

describe('What a proof says below its headline', () => {
  it('is nothing where the result is the same and costs nothing', () => {
    expect(proofDetails({ verdict: 'same', seconds: 0.01, seconds_before: 0.01 })).toEqual({ differences: [], more: 0, unclear: [], costs: '', below: [] });
  });

  it('says the place of a difference once', () => {
    const places = [['output', 'output 2'], ['output', 'warning'], ['error', 'error'], ['file', 'o.csv']] as const;
    expect(places.map(([kind, name]) => placeOf({ kind, name, detail: '' }))).toEqual(['Output 2', 'Output warning', 'Error', 'File o.csv']);
  });

  it('is the time and memory of both where somebody minds', () => {
    const proof = { verdict: 'same', seconds_before: 4.1, seconds: 0.32, memory_before: 300 << 20, memory: 20 << 20 } as const;
    expect(proofDetails(proof).costs).toBe('Before → with the edit: 4.1 s → 0.3 s, peak memory 300 MB → 20 MB');
  });

  it('is what differs behind the first, what could not be compared, and the cells below', () => {
    const first = { kind: 'variable', name: 'total', detail: '3 rows differ' } as const;
    const second = { kind: 'file', name: 'o.csv', detail: 'is written' } as const;
    const said = proofDetails({ verdict: 'differs', differences: [first, second], more: 2, unclear: ['`now` comes out otherwise.'], below: ['a'] });
    expect(said).toEqual({ differences: [second], more: 2, unclear: ['`now` comes out otherwise.'], costs: '', below: ['a'] });
    expect(proofDetails({ verdict: 'unclear', unclear: ['one', 'two'] }).unclear).toEqual(['two']);
  });

  it('calls a better text the same only where nothing is rounded otherwise', () => {
    expect([howSame({}), howSame({ digits: 13 })]).toEqual(['Same result', 'Same to 13 digits']);
  });

  it('keeps Accept from being the first thing to do only where something differs', () => {
    expect([differs({ verdict: 'differs' }), differs({ verdict: 'same' }), differs({ verdict: 'unclear' }), differs(undefined)]).toEqual([true, false, false, false]);
  });
});
