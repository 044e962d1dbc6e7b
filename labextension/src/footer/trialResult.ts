// Result of a Try in words: outcome, result line, headline.

import type { Effect, Output, Proof, TrialResult } from '../messages';
import { PICTURES } from '../constants';
import { told, toldParts, toldSentences } from '../kernelTexts';
import { plain } from '../plainText';
import { duration, howSame } from './proofDetails';
import { t } from '../translation';

/** How a Try ended. A limit of the sandbox is no fault of the code: then the code was not tried. */
export type TrialOutcome = 'tested' | 'failed' | 'untried';

export function outcomeOf({ error, problem, refused }: Pick<TrialResult, 'error' | 'problem' | 'refused'>): TrialOutcome {
  return refused ? 'untried' : error || problem ? 'failed' : 'tested';
}

/** The result in one line, with its details for a tooltip. */
export interface ResultLine {
  readonly outcome: TrialOutcome;
  readonly text: string;
  readonly details: string;
}

/** The line for the footer and the panel: the data that changed first, then the value, then what was shown. */
export function resultLine(trial: TrialResult): ResultLine {
  const outcome = outcomeOf(trial);
  return { outcome, text: TEXTS[outcome](trial), details: trialHeadline(trial) };
}

const TEXTS: Readonly<Record<TrialOutcome, (trial: TrialResult) => string>> = {
  failed: trial => `✗ ${firstLine(trial.decisive || trial.error) || toldSentences(firstLine(trial.problem))}`,
  untried: trial => t('Not tried: %1', reasonOf(trial)),
  tested: trial => [verdict(trial.proof), ...tested(trial)].join(' · ')
};

/** Of an edit that was compared with its original, whether the result is the same. */
function verdict(proof: Proof | null | undefined): string {
  return proof?.verdict === 'same' ? `✓ ${howSame(proof)}` : proof?.verdict === 'differs' ? t('Result changes') : t('✓ Tried');
}

function tested(trial: TrialResult): readonly string[] {
  const { effects = [], decisive = '', seconds = 0, outputs = [] } = trial;
  const [first, ...others] = effects.filter(effect => changesData(effect) && saysMore(effect));
  const changed = first ? [`${first.name}: ${shortChange(first)}${others.length > 0 ? ` (+${others.length})` : ''}`] : [];
  const line = firstLine(decisive);
  const value = SHAPE.test(line) || OBJECT.test(line) ? '' : shortened(line);
  return [...changed, ...(value ? [value] : []), ...figures(outputs), ...(seconds >= 0.1 ? [duration(seconds)] : [])];
}

/** Characters of a value that are shown in the line; the output below has all of it. */
const MAX_VALUE = 60;

function shortened(text: string): string {
  return text.length > MAX_VALUE ? `${text.slice(0, MAX_VALUE - 1)}…` : text;
}

function figures(outputs: readonly Output[]): readonly string[] {
  const count = outputs.filter(({ data = {} }) => PICTURES.some(type => data[type])).length;
  return count === 0 ? [] : [count === 1 ? t('1 figure') : t('%1 figures', count)];
}

/** Whether an effect changes data that was there: a person wants to know that first. */
export function changesData({ kind, action, refused = false }: Effect): boolean {
  return kind === 'variable' && (action === 'changed' || action === 'deleted') && !refused;
}

/** What changed: "1,218 rows → 1,152 rows". */
export function changeOf({ before = '', after = '', action }: Effect): string {
  return before && after ? `${before} → ${after}` : after || before || action;
}

/** Whether what changed is told from what it was: that other axes have the name of some is in the details. */
function saysMore({ before = '', after = '' }: Effect): boolean {
  return before !== after || /\d/.test(before);
}

const FRAME = /^(\w+) \((\d+) × (\d+)\)$/;
/** An object that says nothing but its class: the axes of a plot, its lines. */
const OBJECT = /^\[?<[^<>]*>(, <[^<>]*>)*\]?$/;
/** The last line of a long table in pandas. */
const SHAPE = /^\[\d+ rows x \d+ columns\]$/;

/** The same in few words: of a table what differs in its shape. */
function shortChange(effect: Effect): string {
  const [was, is] = [FRAME.exec(effect.before ?? ''), FRAME.exec(effect.after ?? '')];
  if (!was || !is || was[1] !== is[1]) {
    return effect.before && effect.before === effect.after ? t('new values') : changeOf(effect);
  }
  const rows = was[2] === is[2] ? [] : [t('%1 → %2 rows', was[2], is[2])];
  const columns = was[3] === is[3] ? [] : [t('%1 → %2 columns', was[3], is[3])];
  return [...rows, ...columns].join(', ') || t('new values');
}

/** The outcome in a sentence without its full stop. */
export function trialHeadline(trial: TrialResult): string {
  const text = toldParts(trial.summary || trial.problem || '', ' · ') || (trial.error ? t('failed in a copy') : t('ran in a copy'));
  return text.charAt(0).toUpperCase() + text.slice(1).replace(/\.$/, '');
}

/** What the rest of a cell did of which a part was not tried, in a sentence without its full stop; empty where nothing else ran. */
export function restOf(trial: TrialResult): string {
  const [, rest = ''] = outcomeOf(trial) === 'untried' ? (trial.summary ?? '').split('; the rest ran in a copy: ') : [];
  return rest && t('The rest ran in a copy: %1', toldParts(rest, ', '));
}

function reasonOf(trial: TrialResult): string {
  return told(firstLine(trial.not_tried || trial.problem || trial.error || trialHeadline(trial)).replace(/^not tried:\s*/i, '').replace(/\.$/, ''));
}

function firstLine(text: string | undefined): string {
  return plain(text ?? '').trim().split('\n')[0];
}

/** The text of an output. */
export function textOf({ text, data }: Output): string {
  return text || (data?.['text/plain'] ?? '');
}

/** As NumPy 2 writes a number, of which the result line has the number alone. */
const NUMPY_SCALAR = /\bnp\.\w+\(([^()]*)\)/g;

/** Whether an output of a rehearsal says no more than the result line does. */
export function isResultLine(output: Output, { rehearsed, decisive }: TrialResult): boolean {
  return Boolean(rehearsed && decisive && Object.keys(output.data ?? {}).every(kind => kind === 'text/plain') && textOf(output).trim().replace(NUMPY_SCALAR, '$1') === decisive);
}
