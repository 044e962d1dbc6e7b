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

/** Characters of Markdown that are rendered at most: more than anybody reads, at each piece of an answer. */
const MOST_CHARACTERS = 200_000;
/** Characters that are gone through again at a mark, summed up: some 400 ms. */
const MOST_WORK = 20_000_000;
/** Where a paragraph ends: at an empty line, and before an item of a list. */
const PARAGRAPHS = /\n[ \t]*\n|\n(?=[ \t]*[-*+] )/;
const NESTED = /^[ \t]*(?:>[ \t]?|(?:[-*+]|\d{1,9}[.)])[ \t]+){50}/m;
const LONG_RUN = /`{100}|\]\(\s{500}/;

/**
 * Whether rendering this Markdown would keep the page busy, or fail. What reads it goes through a paragraph again for each mark that nothing closes, through
 * all definitions for each bracket, and deeper for each quotation in another.
 */
export function isTangled(markdown: string): boolean {
  const marks = (text: string, mark: RegExp) => text.match(mark)?.length ?? 0;
  const again = (parts: readonly string[], mark: RegExp) => parts.reduce((sum, part) => sum + part.length * marks(part, mark), 0);
  const work = [
    again(markdown.split(PARAGRAPHS), /[*_~]|\]\(/g),
    again(markdown.split('\n'), /`/g),
    (markdown.length * marks(markdown, /^(?:```|~~~)/gm)) / 20,
    marks(markdown, /\]:/g) * marks(markdown, /\[/g) * 5
  ];
  return markdown.length > MOST_CHARACTERS || Math.max(...work) > MOST_WORK || NESTED.test(markdown) || LONG_RUN.test(markdown);
}

/** A text as a code block of Markdown, whatever it holds. */
export function fenced(language: string, text: string): string {
  const fence = '`'.repeat(Math.max(2, longestTicks(text)) + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}

/** Backticks of the longest run of them. */
export function longestTicks(text: string): number {
  return [...text.matchAll(/`+/g)].reduce((longest, [ticks]) => Math.max(longest, ticks.length), 0);
}
