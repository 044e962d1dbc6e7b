// Resolves the prompt box's text to a request, or to an error.

import type { AttemptChanged, Attempts } from '../messages';
import type { CommandContext, Typed } from './slashCommands';
import { t } from '../translation';

/** Options of attempts. */
export interface Race {
  readonly count: number;
  readonly check: string;
  /** How often a failing attempt is told why and written again. */
  readonly rounds: number;
  /** Whether that holds for later prompts, too. */
  readonly pinned?: boolean;
  /** The second of two answers that are compared. */
  readonly other?: Other;
}

/** What sets a second answer apart: its prompt, or its model. */
export interface Other {
  readonly kind: 'prompt' | 'model';
  readonly value: string;
}

/** One answer, which passes when it runs. */
export const NO_RACE: Race = { count: 1, check: '', rounds: 0 };

/** The words of the request, and how many attempts it gets. */
export interface ResolvedInput {
  readonly text: string;
  readonly race: Race;
}

/** The request, or a sentence that says why there is none. */
export function resolveInput(typed: Typed, race: Race, context: CommandContext): ResolvedInput | string {
  if (typed.kind === 'unknown') {
    return t('There is no /%1.%2', typed.name, typed.near ? t(' Did you mean /%1?', typed.near) : '');
  }
  if (race.other && !race.other.value.trim()) {
    return race.other.kind === 'prompt' ? t('Try both needs a second prompt.') : t('Try both needs a second model.');
  }
  if (typed.kind === 'prompt') {
    return { text: typed.text, race };
  }
  const { command, words } = typed;
  const problem = command.available(context) || (words ? '' : command.needsWords);
  const found = command.attempts?.(words);
  if (problem || typeof found === 'string') {
    return problem || (found as string);
  }
  return found ? { text: found.text, race: { ...race, ...found.race } } : { text: words, race };
}

/** Attempts as a prompt names them: a single one needs no race. `model` is the one that is chosen. */
export function attemptsIn({ count, check, rounds, other }: Race, model: string): Attempts {
  if (other) {
    return other.kind === 'model' ? { compare: true, models: [model, other.value] } : { compare: true, other: other.value.trim() };
  }
  return count > 1 ? { count, checks: check.trim() ? [check.trim()] : [], until_green: rounds } : {};
}

/** What was asked of two answers that were compared; null of any others. */
export function comparedIn(answers: readonly AttemptChanged[] = []): { readonly text: string; readonly attempts: Attempts } | null {
  const [first, second] = answers;
  if (!first?.prompt || !second?.prompt) {
    return null;
  }
  return { text: first.prompt, attempts: first.prompt === second.prompt ? { compare: true, models: [first.model, second.model] } : { compare: true, other: second.prompt } };
}
