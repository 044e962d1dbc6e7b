// What goes to the model of what stands in the prompt box, and how often; or why it can't be taken. Pure.

import type { Attempts } from '../messages';
import { attemptsOf, type Typed } from './slashCommands';

/** What the panel says about attempts. */
export interface Race {
  readonly count: number;
  readonly check: string;
  /** How often a failing one is told why and writes again. */
  readonly rounds: number;
  /** Whether that holds for later prompts, too. */
  readonly pinned?: boolean;
}

/** One answer, which passes when it runs. */
export const NO_RACE: Race = { count: 1, check: '', rounds: 0 };

/** What goes to the model. */
export interface ResolvedInput {
  readonly text: string;
  readonly race: Race;
}

/** What there is that a command could be about. */
export interface InputContext {
  /** The active cell failed. */
  readonly canFix: boolean;
  /** A proposal stands where the user is. */
  readonly canTry: boolean;
  /** Something was asked before. */
  readonly hasTurns: boolean;
}

/** Commands that say nothing without more words. */
const WANT_WORDS = ['edit', 'new', 'model', 'deep'];

/** What goes to the model, or a sentence that says why nothing can. */
export function resolveInput(typed: Typed, race: Race, about: InputContext): ResolvedInput | string {
  switch (typed.kind) {
    case 'unknown':
      return `There is no /${typed.name}.${typed.near ? ` Did you mean /${typed.near}?` : ''}`;
    case 'prompt':
      return { text: typed.text, race };
    case 'command': {
      const { name, rest } = typed;
      if (WANT_WORDS.includes(name) && !rest) {
        return `/${name} wants more words.`;
      }
      if (name === 'fix' && !about.canFix) {
        return 'The active cell did not fail, so there is nothing to fix.';
      }
      if (name === 'try' && !about.canTry) {
        return 'There is no proposal that could be tried.';
      }
      if ((name === 'again' || name === 'deepen') && !about.hasTurns) {
        return 'There was no prompt yet.';
      }
      const wanted = name === 'attempts' ? attemptsOf(rest) : null;
      if (name === 'attempts' && wanted === null) {
        return '/attempts wants a number from 1 to 8 and a prompt: /attempts 3 sort the table.';
      }
      return wanted ? { text: wanted.text, race: { ...race, count: wanted.count } } : { text: rest, race };
    }
  }
}

/** As the session is told it: with one attempt nothing races, and what was said about checks rests. */
export function attemptsIn({ count, check, rounds }: Race): Attempts {
  return count > 1 ? { count, checks: check.trim() ? [check.trim()] : [], until_green: rounds } : {};
}
