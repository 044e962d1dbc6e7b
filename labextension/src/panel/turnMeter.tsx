// Meter of a turn: speed, tokens, cost, and what it waits for.

import * as React from 'react';
import type { Extra, Meter, Spent } from '../messages';
import { toldSentences } from '../kernelTexts';
import { language, t } from '../translation';

/** Seconds without a word after which it is said for how long one has been waited. */
const WORTH_SAYING = 2;
/** Seconds below which a speed says nothing: a recipe is there at once. */
const MEASURABLE = 0.5;
const KINDS: Readonly<Record<Extra['kind'], readonly [string, string]>> = {
  correction: [t('correction'), t('corrections')],
  attempt: [t('more attempt'), t('more attempts')],
  again: [t('retry'), t('retries')],
  repair: [t('repair'), t('repairs')]
};

/** Time and speed in a few words, with all figures as a tooltip; as long as nothing was written, what is waited for, and in the end why. */
export function MeterLine({ meter, ended }: { meter: Meter; ended: boolean }): React.JSX.Element | null {
  const text = meter.output_tokens ? briefly(meter) : ended ? toldSentences(meter.notice ?? '') : waiting(meter);
  return text ? (
    <span className="spark-Meter" title={figures(meter).join('\n') || undefined}>
      {text}
    </span>
  ) : null;
}

/** What a turn waits for that has no text yet; null where there is nothing to say. */
export function waiting({ notice, wait, thinking, waiting: before, reading_tokens: tokens, read_tokens: read, elapsed }: Meter): string | null {
  if (wait) {
    return t('%1 Retrying in %2 s…', toldSentences(notice ?? ''), Math.ceil(wait));
  }
  if (thinking) {
    return t('Thinking, %1 s', Math.round(thinking));
  }
  if (before) {
    return before === 1 ? t('Waiting, 1 request comes first') : t('Waiting, %1 requests come first', before);
  }
  if (tokens) {
    return t('Reading %1 tokens, %2 %', tokens.toLocaleString(language()), Math.floor((100 * (read ?? 0)) / tokens));
  }
  const waited = (elapsed ?? 0) >= WORTH_SAYING ? t('Waiting, %1 s', Math.round(elapsed ?? 0)) : '';
  return [toldSentences(notice ?? ''), waited].filter(Boolean).join(' ') || null;
}

/** What was spent today, in a few words; empty where no price is known. */
export function spentBriefly({ today, notebook, stop }: Spent): string {
  return stop ? t('%1 of %2', dollars(today), dollars(stop)) : today > 0 || notebook > 0 ? t('%1 today', dollars(today)) : '';
}

/** The drafts of today and their cost, in a few words; empty where there were none, or they are off. */
export function draftsBriefly(spent: Spent): string {
  return spent.drafts && spent.draft_stop ? [t('Drafts: %1', spent.drafts), draftsCost(spent)].filter(Boolean).join(', ') : '';
}

/** What the drafts of today cost beside their budget; empty where they cost nothing. */
export const draftsCost = ({ drafted = 0, draft_stop = 0 }: Spent): string => (drafted > 0 ? t('%1 of %2', dollars(drafted), dollars(draft_stop)) : '');

/** What was spent, in sentences. */
export function spentText(spent: Spent): string {
  const { today, notebook, unknown, stop } = spent;
  const turns = unknown === 1 ? t('1 turn') : t('%1 turns', unknown);
  const limit = stop ? t(' of %1', dollars(stop)) : '';
  return [
    t('Spent today: %1%2. In this notebook this month: %3.', dollars(today), limit, dollars(notebook)),
    ...(unknown ? [t('No price is known for %1.', turns)] : []),
    ...(spent.drafts ? [t('Requests for drafts today: %1.', [spent.drafts, draftsCost(spent)].filter(Boolean).join(', '))] : [])
  ].join(' ');
}

/** US dollars, with as many places as say something. */
export function dollars(cost: number): string {
  if (cost === 0) {
    return '$0';
  }
  return cost < 0.0001 ? t('less than $0.0001') : `$${cost.toFixed(cost < 0.01 ? 4 : 2)}`;
}

function briefly(meter: Meter): string {
  const { elapsed = 0, tokens_per_second: speed, cost, notice } = meter;
  const took = elapsed > 0 && (elapsed < 0.05 ? '< 0.1 s' : `${elapsed.toFixed(1)} s`);
  const parts = [took, elapsed >= MEASURABLE && speed && t('%1 tok/s', Math.round(speed).toLocaleString(language())), cost && dollars(cost), toldSentences(notice ?? '')];
  return parts.filter(Boolean).join(' · ');
}

function figures(meter: Meter): readonly string[] {
  const about = meter.estimated ?? true ? '≈' : '';
  const input = meter.input_tokens ?? 0;
  const accepted = meter.accepted_tokens ?? 0;
  const predicted = accepted + (meter.rejected_tokens ?? 0);
  const parts = [
    meter.first_token != null && t('first token %1 ms', Math.round(meter.first_token * 1000)),
    (meter.thinking ?? 0) >= 1 && t('thought for %1 s', Math.round(meter.thinking ?? 0)),
    meter.tokens_per_second && t('%1%2 tokens/s', about, Math.round(meter.tokens_per_second).toLocaleString(language())),
    meter.output_tokens && t('%1%2 tokens', about, meter.output_tokens.toLocaleString(language())),
    meter.reasoning_tokens && t('%1 of them thinking', meter.reasoning_tokens.toLocaleString(language())),
    meter.provider_seconds != null && t('%1 s by the provider\'s clock', meter.provider_seconds.toFixed(2)),
    meter.cached_tokens && about === '' && t('%1 of %2 prompt tokens cached', meter.cached_tokens.toLocaleString(language()), input.toLocaleString(language())),
    meter.cache_written_tokens && about === '' && t('%1 prompt tokens written to the cache', meter.cache_written_tokens.toLocaleString(language())),
    predicted && t('%1 of %2 predicted tokens taken', accepted.toLocaleString(language()), predicted.toLocaleString(language())),
    ...(meter.extra ?? []).map(more),
    costOf(meter, about === ''),
    toldSentences(meter.notice ?? '')
  ];
  return parts.filter(part => typeof part === 'string' && part !== '') as string[];
}

function more({ kind, requests, input_tokens: input = 0, output_tokens: output = 0, cost }: Extra): string {
  const name = KINDS[kind][requests === 1 ? 0 : 1];
  return t('%1 %2, %3 extra tokens%4', requests, name, (input + output).toLocaleString(language()), cost ? `, ${dollars(cost)}` : '');
}

/** What is free need not say so; what is not known does. */
function costOf({ cost }: Meter, counted: boolean): string | null {
  if (cost == null) {
    return counted ? t('cost unknown') : null;
  }
  return cost ? dollars(cost) : null;
}
