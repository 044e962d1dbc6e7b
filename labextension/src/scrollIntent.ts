// Decides from user input whether the view follows the stream.
//
// The owner tells what the user does, and when.

/** Milliseconds: a scroll this soon after a movement of the user is the user's. */
export const HANDS_ON = 400;

/**
 * The user's hand comes first. While it moves, nothing else moves the view: a jump between a turn of the wheel and the scroll that
 * follows from it would undo the scroll, and the tail would look as if it had been looked for. Where the hand leaves the view decides
 * whether the tail is followed from then on. Times are those of `performance.now()`, in milliseconds.
 */
export class ScrollIntent {
  private _handsOn = -Infinity;
  private _wanted = true;

  /** A new turn begins: follow it wherever the user was. */
  restart(): void {
    this._wanted = true;
    this._handsOn = -Infinity;
  }

  /** The user turned the wheel, pressed a key, touched the view. */
  moved(at: number): void {
    this._handsOn = at;
  }

  /** The user works somewhere else: the tail is not followed, until they look for it. */
  left(): void {
    this._wanted = false;
  }

  /** The view has scrolled. `tailIsVisible` is asked only where the user did it. */
  scrolled(at: number, tailIsVisible: () => boolean): void {
    if (this._isHandsOn(at)) {
      this._handsOn = at; // a smooth scroll, or a dragged bar, goes on
      this._wanted = tailIsVisible();
    }
  }

  /** Whether to show the tail now. */
  follows(at: number): boolean {
    return this._wanted && !this._isHandsOn(at);
  }

  private _isHandsOn(at: number): boolean {
    return at - this._handsOn < HANDS_ON;
  }
}
