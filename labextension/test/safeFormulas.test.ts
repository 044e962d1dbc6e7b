import { describe, expect, it } from 'vitest';
import { isSafeToTypeset } from '../src/safeFormulas';

describe('formulas of a model', () => {
  it('are typeset where they are formulas', () => {
    for (const text of ['$\\frac{1}{2}$', '\\[\\sum_{i=1}^n \\color{red}{x_i} \\urlcorner\\]', 'costs $5', '\\text{class}']) {
      expect(isSafeToTypeset(text), text).toBe(true);
    }
  });

  it('stay text where a command of theirs becomes a style, an attribute or a link', () => {
    for (const text of [
      '$\\style{cursor:url(https://x.example/?d=1),auto}{x}$',
      '$\\bbox[cursor:url(//x.example)]{x}$',
      '$\\fcolorbox{red;cursor:url(//x.example)}{white}{x}$',
      '$\\mmlToken{mi}[style="cursor:url(//x.example)"]{x}$',
      '$\\let\\q\\style \\q{a}{x}$',
      '$\\href {https://x.example}{x}$',
      '$\\require{html}$'
    ]) {
      expect(isSafeToTypeset(text), text).toBe(false);
    }
  });
});
