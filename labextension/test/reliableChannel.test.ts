// Frames in both directions between one document and its kernel.

import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { CommPair } from '../src/comms';
import { ReliableChannel } from '../src/reliableChannel';
import { PROTOCOL_VERSION } from '../src/messages';

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal('window', globalThis);
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** An exchange over a pair of comms that keeps what is sent, and what it was told. */
function made() {
  const sent: { seq: number; msgs: Record<string, unknown>[] }[] = [];
  const told = { onEvents: vi.fn(), onHello: vi.fn(), onBroken: vi.fn(), onStuck: vi.fn(), isReady: () => true };
  const exchange = new ReliableChannel({ clientId: 'here', path: () => 'a.ipynb', canWrite: true }, told);
  const pair = { send: ({ frame }: { frame: string }) => sent.push(JSON.parse(frame)), isOpen: true, isHeard: true, isClosed: false };
  exchange.pair = pair as unknown as CommPair;
  return { exchange, told, sent, pair: exchange.pair };
}

const frame = (seq: number, ...msgs: object[]) => JSON.stringify({ v: PROTOCOL_VERSION, seq, msgs });
const said = { type: 'Problem', code: 'fault', message: 'No.' };
const hello = (life: string) => ({ type: 'Hello', life });

test('who is here is said with what it has, until the kernel is another one', () => {
  const { exchange, sent } = made();
  exchange.receive(frame(0, hello('first')));
  exchange.receive(frame(1, said));
  exchange.sayAttach();
  expect(sent[0].msgs[0]).toMatchObject({ type: 'Attach', client_id: 'here', last_seq: 1, life: 'first', notebook: 'a.ipynb', can_write: true });
  exchange.forget();
  exchange.sayAttach();
  expect(sent[1].msgs[0]).toMatchObject({ last_seq: 0, life: '' });
  expect(exchange.hasHeard).toBe(false);
});

test('another life of the extension is told before its events', () => {
  const { exchange, told } = made();
  exchange.receive(frame(1, hello('first')));
  exchange.receive(frame(2, hello('second')));
  expect(told.onHello.mock.calls.map(([{ life }, anew]) => [life, anew])).toEqual([
    ['first', false],
    ['second', true]
  ]);
  expect(told.onHello.mock.invocationCallOrder[1]).toBeLessThan(told.onEvents.mock.invocationCallOrder[1]);
});

test('what was sent waits until it is acknowledged, and goes again over other comms', () => {
  const { exchange, sent, pair } = made();
  exchange.keep([{ type: 'Warm' }]);
  exchange.send({ again: false });
  expect(exchange.isWaiting).toBe(true);
  exchange.send({ again: true });
  expect(sent.map(one => one.seq)).toEqual([1, 1]);
  exchange.answered(pair!, { ack: 1 });
  expect(exchange.isWaiting).toBe(false);
});

test('a kernel that acknowledges nothing is attached anew three times in a row, and again once it has', () => {
  const { exchange, pair } = made();
  expect([1, 2, 3, 4].map(() => exchange.renew())).toEqual([true, true, true, false]);
  exchange.keep([{ type: 'Warm' }]);
  exchange.send({ again: false });
  exchange.answered(pair!, { ack: 1 });
  expect(exchange.renew()).toBe(true);
});

test('frames that are missing are asked for again, and then all of them', () => {
  const { exchange, sent } = made();
  exchange.receive(frame(1, said));
  exchange.receive(frame(3, said));
  expect(sent.at(-1)?.msgs).toEqual([{ type: 'Resend', from_seq: 2 }]);
  vi.runAllTimers();
  expect(sent.at(-1)?.msgs[0]).toMatchObject({ type: 'Attach', last_seq: 0 });
});

test('a kernel that speaks another version is told of, in a sentence', () => {
  const { exchange, told } = made();
  exchange.receive(JSON.stringify({ v: PROTOCOL_VERSION + 1, seq: 1, msgs: [] }));
  expect(told.onBroken).toHaveBeenCalledOnce();
});

test('that the kernel can read no frame is told once', () => {
  const { exchange, told, pair } = made();
  const problem = JSON.stringify({ type: 'Problem', code: 'protocol_error', message: 'That frame is not read.' });
  [1, 2, 3].forEach(() => exchange.answered(pair, { problem }));
  expect(told.onEvents).toHaveBeenCalledOnce();
});

test.each(['no json', 'null', '7', '{}', '{"type":1}'])('a problem that is none is told: %s', problem => {
  const { exchange, told, pair } = made();
  exchange.answered(pair, { problem });
  expect(told.onEvents).not.toHaveBeenCalled();
  expect(told.onBroken).toHaveBeenCalledOnce();
});
