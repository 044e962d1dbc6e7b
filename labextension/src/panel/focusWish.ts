// Wish for the focus, kept until the prompt box takes it.

import { type ISignal, Signal } from '@lumino/signaling';

export class FocusWish {
  private readonly _made = new Signal<this, void>(this);
  private _isOpen = false;

  get made(): ISignal<this, void> {
    return this._made;
  }

  /** Wish it, after what a button that was pressed does with the focus. */
  make(): void {
    window.setTimeout(() => {
      this._isOpen = true;
      this._made.emit();
    });
  }

  /** Whether it was wished, asked by the box that fulfils it. */
  take(): boolean {
    const isOpen = this._isOpen;
    this._isOpen = false;
    return isOpen;
  }
}
