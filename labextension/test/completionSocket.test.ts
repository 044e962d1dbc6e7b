import { beforeEach, describe, expect, it, vi } from 'vitest';
import { CompletionSocket, type Socket } from '../src/completionSocket';
import type { Attach, DropCompletion } from '../src/messages';

/** A socket that remembers what was said. */
class Wire implements Socket {
  onopen: Socket['onopen'] = null;
  onmessage: Socket['onmessage'] = null;
  onclose: Socket['onclose'] = null;
  readonly said: string[] = [];
  closed = false;

  send(data: unknown): void {
    this.said.push((JSON.parse(String(data)) as { msgs: { type: string }[] }).msgs[0].type);
  }

  close(): void {
    this.closed = true;
  }

  opens(): void {
    this.onopen?.call(this as never, {} as never);
  }

  hears(data: string): void {
    this.onmessage?.call(this as never, { data } as never);
  }

  ends(): void {
    this.onclose?.call(this as never, {} as never);
  }
}

const DROP: DropCompletion = { type: 'DropCompletion', completion_id: 's1' };
const ATTACH = { type: 'Attach', client_id: 'one' } as Attach;

describe('a line', () => {
  let wires: Wire[];
  let frames: string[];
  let line: CompletionSocket;
  let now: number;

  beforeEach(() => {
    wires = [];
    frames = [];
    now = 1000;
    vi.spyOn(performance, 'now').mockImplementation(() => now);
    const dial = () => {
      wires.push(new Wire());
      return wires[wires.length - 1];
    };
    line = new CompletionSocket(dial, { attach: () => ATTACH, onFrame: frame => void frames.push(frame) });
  });

  const stand = () => {
    line.settle({ quiet: true });
    wires.at(-1)?.opens();
    wires.at(-1)?.hears('ready');
  };

  it('is opened with the first question, which goes by the comms', () => {
    expect(line.send(DROP)).toBe(false);
    expect(wires).toHaveLength(0);
    expect(line.settle({ quiet: true })).toBe(0);
    expect(line.send(DROP)).toBe(false);
    expect(wires).toHaveLength(1);
  });

  it('says who is here, and carries questions and frames from the next question on', () => {
    stand();
    const way = line.settle({ quiet: true });
    expect(way).not.toBe(0);
    expect(line.send(DROP)).toBe(true);
    expect(wires[0].said).toEqual(['Attach', 'DropCompletion']);
    expect(frames).toEqual(['ready']);
    expect(line.settle({ quiet: true })).toBe(way);
  });

  it('overtakes nothing that is still under way by the comms', () => {
    stand();
    expect(line.settle({ quiet: false })).toBe(0);
    expect(line.send(DROP)).toBe(false);
  });

  it('goes on although other things go by the comms, once it is in use', () => {
    stand();
    const way = line.settle({ quiet: true });
    expect(line.settle({ quiet: false })).toBe(way);
    expect(line.send(DROP)).toBe(true);
  });

  it('is another way when it has ended, and is tried again after a while', () => {
    stand();
    const way = line.settle({ quiet: true });
    wires[0].ends();
    expect(line.settle({ quiet: true })).not.toBe(way);
    expect(line.send(DROP)).toBe(false);
    expect(wires).toHaveLength(1);
    now += 60_000;
    stand();
    expect(wires).toHaveLength(2);
    line.settle({ quiet: true });
    expect(line.send(DROP)).toBe(true);
  });

  it('that the kernel never answers is not used', () => {
    line.settle({ quiet: true });
    wires[0].opens();
    line.settle({ quiet: true });
    expect(line.send(DROP)).toBe(false);
  });

  it('that was closed is not opened again', () => {
    stand();
    line.close();
    now += 60_000;
    line.settle({ quiet: true });
    expect(wires).toHaveLength(1);
    expect(wires[0].closed).toBe(true);
    expect(line.send(DROP)).toBe(false);
  });
});
