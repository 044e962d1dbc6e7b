// Making elements. Text always becomes a text node: nothing that comes from a model or a notebook is parsed as HTML here.

import { TERMINAL_SEQUENCE } from './constants';

type Child = Node | string | null | undefined | false;

/** Attributes by name (`on…` handlers as functions; false and undefined leave an attribute out). */
export type Attributes = Readonly<Record<string, string | number | boolean | undefined | ((event: globalThis.Event) => void)>>;

/** An element with attributes and children. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') {
      element.addEventListener(name.slice(2), value);
    } else if (value !== undefined && value !== false) {
      element.setAttribute(name, value === true ? '' : String(value));
    }
  }
  element.append(...children.filter(child => child !== null && child !== undefined && child !== false));
  return element;
}

const CONTROLS = new RegExp(`${TERMINAL_SEQUENCE}|[\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f]`, 'g');

/** Text without what would move a terminal's cursor or colour its text. */
export function plain(text: string): string {
  return text.replace(CONTROLS, '');
}

/** Text in which `code` stands in backticks, in its parts. */
export function codeParts(text: string): readonly { readonly text: string; readonly code: boolean }[] {
  return text.split(/`([^`\n]+)`/).map((part, index) => ({ text: part, code: index % 2 === 1 }));
}

/** The same as nodes. */
export function withCode(text: string): readonly Child[] {
  return codeParts(text).map(part => (part.code ? h('code', {}, part.text) : part.text));
}
