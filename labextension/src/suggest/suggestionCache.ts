// Cache of the last suggestions.
//
// What is known is not asked for again while the user types along, deletes back, goes away and comes back.

import type { Mend } from '../messages';
import { restOf, type Situation } from './cursorContext';

/** How many are kept, for all notebooks together. */
export const MAX_CACHED = 50;

/** One suggestion, as far as it has come. */
export interface Entry {
  readonly id: string;
  readonly situation: Situation;
  /** What was said; empty and `done`: there is nothing to say. */
  readonly text: string;
  readonly mends: readonly Mend[];
  readonly done: boolean;
}

/** What an entry says at the cursor. */
export interface Found {
  readonly entry: Entry;
  readonly rest: string;
}

/** A bounded number of suggestions; the oldest goes first. */
export class SuggestionCache {
  private _entries: readonly Entry[] = [];

  /** Keep a suggestion, in the place of what was known of it. */
  put(entry: Entry): void {
    this._entries = [entry, ...this._entries.filter(({ id }) => id !== entry.id)].slice(0, MAX_CACHED);
  }

  /** What was said by a request so far. */
  textOf(id: string): string {
    return this._entries.find(entry => entry.id === id)?.text ?? '';
  }

  /** What is known for the cursor, the newest first, each text once. */
  find(now: Situation): readonly Found[] {
    const found = this._entries.map(entry => ({ entry, rest: restOf(entry.situation, entry.text, now) ?? '' })).filter(({ rest }) => rest !== '');
    return found.filter(({ rest }, index) => found.findIndex(other => other.rest === rest) === index);
  }

  /** Whether it is known that there is nothing to say here. */
  isSilent(now: Situation): boolean {
    return this._entries.some(({ situation, text, done }) => done && text === '' && restOf(situation, '', now) !== null);
  }

  get size(): number {
    return this._entries.length;
  }
}
