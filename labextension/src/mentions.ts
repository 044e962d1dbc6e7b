// Completion of `@` mentions: asks the kernel, resolves its answer.

import type { Mentions as Answer } from './messages';
import type { Transport } from './transport';

/** Milliseconds for which the answer is waited for. */
const PATIENCE = 2_000;

/** The questions of one notebook; the newest counts. */
export class Mentions {
  constructor(private readonly _transport: Transport) {}

  /** What may be pointed at that begins so; nothing where the kernel does not say it soon. */
  async list(prefix: string): Promise<readonly string[]> {
    if (this._transport.status !== 'ready') {
      return [];
    }
    const answer = new Promise<readonly string[]>(resolve => {
      this._asked = { prefix, resolve };
      window.setTimeout(() => resolve([]), PATIENCE);
    });
    await this._transport.send({ type: 'ListMentions', prefix });
    return answer;
  }

  /** The kernel has answered. */
  take({ prefix, items }: Answer): void {
    if (prefix === this._asked?.prefix) {
      this._asked.resolve(items);
    }
  }

  private _asked: { readonly prefix: string; readonly resolve: (items: readonly string[]) => void } | null = null;
}
