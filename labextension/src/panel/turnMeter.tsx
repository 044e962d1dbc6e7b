// Meter of a turn: speed, tokens, cost, and what it waits for.

import * as React from 'react';
import type { Extra, Meter, Spent } from '../messages';

/** Seconds without a word after which it is said for how long one has been waited. */
const WORTH_SAYING = 2;
const KINDS: Readonly<Record<Extra['kind'], readonly [string, string]>> = {
  correction: ['correction', 'corrections'],
  attempt: ['more attempt', 'more attempts'],
  again: ['retry', 'retries'],
  repair: ['repair', 'repairs']
};

/** Time and speed in a few words, with all figures as a tooltip; as long as nothing was written, what is waited for. */
export function MeterLine({ meter }: { meter: Meter }): React.JSX.Element | null {
  const text = meter.output_tokens ? briefly(meter) : waiting(meter);
  return text ? (
    <span className="spark-Meter" title={figures(meter).join('\n') || undefined}>
      {text}
    </span>
  ) : null;
}

/** What a turn waits for that has no text yet; null where there is nothing to say. */
export function waiting({ notice, wait, thinking, reading_tokens: tokens, read_tokens: read, elapsed }: Meter): string | null {
  if (wait) {
    return `${notice} Retrying in ${Math.ceil(wait)} s…`;
  }
  if (thinking) {
    return `Thinking, ${Math.round(thinking)} s`;
  }
  if (tokens) {
    return `Reading ${tokens.toLocaleString()} tokens, ${Math.floor((100 * (read ?? 0)) / tokens)} %`;
  }
  const waited = (elapsed ?? 0) >= WORTH_SAYING ? `Waiting, ${Math.round(elapsed ?? 0)} s` : '';
  return [notice, waited].filter(Boolean).join(' ') || null;
}

/** What was spent today, in a few words; empty where no price is known. */
export function spentBriefly({ today, notebook, stop }: Spent): string {
  return stop ? `${dollars(today)} of ${dollars(stop)}` : today > 0 || notebook > 0 ? `${dollars(today)} today` : '';
}

/** What was spent, in sentences. */
export function spentText({ today, notebook, unknown, stop }: Spent): string {
  const turns = unknown === 1 ? '1 turn' : `${unknown} turns`;
  const limit = stop ? ` of ${dollars(stop)}` : '';
  return [
    `Spent today: ${dollars(today)}${limit}. In this notebook this month: ${dollars(notebook)}.`,
    ...(unknown ? [`No price is known for ${turns}.`] : [])
  ].join(' ');
}

/** US dollars, with as many places as say something. */
export function dollars(cost: number): string {
  if (cost === 0) {
    return '$0';
  }
  return cost < 0.0001 ? 'less than $0.0001' : `$${cost.toFixed(cost < 0.01 ? 4 : 2)}`;
}

function briefly(meter: Meter): string {
  const { elapsed = 0, tokens_per_second: speed, cost, notice } = meter;
  const parts = [elapsed > 0 && `${elapsed.toFixed(1)} s`, speed && `${Math.round(speed).toLocaleString()} tok/s`, cost && dollars(cost), notice];
  return parts.filter(Boolean).join(' · ');
}

function figures(meter: Meter): readonly string[] {
  const about = meter.estimated ?? true ? '≈' : '';
  const input = meter.input_tokens ?? 0;
  const accepted = meter.accepted_tokens ?? 0;
  const predicted = accepted + (meter.rejected_tokens ?? 0);
  const parts = [
    meter.first_token != null && `first token ${Math.round(meter.first_token * 1000)} ms`,
    (meter.thinking ?? 0) >= 1 && `thought for ${Math.round(meter.thinking ?? 0)} s`,
    meter.tokens_per_second && `${about}${Math.round(meter.tokens_per_second).toLocaleString()} tokens/s`,
    meter.output_tokens && `${about}${meter.output_tokens.toLocaleString()} tokens`,
    meter.reasoning_tokens && `${meter.reasoning_tokens.toLocaleString()} of them thinking`,
    meter.provider_seconds != null && `${meter.provider_seconds.toFixed(2)} s by the provider's clock`,
    meter.cached_tokens && about === '' && `${meter.cached_tokens.toLocaleString()} of ${input.toLocaleString()} prompt tokens cached`,
    predicted && `${accepted.toLocaleString()} of ${predicted.toLocaleString()} predicted tokens taken`,
    ...(meter.extra ?? []).map(more),
    costOf(meter, about === ''),
    meter.notice
  ];
  return parts.filter(part => typeof part === 'string' && part !== '') as string[];
}

function more({ kind, requests, input_tokens: input = 0, output_tokens: output = 0, cost }: Extra): string {
  const name = KINDS[kind][requests === 1 ? 0 : 1];
  return `${requests} ${name}, ${(input + output).toLocaleString()} extra tokens${cost ? `, ${dollars(cost)}` : ''}`;
}

/** What is free need not say so; what is not known does. */
function costOf({ cost }: Meter, counted: boolean): string | null {
  if (cost == null) {
    return counted ? 'cost unknown' : null;
  }
  return cost ? dollars(cost) : null;
}
