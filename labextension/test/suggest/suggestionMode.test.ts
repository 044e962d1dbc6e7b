import { describe, expect, it } from 'vitest';
import { decideMode, modeIn, type Wishes } from '../../src/suggest/suggestionMode';

function wishes(fields: Partial<Wishes> = {}): Wishes {
  return { suggestions: 'on', suggestIn: ['code', 'markdown', 'console'], here: null, notebook: undefined, other: null, kernel: 'on', ...fields };
}

describe('suggestions', () => {
  it('are made as the settings say, or as was chosen for the notebook', () => {
    expect(decideMode(wishes()).mode).toBe('on');
    expect(decideMode(wishes({ suggestions: 'off' })).mode).toBe('off');
    expect(decideMode(wishes({ suggestions: 'off', here: 'on' })).mode).toBe('on');
    expect(decideMode(wishes({ here: 'request' })).mode).toBe('request');
  });

  it('are off where the notebook says so, whatever the user says, who is told', () => {
    const { mode, why } = decideMode(wishes({ here: 'on', notebook: 'off' }));
    expect(mode).toBe('off');
    expect(why).toContain('switched off by this notebook');
  });

  it('are not switched on by a notebook, nor by what is no word of ours', () => {
    expect(decideMode(wishes({ suggestions: 'off', notebook: 'on' })).mode).toBe('off');
    expect(decideMode(wishes({ suggestions: 'off', notebook: 'request' })).mode).toBe('off');
    for (const notebook of ['OFF', 1, {}, null, ['off']]) {
      expect(decideMode(wishes({ notebook }))).toEqual({ mode: 'on', why: '' });
    }
  });

  it('are as rare as the kernel says, and whoever reads that is told how to change it', () => {
    expect(decideMode(wishes({ kernel: 'ask' })).mode).toBe('request');
    expect(decideMode(wishes({ kernel: 'off' })).why).toContain('%spark suggestions on');
    expect(decideMode(wishes({ kernel: 'ask', suggestions: 'off' }))).toEqual({ mode: 'off', why: '' });
    expect(decideMode(wishes({ kernel: 'ask', notebook: 'off' })).why).toContain('this notebook');
  });

  it('are on request where the notebook says that', () => {
    expect(decideMode(wishes({ notebook: 'request' })).mode).toBe('request');
  });

  it('give way to another provider, who is named', () => {
    const { mode, why } = decideMode(wishes({ other: 'Somebody' }));
    expect(mode).toBe('off');
    expect(why).toContain('Somebody');
  });

  it('come by themselves in the kinds of cells that were chosen, and elsewhere on request', () => {
    expect(modeIn('markdown', wishes({ suggestIn: ['code'] }))).toBe('request');
    expect(modeIn('code', wishes({ suggestIn: ['code'] }))).toBe('on');
    expect(modeIn('markdown', wishes({ suggestIn: ['code'], suggestions: 'off' }))).toBe('off');
  });
});
