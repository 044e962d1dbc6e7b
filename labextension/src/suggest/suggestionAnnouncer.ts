// Screen-reader announcements of suggestions, debounced.

/** Milliseconds for which a suggestion stands before it is said. */
const QUIET = 700;
/** Milliseconds for which its sentence stays in the page: it is read out once, and is not to be found where nothing is suggested any more. */
const SAID = 5000;

/** A region that only screen readers notice. It is in the page while there is something to say. */
export class SuggestionAnnouncer {
  /** `sentence`: what is said of a text. */
  constructor(private readonly _sentence: (text: string) => string = sentence) {}

  private readonly _region = region();
  private _timer = 0;

  /** Say that this is suggested; empty: nothing is any more. */
  announce(text: string): void {
    window.clearTimeout(this._timer);
    if (text === '') {
      this._end();
      return;
    }
    if (!this._region.isConnected) {
      document.body.append(this._region); // empty still: what is there before its text is read out
    }
    this._timer = window.setTimeout(() => {
      this._region.textContent = this._sentence(text);
      this._timer = window.setTimeout(() => this._end(), SAID);
    }, QUIET);
  }

  private _end(): void {
    this._region.textContent = '';
    this._region.remove();
  }
}

function region(): HTMLElement {
  const node = document.createElement('div');
  node.className = 'spark-Announcer';
  node.setAttribute('role', 'status');
  node.setAttribute('aria-live', 'polite');
  return node;
}

function sentence(text: string): string {
  const [first, ...others] = text.trim().split('\n');
  const more = others.length === 0 ? '' : others.length === 1 ? ', and 1 more line' : `, and ${others.length} more lines`;
  return `Suggestion: ${first}${more}. Tab takes it.`;
}
