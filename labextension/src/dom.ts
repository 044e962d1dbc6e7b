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
      Object.assign(element, { [name]: value });
    } else if (value !== undefined && value !== false) {
      element.setAttribute(name, value === true ? '' : String(value));
    }
  }
  element.append(...children.filter(child => child !== null && child !== undefined && child !== false));
  return element;
}

/** Handlers that are handed on where an element stays and its meaning changes. */
const HANDLERS = ['onclick', 'onkeydown'] as const;

/**
 * Have an element hold `wanted`, and leave in place what stays what it is: a button keeps its focus, and its click where it is just being
 * pressed; what somebody opened stays open. `wanted` is used up.
 */
export function patch(shown: Element, wanted: readonly ChildNode[]): void {
  let place = shown.firstChild;
  const dropUntil = (end: ChildNode | null) => {
    while (place && place !== end) {
      const next: ChildNode | null = place.nextSibling;
      place.remove();
      place = next;
    }
  };
  for (const node of wanted) {
    const same = counterpart(place, node);
    if (same) {
      dropUntil(same);
      place = same.nextSibling;
      become(same, node);
    } else {
      shown.insertBefore(node, place);
    }
  }
  dropUntil(null);
}

/** From `place` on, the first sibling that is the same thing. */
function counterpart(place: ChildNode | null, node: ChildNode): ChildNode | null {
  const wanted = identity(node);
  while (place && identity(place) !== wanted) {
    place = place.nextSibling;
  }
  return place;
}

function identity(node: ChildNode): string {
  const { action } = node instanceof HTMLElement ? node.dataset : {};
  const summary = node instanceof HTMLDetailsElement ? node.firstElementChild?.textContent : '';
  return [node.nodeName, action ?? (node as Partial<Element>).className, summary].join(' ');
}

function become(shown: ChildNode, wanted: ChildNode): void {
  if (!(shown instanceof HTMLElement) || !(wanted instanceof HTMLElement)) {
    shown.nodeValue = wanted.nodeValue;
    return;
  }
  const opened = (name: string) => shown instanceof HTMLDetailsElement && name === 'open'; // by somebody, or not
  shown.getAttributeNames().filter(name => !wanted.hasAttribute(name) && !opened(name)).forEach(name => shown.removeAttribute(name));
  wanted.getAttributeNames().filter(name => !opened(name)).forEach(name => shown.setAttribute(name, wanted.getAttribute(name) ?? ''));
  HANDLERS.forEach(name => Object.assign(shown, { [name]: wanted[name] }));
  patch(shown, [...wanted.childNodes]);
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
