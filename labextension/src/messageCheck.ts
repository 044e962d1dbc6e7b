// Check of events by the fields that their types have.
//
// A kernel may be of another version, or not what it should be: what does not fit is left out before anything is made of it.

import type { Event } from './messages';
import { EVENTS, SHAPES, type Shape } from './messageShapes';
import { isObject, type Json } from './validate';

/** Largest number: the last second of which a Date can be made. No count is as large. */
const MOST = 8_640_000_000_000;

const NAMES = new Set(EVENTS);
const FIELDS = new Map(Object.entries(SHAPES).map(([name, fields]) => [name, Object.entries(fields).map(([key, shape]) => fieldOf(key, shape))]));

interface Field {
  readonly key: string;
  readonly optional: boolean;
  readonly shape: Shape;
}

/** Whether a value has all that an event of its type has. */
export function isEvent(value: Json): boolean {
  return NAMES.has(value.type as Event['type']) && isStruct(value, value.type as string);
}

/** What of an event can be used that has not all that its type has; null: nothing. Parts are left out whole: of a proposal nothing may be missing that warns. */
export function salvaged(value: Json): Json | null {
  const fields = value.type === 'Snapshot' ? FIELDS.get('Snapshot') ?? [] : [];
  const fitting = fields.filter(({ key }) => Object.hasOwn(value, key)).map(({ key, shape }) => [key, part(value[key], shape)]);
  const rest = Object.fromEntries(fitting.filter(([, fits]) => fits !== undefined)) as Json;
  return isEvent(rest) ? rest : null;
}

function part(value: unknown, shape: Shape): unknown {
  const each = typeof shape !== 'string' && shape[0] === '[]' && Array.isArray(value) ? shape[1] : null;
  return each ? (value as unknown[]).filter(one => fits(one, each)) : fits(value, shape) ? value : undefined;
}

function fieldOf(key: string, shape: Shape): Field {
  return { key: key.replace('?', ''), optional: key.endsWith('?'), shape };
}

function isStruct(value: unknown, name: string): boolean {
  return (
    isObject(value) &&
    (FIELDS.get(name) ?? []).every(({ key, optional, shape }) => (Object.hasOwn(value, key) ? fits(value[key], shape) : optional))
  );
}

function fits(value: unknown, shape: Shape): boolean {
  if (typeof shape !== 'string') {
    return isMade(value, shape);
  }
  switch (shape) {
    case 's':
      return typeof value === 'string';
    case 'n':
      return typeof value === 'number' && Math.abs(value) <= MOST;
    case 'b':
      return typeof value === 'boolean';
    case '0':
      return value === null;
    default:
      return isStruct(value, shape);
  }
}

function isMade(value: unknown, [kind, ...parts]: Exclude<Shape, string>): boolean {
  switch (kind) {
    case '[]':
      return Array.isArray(value) && value.every(each => fits(each, parts[0]));
    case '{}':
      return isObject(value) && Object.values(value).every(each => fits(each, parts[0]));
    case '|':
      return parts.some(part => fits(value, part));
    case '=':
      return parts.includes(value as string);
  }
}
