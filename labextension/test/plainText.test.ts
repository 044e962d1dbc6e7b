import { expect, it } from 'vitest';
import { withoutDrawings } from '../src/plainText';

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
