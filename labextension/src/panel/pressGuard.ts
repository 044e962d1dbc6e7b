// Guard that delays rendering while a button is pressed.

import { type ISignal, Signal } from '@lumino/signaling';

/** What is clicked. A list that opens (`select`) is not among them: nobody hears of its release. */
const CLICKED = 'button, a, summary, label, [role="button"], [role="tab"]';

/** What is held, and not clicked. */
const HELD = '[data-held]';

/**
 * Whether something that is clicked is pressed within a node.
 *
 * A browser makes a click of a press and a release upon the same element; where the element was moved meanwhile, there is none.
 */
export class PressGuard {
  private readonly _released = new Signal<this, void>(this);
  private _isDown = false;

  constructor(node: HTMLElement) {
    node.addEventListener('pointerdown', this._onDown, true);
    // What a click does is drawn at once: a box that is ticked is not empty for a moment.
    node.addEventListener('click', () => (this._isDown = false), true);
  }

  get isDown(): boolean {
    return this._isDown;
  }

  /** Emitted after the click that a release makes. */
  get released(): ISignal<this, void> {
    return this._released;
  }

  private readonly _onDown = ({ target }: Event): void => {
    if (this._isDown || !(target instanceof Element && target.closest(CLICKED)) || target.closest(HELD)) {
      return;
    }
    this._isDown = true;
    const ended = new AbortController();
    const onEnd = ({ type, target: left }: Event) => {
      if (type === 'blur' && left !== window) {
        return; // an element's: a press takes the focus from the prompt box
      }
      ended.abort();
      // The click comes in the task of the release.
      window.setTimeout(() => {
        this._isDown = false;
        this._released.emit();
      });
    };
    for (const name of ['pointerup', 'pointercancel', 'blur']) {
      window.addEventListener(name, onEnd, { capture: true, signal: ended.signal });
    }
  };
}
