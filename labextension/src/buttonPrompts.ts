// Prompts that buttons send, as the panel shows them.

import { CONTINUE, FIX_PROPOSAL, NEXT_HINT, WHY } from './constants';
import { t } from './translation';

export const FIX_CELL = 'Fix the error in this cell.';
export const EXPLAIN_CELL = 'Explain this cell.';
/** They are in the language of the instructions to the model. */
export const OF_BUTTONS: readonly string[] = [FIX_CELL, EXPLAIN_CELL, FIX_PROPOSAL, CONTINUE, NEXT_HINT, WHY];

/** A prompt in the language of the page where a button asked it; what a person wrote stays as it is. */
export function toldPrompt(prompt: string): string {
  return OF_BUTTONS.includes(prompt) ? t(prompt) : prompt;
}
