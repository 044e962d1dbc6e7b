// Completion of `@` mentions: asks the kernel, resolves its answer.

import type { Mentions as Answer } from './messages';
import type { Transport } from './transport';
import { NO_NAMES, type SpokenNames } from './voice/recogniser';

/** Milliseconds for which the answer is waited for. */
const PATIENCE = 2_000;

/** Values whose names are listened for, and how many of them may be tables. */
const MOST_VALUES = 60;
const MOST_TABLES = 8;

/** The questions of one notebook. */
export class Mentions {
  constructor(private readonly _transport: Transport) {}

  /** What may be pointed at that begins so; nothing where the kernel does not say it soon. */
  async list(prefix: string): Promise<readonly string[]> {
    if (this._transport.status !== 'ready') {
      return [];
    }
    const answer = new Promise<readonly string[]>(resolve => {
      this._asked.set(prefix, [...(this._asked.get(prefix) ?? []), resolve]);
      window.setTimeout(() => resolve([]), PATIENCE);
    });
    await this._transport.send({ type: 'ListMentions', prefix });
    return answer;
  }

  /** The notebook's names, for speech recognition: its tables with their columns, and other values. Nothing where the kernel is slow to say. */
  async spokenNames(): Promise<SpokenNames> {
    const late = new Promise<SpokenNames>(resolve => window.setTimeout(() => resolve(NO_NAMES), PATIENCE));
    return Promise.race([this._names(), late]);
  }

  private async _names(): Promise<SpokenNames> {
    const values = (await this.list('')).filter(name => /^[\p{L}_][\p{L}\p{N}_]*$/u.test(name)).slice(0, MOST_VALUES);
    const tables: string[] = [];
    const columns: string[] = [];
    for (const value of values.slice(0, MOST_TABLES)) {
      const found = (await this.list(`${value}.`)).map(text => text.slice(value.length).replace(/^\.|^\["|"\]$/g, ''));
      columns.push(...found);
      tables.push(...(found.length > 0 ? [value] : []));
    }
    return { names: [...new Set([...columns, ...values])], tables };
  }

  /** The kernel has answered. */
  take({ prefix, items }: Answer): void {
    this._asked.get(prefix)?.forEach(resolve => resolve(items));
    this._asked.delete(prefix);
  }

  private readonly _asked = new Map<string, readonly ((items: readonly string[]) => void)[]>();
}
