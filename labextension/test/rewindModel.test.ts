import { PromiseDelegate } from '@lumino/coreutils';
import { expect, test } from 'vitest';
import { RewindModel } from '../src/panel/rewindModel';
import type { TimelineModel } from '../src/panel/timelineModel';
import { Store } from '../src/store';
import type { FullTurn } from '../src/state';

const turn = (id: string): FullTurn => ({ id, prompt: 'plot sales', target: {} }) as unknown as FullTurn;

/** A kernel that runs a cell: it says whether there is a moment when that has ended. */
function busy() {
  const ended = new PromiseDelegate<boolean>();
  const timeline = { before: () => ended.promise, look: () => undefined } as unknown as TimelineModel;
  const { state } = new Store();
  return { model: new RewindModel(timeline, () => state, () => undefined), ended };
}

test('sending waits for the running cell only as long as the earlier prompt is edited', async () => {
  const { model, ended } = busy();
  model.edit(turn('a'));
  expect(model.isAsking).toBe(true);
  const sent = model.settled();
  model.edit(null);
  expect(await sent).toBeNull();
  expect(await model.settled()).toBeNull();
  expect(model.isAsking).toBe(false);
  ended.resolve(true);
  await ended.promise;
  expect(model.wanted).toBeNull();
});

test('where the kernel has no moment there, the prompt is asked at the end', async () => {
  const { model, ended } = busy();
  model.edit(turn('a'));
  ended.resolve(false);
  expect(await model.settled()).toBeNull();
  expect(model.isAsking).toBe(false);
});
