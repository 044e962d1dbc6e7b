// A turn's meter: speed and cost, and what is waited for as long as nothing was written.

import * as React from 'react';
import type { Extra, Meter, Spent } from '../messages';

/** Seconds without a word after which it is said for how long one has been waited. */
const WORTH_SAYING = 2;
const KINDS: Readonly<Record<Extra['kind'], readonly [string, string]>> = {
  correction: ['correction', 'corrections'],
  attempt: ['attempt more', 'attempts more'],
  again: ['request again', 'requests again']
};

/** Speed and cost, in words that a screen reader can say too. */
export function MeterLine({ meter }: { meter: Meter }): React.JSX.Element {
  const parts = meter.output_tokens ? figures(meter) : [waiting(meter)].filter(part => part !== null);
  return (
    <span className="spark-Meter">
      {parts.map((part, index) => (
        <React.Fragment key={index}>
          {index > 0 && ' · '}
          <span className="spark-Meter-part">{part}</span>
        </React.Fragment>
      ))}
    </span>
  );
}

/** What a turn waits for that has no text yet; null where there is nothing to say. */
export function waiting({ notice, wait, thinking, reading_tokens: tokens, read_tokens: read, elapsed }: Meter): string | null {
  if (wait) {
    return `${notice} Asked again in ${Math.ceil(wait)} s.`;
  }
  if (thinking) {
    return `thinking … ${Math.round(thinking)} s`;
  }
  if (tokens) {
    return `reading ${tokens.toLocaleString()} tokens, ${Math.floor((100 * (read ?? 0)) / tokens)} %`;
  }
  const waited = (elapsed ?? 0) >= WORTH_SAYING ? `no word yet, ${Math.round(elapsed ?? 0)} s` : '';
  return [notice, waited].filter(Boolean).join(' ') || null;
}

/** What was spent, in a line. */
export function spentText({ today, notebook, unknown, stop }: Spent): string {
  if (!stop && unknown && today === 0 && notebook === 0) {
    return unknown === 1 ? '1 turn today; what it cost is not known' : `${unknown} turns today; what they cost is not known`;
  }
  const limit = stop ? ` of ${dollars(stop)}` : '';
  const more = unknown ? `, and ${unknown} ${unknown === 1 ? 'turn' : 'turns'} whose price is not known` : '';
  return `Spent today: ${dollars(today)}${limit}${more}; in this notebook this month: ${dollars(notebook)}`;
}

/** US dollars, with as many places as say something. */
export function dollars(cost: number): string {
  if (cost === 0) {
    return '$0';
  }
  return cost < 0.0001 ? 'less than $0.0001' : `$${cost.toFixed(cost < 0.01 ? 4 : 2)}`;
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
    meter.cached_tokens && about === '' && `${(input - meter.cached_tokens).toLocaleString()} of ${input.toLocaleString()} read anew`,
    predicted && `${accepted.toLocaleString()} of ${predicted.toLocaleString()} predicted tokens taken`,
    ...(meter.extra ?? []).map(more),
    costOf(meter, about === ''),
    meter.notice
  ];
  return parts.filter(part => typeof part === 'string' && part !== '') as string[];
}

function more({ kind, requests, input_tokens: input = 0, output_tokens: output = 0, cost }: Extra): string {
  const name = KINDS[kind][requests === 1 ? 0 : 1];
  return `${requests} ${name} +${(input + output).toLocaleString()} tokens${cost ? ` +${dollars(cost)}` : ''}`;
}

/** What is free need not say so; what is not known does. */
function costOf({ cost }: Meter, counted: boolean): string | null {
  if (cost == null) {
    return counted ? 'cost unknown' : null;
  }
  return cost ? dollars(cost) : null;
}
