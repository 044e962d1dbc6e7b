// Plain text from untrusted sources, and its parts in backticks.

import { TERMINAL_SEQUENCE } from './constants';

const CONTROLS = new RegExp(`${TERMINAL_SEQUENCE}|[\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f]`, 'g');

/** Text without what would move a terminal's cursor or colour its text. */
export function plain(text: string): string {
  return text.replace(CONTROLS, '');
}

/** Text in which `code` stands in backticks, in its parts. */
export function codeParts(text: string): readonly { readonly text: string; readonly code: boolean }[] {
  return text.split(/`([^`\n]+)`/).map((part, index) => ({ text: part, code: index % 2 === 1 }));
}

/** Languages of code blocks that are coloured and nothing else. */
const COLOURED = new Set(
  'bash c console cpp css csv diff html java javascript js json julia markdown md py python r rust sh shell sql text toml ts txt typescript xml yaml'.split(' ')
);
/** A line that can open a code block: what stands before it, its first backticks or tildes, and the language. */
const FENCE = /^([^`~]*)(`{3,}(?=[^`]*$)|~{3,})(.*)$/s;

/** Markdown whose code blocks stay text: of some languages, such as mermaid, a front end draws what they say, pictures from anywhere included. */
export function withoutDrawings(markdown: string): string {
  return markdown.split('\n').map(asText).join('\n');
}

function asText(line: string): string {
  const [, before, fence, info] = FENCE.exec(line) ?? ['', '', '', ''];
  const [language] = info.trim().split(/\s/);
  return !language || COLOURED.has(language.toLowerCase()) ? line : `${before}${fence}text ${info.trim()}`;
}
