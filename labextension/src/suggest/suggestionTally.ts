// Counts of suggestions: shown, accepted, kept, cost.

import { t } from '../translation';

/** What is counted. */
export interface Tally {
  /** Suggestions that stood long enough to be read. */
  readonly shown: number;
  readonly accepted: number;
  /** Accepted ones that were looked at 30 seconds later, and those that still stood in their cell. */
  readonly looked: number;
  readonly kept: number;
  /** Suggestions that were asked for, and the milliseconds from the key to the screen for all of them. */
  readonly timed: number;
  readonly milliseconds: number;
  /** Suggestions of a model with names that were mended, and those of which the judges kept some from being shown. */
  readonly mended: number;
  readonly silenced: number;
  /** Requests, and suggestions that were shown without one. */
  readonly requests: number;
  readonly known: number;
  /** Requests and US dollars on `day` (an ISO date), and whether a price was known. */
  readonly today: number;
  readonly cost: number;
  readonly priced: boolean;
  readonly day: string;
}

export const NOTHING: Tally = {
  shown: 0,
  accepted: 0,
  looked: 0,
  kept: 0,
  timed: 0,
  milliseconds: 0,
  mended: 0,
  silenced: 0,
  requests: 0,
  known: 0,
  today: 0,
  cost: 0,
  priced: false,
  day: ''
};

type Count = Exclude<keyof Tally, 'priced' | 'day' | 'cost'>;

/** A tally with something added. */
export function counted(tally: Tally, more: Partial<Record<Count, number>>): Tally {
  const added = Object.entries(more).map(([name, value]) => [name, tally[name as Count] + value]);
  return { ...tally, ...Object.fromEntries(added) };
}

/** A tally on a day: what is counted by the day begins again. */
export function onDay(tally: Tally, day: string): Tally {
  return tally.day === day ? tally : { ...tally, day, today: 0, cost: 0, priced: false };
}

/** A tally with the price of a request on a day; null: no price is known. */
export function charged(tally: Tally, cost: number | null, day: string): Tally {
  const today = onDay(tally, day);
  return cost === null ? today : { ...today, cost: today.cost + cost, priced: true };
}

/** A tally as it was stored, by whatever wrote there. */
export function tallyFrom(stored: unknown): Tally {
  const values = typeof stored === 'object' && stored !== null ? (stored as Record<string, unknown>) : {};
  const entries = Object.entries(NOTHING).map(([name, value]) => [name, isSame(values[name], value) ? values[name] : value]);
  return Object.fromEntries(entries) as Tally;
}

function isSame(value: unknown, like: unknown): boolean {
  return typeof value === typeof like && (typeof value !== 'number' || (Number.isFinite(value) && value >= 0));
}

/** The tally in one line; empty where nothing was shown yet. */
export function tallyLine(tally: Tally, day: string): string {
  const { shown, accepted, looked, kept, mended, silenced, timed, milliseconds } = tally;
  const parts = [
    shown > 0 && t('%1 shown', shown),
    shown > 0 && t('%1 taken', accepted),
    looked > 0 && t('%1 % kept', Math.round((100 * kept) / looked)),
    mended > 0 && t('%1 corrected', mended),
    silenced > 0 && t('%1 hidden (low confidence)', silenced),
    tally.day === day && tally.today > 0 && (tally.today === 1 ? t('1 request today') : t('%1 requests today', tally.today)),
    timed > 0 && t('%1 ms', Math.round(milliseconds / timed)),
    tally.priced && tally.day === day && t('$%1 today', tally.cost.toFixed(tally.cost < 0.1 ? 4 : 2))
  ];
  return parts.filter(part => part !== false).join(' · ');
}
