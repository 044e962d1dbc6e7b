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
