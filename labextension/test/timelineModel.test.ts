import { PromiseDelegate } from '@lumino/coreutils';
import { beforeEach, expect, test, vi } from 'vitest';
import type { NotebookSession } from '../src/notebookSession';
import { TimelineModel } from '../src/panel/timelineModel';
import { runMagic } from '../src/runMagic';
import { Store } from '../src/store';

vi.mock('@jupyterlab/apputils', () => ({ InputDialog: {} }));
vi.mock('../src/statusMessage', () => ({ statusMessage: () => null }));
vi.mock('../src/runMagic', () => ({ runMagic: vi.fn() }));

let answers: PromiseDelegate<{ ok: boolean; text: string }>[];

beforeEach(() => {
  answers = [];
  vi.mocked(runMagic).mockImplementation(() => {
    answers.push(new PromiseDelegate());
    return answers.at(-1)?.promise ?? Promise.reject(new Error('none'));
  });
});

test('the kernel is asked for the moment before a turn when it has answered what it was asked before', async () => {
  const store = new Store();
  const transport = { attach: () => Promise.resolve(), status: 'ready' };
  const session = { store, transport, context: { sessionContext: { session: { kernel: {} } } } } as unknown as NotebookSession;
  const timeline = new TimelineModel(() => session, () => undefined);
  timeline.look(1);
  const known = timeline.before('second');
  await vi.waitFor(() => expect(answers).toHaveLength(1));
  answers[0].resolve({ ok: true, text: '' });
  await vi.waitFor(() => expect(answers).toHaveLength(2));
  answers[1].resolve({ ok: true, text: '' });
  store.reduce({ type: 'MomentsChanged', moments: [{ id: 2, turn_id: 'second' }] } as never);
  expect(await known).toBe(true);
  expect(vi.mocked(runMagic).mock.calls.map(([, code]) => code)).toEqual(['%spark back #1', '%spark back #second']);
});
