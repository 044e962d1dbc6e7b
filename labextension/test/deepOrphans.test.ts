import { expect, it } from 'vitest';
import { Store } from '../src/store';

it('takes deep work that the next kernel knows for known: it can be gone on with', () => {
  const store = new Store();
  store.dispatch({ type: 'DeepChanged', work: { id: 'w', prompt: 'a report', state: 'writing' } }, { type: 'KernelGone', reason: 'It is gone.' });
  expect(store.state.orphans.has('w')).toBe(true);
  store.dispatch({ type: 'Snapshot', turns: [], proposals: [], deep: [{ id: 'w', prompt: 'a report', state: 'paused' }] });
  expect(store.state.orphans.has('w')).toBe(false);
  expect([...store.state.deep.values()]).toMatchObject([{ id: 'w', state: 'paused', lost: '' }]);
});
