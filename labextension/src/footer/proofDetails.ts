// Details of a proof: differences, costs, cells below.

import type { Difference, Proof, Refined } from '../messages';
import { t } from '../translation';

/** Seconds from which on a person waits for a cell. */
const NOTABLE = 0.2;

/** What a proof says beyond its headline, which has the first difference, or what can't be compared. */
export interface ProofDetails {
  readonly differences: readonly Difference[];
  /** So many more differ. */
  readonly more: number;
  readonly unclear: readonly string[];
  /** Time and memory of both, where a person would notice; otherwise empty. */
  readonly costs: string;
  readonly below: readonly string[];
}

/** See `ProofDetails`. */
export function proofDetails(proof: Proof): ProofDetails {
  const { differences = [], more = 0, unclear = [], below = [] } = proof;
  return { differences: differences.slice(1), more, unclear: unclear.slice(proof.verdict === 'unclear' ? 1 : 0), costs: costs(proof), below };
}

const PLACES: Readonly<Record<string, string>> = { error: t('Error'), file: t('File'), output: t('Output'), state: t('State') };

/** The place of a difference that is no variable, in words: "Output 1". Its name may begin with what it is. */
export function placeOf({ kind, name }: Difference): string {
  const rest = name.startsWith(kind) ? name.slice(kind.length) : ` ${name}`;
  return (PLACES[kind] ?? kind) + rest;
}

/** Whether the edit changes the result. */
export function differs(proof: Proof | null | undefined): boolean {
  return proof?.verdict === 'differs';
}

/** "Same result", or to how many digits: a sum over columns is rounded otherwise than one over rows. */
export function howSame({ digits = 0 }: Pick<Refined, 'digits'>): string {
  return digits > 0 ? t('Same to %1 digits', digits) : t('Same result');
}

/** Empty where nobody would notice, or the headline says it. */
function costs({ seconds_before = 0, seconds = 0, memory_before = 0, memory = 0, summary = '' }: Proof): string {
  const times = `${duration(seconds_before)} → ${duration(seconds)}`;
  const slow = Math.max(seconds_before, seconds) >= NOTABLE && !summary.includes(times);
  const large = Math.abs(memory_before - memory) >= 10 << 20;
  const parts = [...(slow ? [times] : []), ...(large ? [t('peak memory %1 → %2', size(memory_before), size(memory))] : [])];
  return parts.length > 0 ? t('Before → with the edit: %1', parts.join(', ')) : '';
}

/** A duration in seconds, for people. */
export function duration(seconds: number): string {
  return seconds >= 0.05 ? `${seconds.toFixed(1)} s` : t('%1 ms', Math.round(seconds * 1000));
}

function size(bytes: number): string {
  return bytes >= 1 << 30 ? t('%1 GB', (bytes / 2 ** 30).toFixed(1)) : t('%1 MB', Math.round(bytes / 2 ** 20));
}
