// Provenance of an accepted cell in its metadata.
//
// What is read back may have been written by anybody: it is only ever compared and shown as text.

import { isObject } from './validate';
import { LONGEST_PROMPT_LINE } from './constants';
import { contentHash } from './hash';
import type { Person } from './messages';
import { lastingName } from './person';
import type { FullProposal, FullTurn } from './state';
import { t } from './translation';

/** A string in somebody's metadata is shown up to this length. */
const MOST_SHOWN = 300;

/** As `provenance` in spark_jupyter/protocol/provenance.py gives it. */
export interface Provenance {
  [key: string]: string | undefined | { rule: string; severity: string }[];
  turn: string;
  model: string;
  prompt: string;
  time: string;
  findings: { rule: string; severity: string }[];
  hash: string;
  /** `running`, where it was accepted by running it. */
  accepted_by?: string;
  /** Who prompted, and who accepted, where the server has accounts. */
  author?: string;
  reviewer?: string;
}

/** What goes into the metadata of a cell that now holds `source`. `at` is in milliseconds since 1970. */
export function provenance(proposal: FullProposal, turn: FullTurn | null, source: string, at: number): Provenance {
  return {
    turn: proposal.turn_id,
    model: turn?.model ?? '',
    prompt: turn && turn.withheld.length === 0 ? promptLine(turn.prompt) : '',
    time: new Date(at).toISOString().replace(/\.\d+Z$/, 'Z'),
    findings: proposal.findings.map(({ rule, severity }) => ({ rule, severity })),
    hash: contentHash(source),
    ...(proposal.byRunning ? { accepted_by: 'running' } : {}),
    ...named('author', turn?.by),
    ...named('reviewer', proposal.decided_by)
  };
}

function named(key: 'author' | 'reviewer', person: Person | null | undefined): Partial<Provenance> {
  const name = lastingName(person ?? null);
  return name ? { [key]: name } : {};
}

/** A prompt in one line of a limited length: as `prompt_line` in spark_jupyter/protocol/provenance.py. */
function promptLine(prompt: string): string {
  const line = [...prompt.trim().split(/\s+/u).join(' ')];
  return line.length <= LONGEST_PROMPT_LINE ? line.join('') : `${line.slice(0, LONGEST_PROMPT_LINE - 1).join('')}…`;
}

/** A cell's metadata when so many more of its characters came from suggestions, of the `length` that it has now. */
export function withSuggested(metadata: unknown, characters: number, length: number): Record<string, unknown> {
  const known = isObject(metadata) ? metadata : {};
  const before = typeof known.suggested === 'number' && known.suggested > 0 ? known.suggested : 0;
  return { ...known, suggested: Math.min(length, Math.floor(before) + characters) };
}

/** Hints of a cell that are listed; the youngest count. */
const MOST_HINTS_LISTED = 50;

/** A cell's metadata when one more hint was given on it; `hint` is its step. */
export function withHint(metadata: unknown, hint: number): Record<string, unknown> {
  return { ...(isObject(metadata) ? metadata : {}), hints: [...hintsIn(metadata), hint].slice(-MOST_HINTS_LISTED) };
}

function hintsIn(metadata: unknown): readonly number[] {
  const { hints } = isObject(metadata) ? metadata : {};
  return Array.isArray(hints) ? hints.filter(step => typeof step === 'number') : [];
}

/** What a cell's metadata says beside the turn that it came from: what of it was suggested, and the hints on it. */
export function helpIn(metadata: unknown): { suggested?: number; hints?: number[] } {
  const { suggested } = isObject(metadata) ? metadata : {};
  const hints = hintsIn(metadata);
  return { ...(typeof suggested === 'number' ? { suggested } : {}), ...(hints.length > 0 ? { hints: [...hints] } : {}) };
}

/** The turn that a cell's metadata names; null where it names none. */
export function turnIn(metadata: unknown): string | null {
  const { turn } = (metadata ?? {}) as { turn?: unknown };
  return typeof turn === 'string' ? turn : null;
}

/** The mark of a cell that carries provenance. */
export interface Mark {
  readonly changed: boolean;
  /** Lines of plain text about where the cell came from. */
  readonly details: readonly string[];
}

/** The mark for a cell's metadata as it is found; null where it does not say that Spark wrote the cell. */
export function markOf(metadata: unknown, source: string): Mark | null {
  if (!isObject(metadata)) {
    return null;
  }
  const { hash, model, prompt, time, accepted_by, author, reviewer, came_back } = metadata;
  if (typeof hash !== 'string') {
    return null;
  }
  const details = [
    line(t('Prompt'), prompt),
    line(t('Model'), model),
    line(t('Time'), time),
    line(t('Prompted by'), author),
    line(t('Accepted by'), reviewer),
    line(t('Came back from'), came_back),
    accepted_by === 'running' ? t('Accepted by running it') : null
  ].filter(text => text !== null);
  return { changed: contentHash(source) !== hash, details };
}

function line(label: string, value: unknown): string | null {
  if (typeof value !== 'string' || value === '') {
    return null;
  }
  // Control and direction characters could make a line read as something else.
  const plain = value.replace(/[\p{Cc}\p{Cf}]/gu, ' ').trim();
  return `${label}: ${plain.length > MOST_SHOWN ? `${plain.slice(0, MOST_SHOWN)}…` : plain}`;
}
