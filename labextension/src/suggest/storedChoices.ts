// Choices and tally of suggestions, stored in this browser.

import { isMode, type Mode } from './suggestionMode';
import { type Tally, tallyFrom } from './suggestionTally';

const CHOICES_KEY = 'spark-jupyter:suggestions:here';
const TALLY_KEY = 'spark-jupyter:suggestions:tally';
const MOST_CHOICES = 100;

/** What the user chose for that notebook; null where it goes by the settings. */
export function choiceFor(path: string): Mode | null {
  return choices().find(([name]) => name === path)?.[1] ?? null;
}

/** Keep a choice for a notebook; null: it goes by the settings. */
export function choose(path: string, mode: Mode | null): void {
  const others = choices().filter(([name]) => name !== path);
  const all: [string, Mode][] = mode === null ? others : [[path, mode], ...others];
  window.localStorage.setItem(CHOICES_KEY, JSON.stringify(all.slice(0, MOST_CHOICES)));
}

/** The tally of this browser. */
export function storedTally(): Tally {
  return tallyFrom(stored(TALLY_KEY));
}

export function storeTally(tally: Tally): void {
  window.localStorage.setItem(TALLY_KEY, JSON.stringify(tally));
}

function choices(): [string, Mode][] {
  const all = stored(CHOICES_KEY);
  return Array.isArray(all) ? all.filter((one): one is [string, Mode] => Array.isArray(one) && typeof one[0] === 'string' && isMode(one[1])) : [];
}

function stored(key: string): unknown {
  try {
    return JSON.parse(window.localStorage.getItem(key) ?? 'null');
  } catch {
    return null; // somebody else wrote there
  }
}
