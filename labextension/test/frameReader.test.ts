import { describe, expect, it } from 'vitest';
import { FrameError, FrameReader } from '../src/frameReader';
import { type Event, PROTOCOL_VERSION } from '../src/messages';

const note = (text: string): Event => ({ type: 'NotesAdded', turn_id: 't', text });
const hello: Event = { type: 'Hello', writer: true };
const snapshot: Event = { type: 'Snapshot' };
const frame = (seq: number, ...msgs: Event[]) => JSON.stringify({ v: PROTOCOL_VERSION, seq, msgs });
const texts = (events: readonly Event[]) => events.map(event => (event.type === 'NotesAdded' ? event.text : event.type));

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

  it.each(['', 'no json', '{"v":1}', `{"v":${PROTOCOL_VERSION},"seq":"1","msgs":[]}`, `{"v":${PROTOCOL_VERSION},"seq":1,"msgs":{}}`])('refuses %j', text => {
    expect(() => new FrameReader().receive(text)).toThrow(FrameError);
  });
});
