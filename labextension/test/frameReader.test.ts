import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FrameError, FrameReader } from '../src/frameReader';
import { type Event, PROTOCOL_VERSION } from '../src/messages';
import { reduce } from '../src/reducer';
import { EMPTY } from '../src/state';
import { isObject } from '../src/validate';

const FIXTURES = join(__dirname, '../../tests/fixtures/events');
interface Fixture {
  readonly steps: readonly { readonly events: readonly Event[] }[];
}
const recorded = readdirSync(FIXTURES).flatMap(name => {
  const { steps } = JSON.parse(readFileSync(join(FIXTURES, name), 'utf-8')) as Fixture;
  return steps.flatMap(step => step.events);
});

const note = (text: string): Event => ({ type: 'NotesAdded', turn_id: 't', text });
const hello: Event = { type: 'Hello', writer: true };
const snapshot: Event = { type: 'Snapshot' };
const frame = (seq: number, ...msgs: Event[]) => JSON.stringify({ v: PROTOCOL_VERSION, seq, msgs });
const texts = (events: readonly Event[]) => events.map(event => (event.type === 'NotesAdded' ? event.text : event.type));

const HOSTILE = ['null', '7', '"x"', '[]']
  .concat(['-1', '1.5', '1e999', 'null', '[1]'].map(seq => `{"v":${PROTOCOL_VERSION},"seq":${seq},"msgs":[]}`))
  .concat(['null', '7', '"x"', '[]', '{}', '{"type":3}', '{"type":null}'].map(event => `{"v":${PROTOCOL_VERSION},"seq":1,"msgs":[${event}]}`));

