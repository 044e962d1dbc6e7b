import { describe, expect, it } from 'vitest';
import { type CommandFrame, PROTOCOL_VERSION } from '../src/messages';
import { Outbox } from '../src/outbox';

const numbers = (frames: readonly CommandFrame[]) => frames.map(frame => frame.seq);

function filled(count: number): Outbox {
  const outbox = new Outbox();
  for (let n = 0; n < count; n++) {
    outbox.add([{ type: 'Warm' }]);
  }
  return outbox;
}

describe('an outbox', () => {
  it('numbers frames from 1 and gives each once to be sent', () => {
    const outbox = filled(2);
    expect(numbers(outbox.takeUnsent())).toEqual([1, 2]);
    outbox.add([{ type: 'Warm' }]);
    expect(numbers(outbox.takeUnsent())).toEqual([3]);
    expect(outbox.takeUnsent()).toEqual([]);
  });

  it('keeps what is not acknowledged, to be sent again in order', () => {
    const outbox = filled(3);
    outbox.takeUnsent();
    expect(outbox.acknowledge(1)).toBe(true);
    expect(outbox.next).toBe(2);
    expect(numbers(outbox.takeAll())).toEqual([2, 3]);
    expect(outbox.acknowledge(1)).toBe(false);
    expect(outbox.acknowledge(3)).toBe(true);
    expect(outbox.takeAll()).toEqual([]);
    expect(outbox.next).toBe(4);
  });

  it('takes what is sent again as sent', () => {
    const outbox = filled(1);
    outbox.takeAll();
    expect(outbox.takeUnsent()).toEqual([]);
  });

  it('goes on counting after the kernel is gone, with what was never sent', () => {
    const outbox = filled(2);
    outbox.takeUnsent();
    outbox.add([{ type: 'ListModels' }]);
    outbox.forgetSent();
    expect(outbox.next).toBe(3);
    expect(outbox.takeAll()).toEqual([{ v: PROTOCOL_VERSION, seq: 3, msgs: [{ type: 'ListModels' }] }]);
  });

  it('goes on counting after it was cleared', () => {
    const outbox = filled(2);
    outbox.clear();
    expect(outbox.next).toBe(3);
    outbox.add([{ type: 'Warm' }]);
    expect(numbers(outbox.takeUnsent())).toEqual([3]);
  });
});
