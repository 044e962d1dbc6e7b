// Follow-up prompts that an answer's notes offer.
//
// The twin of `offered` in spark_jupyter/protocol/prompt_offers.py.

import { CONNECT } from './kernelTexts';
import { MOST_OFFERS, OFFER_PATTERN, REFUSAL } from './constants';
import type { FullTurn } from './state';

const OFFER = new RegExp(OFFER_PATTERN, 'gmu');

/** The prompts that the notes offer, each once, in their order. */
export function promptOffers(notes: string): readonly string[] {
  return [...new Set([...notes.matchAll(OFFER)].map(found => found[1]))].slice(0, MOST_OFFERS);
}

/** The notes without what stands on buttons, and without the word by which a refusal is known: the turn's status says it. */
export function withoutOffers(notes: string, connects = false): string {
  const told = notes.trimStart();
  const said = (told.startsWith(REFUSAL) ? told.slice(REFUSAL.length).trimStart().replace(/^./u, first => first.toUpperCase()) : notes).replace(OFFER, '');
  return connects ? said.replace(CONNECT, '') : said;
}

/** Whether the whole answer is a No. */
export function isRefusal({ outcome, notes }: Pick<FullTurn, 'outcome' | 'notes'>): boolean {
  return outcome === 'completed' && notes.trimStart().startsWith(REFUSAL);
}
