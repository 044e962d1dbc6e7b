// Handshake: waits for the kernel's Hello after the comms open.

import type { CommPair } from './comms';

/** Milliseconds: how long the kernel may take to say Hello before its extension is loaded. */
export const HELLO_TIMEOUT = 3000;
/** Milliseconds: the same after its extension was loaded, when there is no doubt that somebody is there. */
export const HELLO_TIMEOUT_LOADED = 15000;

/** How an attempt to attach ended. */
export type Outcome =
  | 'ready'
  /** The targets are not registered, or nothing answers. */
  | 'refused'
  /** It was called off. */
  | 'gone';

/** One attempt. It ends once. */
export class Handshake {
  /** `busy` is called where a running cell keeps the kernel from answering; it is waited for. */
  constructor(
    private readonly _pair: CommPair,
    private readonly _patience: number,
    private readonly _busy: () => void
  ) {
    this.outcome = new Promise(resolve => {
      this._resolve = resolve;
    });
    this._wait();
  }

  /** Never rejected. */
  readonly outcome: Promise<Outcome>;

  end(outcome: Outcome): void {
    window.clearTimeout(this._timer);
    this._resolve(outcome);
  }

  private _wait(): void {
    this._timer = window.setTimeout(() => {
      if (this._pair.kernel.status === 'busy') {
        this._busy();
        this._wait();
      } else {
        this.end('refused');
      }
    }, this._patience);
  }

  private _resolve: (outcome: Outcome) => void = () => undefined;
  private _timer = 0;
}
