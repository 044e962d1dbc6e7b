import { afterEach, describe, expect, it, vi } from 'vitest';
import { Store } from '../src/store';

afterEach(() => vi.useRealTimers());

describe('who waits for a state', () => {
  it('goes on when it holds, and at once where it does already', async () => {
    const store = new Store();
    const begun = store.until(state => state.turns.length > 0, 60_000);
    store.dispatch({ type: 'TurnStarted', turn: { id: 't', prompt: 'p' } });
    await begun;
    await store.until(state => state.turns.length > 0, 60_000);
  });

  it('waits only so long', async () => {
    vi.useFakeTimers();
    let ended = false;
    const waited = new Store().until(() => false, 1000).then(() => (ended = true));
    await vi.advanceTimersByTimeAsync(999);
    expect(ended).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    await waited;
    expect(ended).toBe(true);
  });
});
