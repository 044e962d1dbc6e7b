// Checks of values that were read from a notebook file.
//
// Anybody may have written them.

import { ID_PATTERN } from './constants';
import { DEFAULTS, type Target } from './messages';

/** An object of which nothing is known. */
export type Json = Readonly<Record<string, unknown>>;

const CELL_ID = new RegExp(ID_PATTERN);
const TURN_ID = /^[A-Za-z0-9_-]{1,48}$/;

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether a value is a text of at most so many characters. */
export function textUpTo(longest: number): (value: unknown) => value is string {
  return (value): value is string => typeof value === 'string' && value.length <= longest;
}

export function isCellId(value: unknown): value is string {
  return typeof value === 'string' && CELL_ID.test(value);
}

/** Whether a value can name a turn, or a deep work, whose turn has its name. */
export function isTurnId(value: unknown): value is string {
  return typeof value === 'string' && TURN_ID.test(value);
}

/** That of the options which a value is; null where it is none. */
export function oneOf<const T extends string>(value: unknown, options: readonly T[]): T | null {
  return options.find(option => option === value) ?? null;
}

/** What of a target names cells. */
export function targetFrom(value: unknown): Target {
  const ids = isObject(value) ? Object.entries(value).filter(([key, id]) => ['after', 'edit', 'reuse'].includes(key) && isCellId(id)) : [];
  return Object.fromEntries(ids) as Target;
}

/** What is kept of a message: its fields that have not their defaults. */
export function sparse(name: keyof typeof DEFAULTS, value: object): object {
  const defaults: Json = { ...DEFAULTS[name] };
  return Object.fromEntries(Object.entries(value).filter(([key, each]) => JSON.stringify(each) !== JSON.stringify(defaults[key])));
}
