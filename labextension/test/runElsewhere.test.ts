import type { ISessionContext } from '@jupyterlab/apputils';
import { Signal } from '@lumino/signaling';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ranElsewhere } from '../src/runElsewhere';

vi.mock('@jupyterlab/apputils', () => ({ Notification: {} }));

describe('a proposal that another page runs', () => {
  const kernel = { status: 'idle' };
  let context: ISessionContext & { said(type: string, parent: string, content: object): void };
  let ran: boolean | null;

  beforeEach(() => {
    vi.useFakeTimers();
    const iopubMessage = new Signal<object, object>({});
    const said = (msg_type: string, msg_id: string, content: object) => iopubMessage.emit({ header: { msg_type }, parent_header: { msg_id }, content });
    context = { iopubMessage, session: { kernel }, said } as never;
    kernel.status = 'idle';
    ran = null;
    void ranElsewhere(context, 'x = 1').then(well => (ran = well));
  });

  afterEach(() => vi.useRealTimers());

  const settled = () => vi.advanceTimersByTimeAsync(0);

  it.each([true, false])('is waited for until it has run (well: %s), whatever runs before it', async well => {
    context.said('execute_input', 'm1', { code: 'other' });
    context.said('error', 'm1', {});
    context.said('status', 'm1', { execution_state: 'idle' });
    context.said('execute_input', 'm2', { code: 'x = 1' });
    if (!well) {
      context.said('error', 'm2', {});
    }
    await settled();
    expect(ran).toBeNull();
    context.said('status', 'm2', { execution_state: 'idle' });
    await settled();
    expect(ran).toBe(well);
  });

  it('has not run where the kernel does nothing for long, and may run yet while it does', async () => {
    kernel.status = 'busy';
    await vi.advanceTimersByTimeAsync(100_000);
    expect(ran).toBeNull();
    kernel.status = 'idle';
    await vi.advanceTimersByTimeAsync(100_000);
    expect(ran).toBe(false);
  });
});
