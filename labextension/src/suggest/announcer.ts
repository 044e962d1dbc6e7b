// Tells a screen reader what is suggested, once it has stood still: never at every key.

import { h } from '../dom';

/** Milliseconds for which a suggestion stands before it is said. */
const QUIET = 700;

/** A region that only screen readers notice. It is in the page while there is something to say. */
export class Announcer {
  /** `sentence`: what is said of a text. */
  constructor(private readonly _sentence: (text: string) => string = sentence) {}

  private readonly _region = h('div', { class: 'spark-Announcer', role: 'status', 'aria-live': 'polite' });
  private _timer = 0;

  /** Say that this is suggested; empty: nothing is any more. */
  announce(text: string): void {
    window.clearTimeout(this._timer);
    if (text === '') {
      this._region.textContent = '';
      this._region.remove();
      return;
    }
    if (!this._region.isConnected) {
      document.body.append(this._region); // empty still: what is there before its text is read out
    }
    this._timer = window.setTimeout(() => (this._region.textContent = this._sentence(text)), QUIET);
  }
}

function sentence(text: string): string {
  const [first, ...others] = text.trim().split('\n');
  const more = others.length === 0 ? '' : others.length === 1 ? ', and 1 more line' : `, and ${others.length} more lines`;
  return `Suggestion: ${first}${more}. Tab takes it.`;
}
