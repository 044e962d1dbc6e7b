import { expect, it } from 'vitest';
import { isTangled, withoutDrawings } from '../src/plainText';

it.each([
  '```mermaid\nx\n```',
  '```` mermaid\nx\n````',
  '~~~mermaid `x`\nx\n~~~',
  '~~~mermaid ```x\nx\n~~~',
  '> ```mermaid\n> x\n> ```',
  '- ```mermaid\n  x',
  '1. a\n\n\t~~~~  mermaid\n',
  '```\u00a0mermaid',
  '```{mermaid}\nx\n```'
])('draws nothing: %j', fence => {
  const said = withoutDrawings(fence);
  expect(said).toMatch(/(```|~~~)text /);
  expect(said.replace('text ', '').replace(/\s/g, '')).toBe(fence.replace(/\s/g, ''));
});

it.each(['```python\nx = 1\n```', '```SQL title\nselect 1\n```', '```\nmermaid\n```', 'an inline ```mermaid``` of it', '~~~  \nx\n~~~'])('leaves alone %j', markdown => {
  expect(withoutDrawings(markdown)).toBe(markdown);
});

it.each(['`', '~', '```', '~~~', ' ', 'a', '``` ', '~~~a', '>- '])('reads a long text of %j in the time of its length', piece => {
  expect(withoutDrawings(piece.repeat(100_000))).toBeTruthy(); // a quadratic one would take minutes
});

const words = (count: number, word: (n: number) => string) => Array.from({ length: count }, (_, n) => word(n)).join('');

it('renders no Markdown that would take seconds', () => {
  const tangled = {
    emphasis: words(3_000, n => `*w${n} `),
    'emphasis on lines': words(3_000, n => `_w${n}\n`),
    strokes: words(3_000, n => `~w${n} `),
    links: words(3_000, n => `[w${n}](`),
    definitions: words(3_000, n => `[w${n}]: x\n`) + words(3_000, n => `[w${n}] `),
    backticks: `${'`'.repeat(1_000)} a`,
    'runs of backticks': words(3_000, n => `${'`'.repeat(1 + (n % 40))}w${n} `),
    fences: '~~~a\n'.repeat(20_000),
    gap: `x [a](${' '.repeat(20_000)}x`,
    quotations: `${'> '.repeat(2_000)}a`,
    lists: `${'1. '.repeat(2_000)}a`,
    length: words(30_000, n => `word${n} `)
  };
  expect(Object.entries(tangled).flatMap(([name, text]) => (isTangled(text) ? [] : [name]))).toEqual([]);
});

it('renders what people read', () => {
  const read = {
    paragraphs: words(500, n => `The *mean* of \`a_${n}\` is **${n}**, see [it](https://a.b/c_d).\n\n`),
    list: words(500, n => `- **x${n}**: the \`value_${n}\` of it, *rounded*\n`),
    numbered: words(150, n => `${n}. **x${n}**: the \`value_${n}\` of it, *rounded*\n`),
    table: `a | b | c\n--|---|--\n${words(150, n => `${n} | *b* | \`c_${n}\`\n`)}`,
    rules: `a\n${'-'.repeat(200)}\nb\n\n${'*'.repeat(200)}\n`,
    code: `${'```js\nx = a_b * c_d\n```\n\n'.repeat(60)}`,
    formulas: words(60, n => `$\\beta_${n} = \\sum_i x_i$ and \\\\[ a_b * c \\\\]\n`)
  };
  expect(Object.entries(read).flatMap(([name, text]) => (isTangled(text) ? [name] : []))).toEqual([]);
});
