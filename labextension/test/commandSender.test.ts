import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { CommPair } from '../src/comms';
import { Sender } from '../src/commandSender';

/** A pair of comms that remembers the numbers of the frames. */
class Wire {
  isOpen = true;
  isClosed = false;
  isHeard = true;
  readonly sent: number[] = [];

  send({ frame }: { frame: string }): void {
    this.sent.push((JSON.parse(frame) as { seq: number }).seq);
  }

  /** What is used of a CommPair. */
  get pair(): CommPair {
    return this as unknown as CommPair;
  }
}

const LONG = 60_000;

describe('a sender', () => {
  let wire: Wire;
  let overdue: ReturnType<typeof vi.fn>;
  let sender: Sender;

  beforeEach(() => {
    vi.useFakeTimers();
    vi.stubGlobal('window', globalThis);
    wire = new Wire();
    overdue = vi.fn();
    sender = new Sender(() => void overdue());
  });

  afterEach(() => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });

  const say = () => {
    sender.keep([{ type: 'Warm' }]);
    sender.send(wire.pair, { again: false });
  };

  it('says so once where an acknowledgement stays out', () => {
    say();
    expect(wire.sent).toEqual([1]);
    vi.advanceTimersByTime(LONG);
    expect(overdue).toHaveBeenCalledTimes(1);
  });

  it('has nothing to say where all is acknowledged', () => {
    say();
    expect(sender.acknowledge(wire.pair, 1)).toBe(true);
    vi.advanceTimersByTime(LONG);
    expect(overdue).not.toHaveBeenCalled();
    expect(sender.isWaiting).toBe(false);
  });

  it('gives a kernel the time that must end a cell first, and watches on after it', () => {
    wire.isHeard = false;
    say();
    vi.advanceTimersByTime(LONG);
    expect(overdue).not.toHaveBeenCalled();
    wire.isHeard = true;
    vi.advanceTimersByTime(LONG);
    expect(overdue).toHaveBeenCalledTimes(1);
  });

  it('sends on other comms again what was not acknowledged, and what was said meanwhile', () => {
    say();
    sender.keep([{ type: 'Warm' }]);
    const other = new Wire();
    sender.send(other.pair, { again: true });
    expect(other.sent).toEqual([1, 2]);
    sender.acknowledge(other.pair, 2);
    sender.send(other.pair, { again: true });
    expect(other.sent).toEqual([1, 2]);
  });

  it('does not count or keep what is said once', () => {
    sender.sayOnce(wire.pair, { type: 'Resend', from_seq: 3 });
    expect(wire.sent).toEqual([0]);
    expect(sender.isWaiting).toBe(false);
  });

  it('forgets what nobody will take', () => {
    say();
    sender.clear();
    vi.advanceTimersByTime(LONG);
    expect(overdue).not.toHaveBeenCalled();
    expect(sender.next).toBe(2);
  });
});
