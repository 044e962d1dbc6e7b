// One request by JupyterLab's inline completer, streamed.

import { PromiseDelegate } from '@lumino/coreutils';
import { newId } from '../ids';
import type { Completed } from '../messages';

/** What JupyterLab is given: text, whether more may come, and by what it asks for that. */
export interface Item {
  readonly insertText: string;
  readonly isIncomplete: boolean;
  readonly token: string;
}

/** A request that was sent. */
export class InlineRequest {
  readonly id = newId('i');
  private _last: Completed | null = null;
  /** What JupyterLab has been given last: what was said since must not be lost, however late it comes for it. */
  private _given: Completed | null = null;
  private _next = new PromiseDelegate<void>();

  /** The first that may be shown; null: there is nothing. */
  async first(): Promise<Item | null> {
    while (!this._last?.text && !this._last?.done) {
      await this._next.promise;
    }
    return this._last.text ? this._give() : null;
  }

  /** What is said after the first, up to the end. */
  async *more(): AsyncGenerator<Item> {
    while (this._last !== this._given || !this._last?.done) {
      if (this._last === this._given) {
        await this._next.promise;
      }
      yield this._give();
    }
  }

  say(event: Completed): void {
    this._last = event;
    const heard = this._next;
    this._next = new PromiseDelegate();
    heard.resolve();
  }

  /** A newer one takes its place. */
  end(): void {
    this.say({ type: 'Completed', completion_id: this.id, text: this._last?.text, done: true });
  }

  private _give(): Item {
    this._given = this._last;
    return { insertText: this._last?.text ?? '', isIncomplete: !this._last?.done, token: this.id };
  }
}