/** A sequence of numbers from 0 to 1 that is the same each time (mulberry32). */
function randomFrom(seed: number): () => number {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let bits = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    bits = (bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits;
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** The same value with one part replaced by something of any other kind. */
function spoilt(value: unknown, random: () => number): unknown {
  const wrong = [null, 0, -1, 1.5, '', '<img src=x onerror=alert(1)>', [], {}, { type: 'Snapshot' }, [[null]], true, Number.MAX_VALUE];
  const keys = typeof value === 'object' && value !== null ? Object.keys(value) : [];
  if (keys.length === 0 || random() < 0.2) {
    return wrong[Math.floor(random() * wrong.length)];
  }
  const key = keys[Math.floor(random() * keys.length)];
  const copy = structuredClone(value) as Record<string, unknown>;
  copy[key] = spoilt(copy[key], random);
  return copy;
}

describe('a frame reader', () => {
  it('gives the events of frames in order', () => {
    const reader = new FrameReader();
    expect(texts(reader.receive(frame(1, note('a'), note('b'))).events)).toEqual(['a', 'b']);
    expect(texts(reader.receive(frame(2, note('c'))).events)).toEqual(['c']);
    expect(reader.last).toBe(2);
  });

  it('drops a frame that it has seen', () => {
    const reader = new FrameReader();
    reader.receive(frame(1, note('a')));
    expect(reader.receive(frame(1, note('a')))).toEqual({ events: [], resendFrom: null });
  });

  it('asks once for what is missing, and goes on in order when it has come', () => {
    const reader = new FrameReader();
    reader.receive(frame(1, note('a')));
    expect(reader.receive(frame(3, note('c')))).toEqual({ events: [], resendFrom: 2 });
    expect(reader.receive(frame(4, note('d')))).toEqual({ events: [], resendFrom: null });
    expect(texts(reader.receive(frame(2, note('b'))).events)).toEqual(['b', 'c', 'd']);
    expect(reader.last).toBe(4);
    expect(reader.receive(frame(3, note('c'))).events).toEqual([]);
  });

  it('takes a greeting whatever its number is, and counts on as before', () => {
    const reader = new FrameReader(7);
    expect(texts(reader.receive(frame(7, hello)).events)).toEqual(['Hello']);
    expect(texts(reader.receive(frame(3, hello)).events)).toEqual(['Hello']);
    expect(reader.last).toBe(7);
    expect(texts(reader.receive(frame(8, note('a'))).events)).toEqual(['a']);
  });

  it('takes an answer without a number as it comes, each time, and counts on as before', () => {
    const reader = new FrameReader(7);
    expect(texts(reader.receive(frame(0, note('mine'))).events)).toEqual(['mine']);
    expect(texts(reader.receive(frame(0, note('mine'))).events)).toEqual(['mine']);
    expect(reader.last).toBe(7);
    expect(reader.receive(frame(9, note('c'))).resendFrom).toBe(8);
    expect(texts(reader.receive(frame(0, note('mine'))).events)).toEqual(['mine']);
    expect(texts(reader.receive(frame(8, note('b'))).events)).toEqual(['b', 'c']);
    const fresh = new FrameReader();
    expect(texts(fresh.receive(frame(0, note('mine'))).events)).toEqual(['mine']);
    expect(fresh.receive(frame(1, note('a'))).events).toHaveLength(1);
    expect(fresh.receive(frame(3, note('c'))).resendFrom).toBe(2);
  });

  it('begins to count at a snapshot whatever was answered before it', () => {
    const reader = new FrameReader(7);
    expect(texts(reader.receive(frame(0, snapshot)).events)).toEqual(['Snapshot']);
    expect(reader.last).toBe(0);
  });

  it('begins to count at a snapshot', () => {
    const reader = new FrameReader();
    reader.receive(frame(41, hello));
    expect(texts(reader.receive(frame(41, snapshot)).events)).toEqual(['Snapshot']);
    expect(reader.receive(frame(41, note('old'))).events).toEqual([]);
    expect(texts(reader.receive(frame(42, note('a'))).events)).toEqual(['a']);
  });

  it('forgets a gap that a snapshot has filled', () => {
    const reader = new FrameReader();
    reader.receive(frame(1, note('a')));
    reader.receive(frame(3, note('c')));
    expect(texts(reader.receive(frame(3, snapshot)).events)).toEqual(['Snapshot']);
    expect(texts(reader.receive(frame(4, note('d'))).events)).toEqual(['d']);
  });

  it('says clearly that it does not know a version', () => {
    const reader = new FrameReader();
    const receive = () => reader.receive(JSON.stringify({ v: PROTOCOL_VERSION + 1, seq: 1, msgs: [] }));
    expect(receive).toThrow(FrameError);
    expect(receive).toThrow(/version \d+.*version \d+.*same version/);
  });

  it('holds no more frames that come too early than it may', () => {
    const reader = new FrameReader();
    reader.receive(frame(1, note('a')));
    for (let seq = 3; seq < 3_000; seq++) {
      reader.receive(frame(seq, note('x')));
    }
    expect(reader.receive(frame(2, note('b'))).events).toHaveLength(1 + 1_000);
    expect(reader.receive(frame(reader.last + 2, note('c'))).resendFrom).toBe(reader.last + 1);
  });

  it.each(['', 'no json', '{"v":1}', `{"v":${PROTOCOL_VERSION},"seq":"1","msgs":[]}`, `{"v":${PROTOCOL_VERSION},"seq":1,"msgs":{}}`, ...HOSTILE])('refuses %j', text => {
    expect(() => new FrameReader().receive(text)).toThrow(FrameError);
  });

  it('takes every event that was recorded as it is', () => {
    for (const [seq, event] of recorded.entries()) {
      expect(new FrameReader(seq).receive(frame(seq + 1, event)).events).toEqual([event]);
    }
  });

  it('lets through nothing from which no state can be made, whatever a kernel sends', () => {
    const random = randomFrom(5);
    let [state, refused] = [EMPTY, 0];
    for (const event of recorded.flatMap(event => Array<Event>(30).fill(event))) {
      const sent = spoilt(event, random);
      if (!isObject(sent) || typeof sent.type !== 'string') {
        continue; // refused above
      }
      const { events } = new FrameReader(1).receive(frame(2, sent as unknown as Event));
      refused += events.some(({ type }) => type === 'Problem') ? 1 : 0;
      state = events.reduce(reduce, state);
      expect(state.moments.every(({ at }) => new Date(at * 1000).toISOString())).toBe(true);
      expect([...state.turns, ...state.all, ...state.problems].every(isObject)).toBe(true);
    }
    expect(refused).toBeGreaterThan(1_000);
  });

  it('takes of a Snapshot what it can read, leaves out whole what it can not, and says so once', () => {
    const reader = new FrameReader(1);
    const turn = { id: 't', prompt: 'p' };
    const of = (cell_id: string, more = {}) => ({ cell_id, turn_id: 't', state: 'blocked', ...more });
    const newer = { type: 'Snapshot', turns: [turn], proposals: [of('a'), of('b', { may_run: 'on-tuesdays' })], moments: 7 } as unknown as Event;
    const { events } = reader.receive(frame(5, newer));
    expect(events).toMatchObject([{ type: 'Snapshot', turns: [turn], proposals: [of('a')] }, { type: 'Problem', code: 'protocol_error' }]);
    expect(events[0]).not.toHaveProperty('moments');
    expect(reader.receive(frame(6, newer)).events.map(event => event.type)).toEqual(['Snapshot']);
    expect(reader.receive(frame(8, { type: 'Meter' } as unknown as Event))).toEqual({ events: [], resendFrom: 7 });
  });

  it.each(['constructor', '__proto__', 'Nothing', 'Turn'])('takes no event of the type %s', type => {
    const { events } = new FrameReader(1).receive(`{"v":${PROTOCOL_VERSION},"seq":2,"msgs":[{"type":"${type}"}]}`);
    expect(events).toMatchObject([{ type: 'Problem', code: 'protocol_error' }]);
    expect(events.reduce(reduce, EMPTY).problems).toHaveLength(1);
  });

  it('gives events or a sentence for whatever comes, and never loses its count', () => {
    const random = randomFrom(27);
    const reader = new FrameReader();
    for (let round = 0; round < 5_000; round++) {
      const good = { v: PROTOCOL_VERSION, seq: reader.last + 1, msgs: [note('a'), hello] };
      try {
        const { events } = reader.receive(JSON.stringify(spoilt(good, random)));
        expect(events.every(event => typeof event.type === 'string')).toBe(true);
      } catch (error) {
        expect(error).toBeInstanceOf(FrameError);
      }
      expect(Number.isSafeInteger(reader.last) && reader.last >= 0).toBe(true);
    }
  });
});
