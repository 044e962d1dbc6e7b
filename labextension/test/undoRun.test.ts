// What is said of an undone run, also on a slow page.

import { afterEach, beforeEach, expect, it, vi } from 'vitest';

const notification = vi.hoisted(() => ({ emit: vi.fn(() => 'one'), update: vi.fn(), dismiss: vi.fn() }));
vi.mock('@jupyterlab/apputils', () => ({ Notification: notification, Dialog: {}, showDialog: () => undefined }));
vi.mock('../src/runMagic', () => ({ runMagic: () => new Promise(done => setTimeout(() => done({ ok: true, text: 'Undone.' }), 400)) }));
vi.mock('../src/kernelTexts', () => ({ toldSentences: (text: string) => text }));
vi.mock('../src/statusMessage', () => ({ statusMessage: () => '' }));

import type { NotebookSession } from '../src/notebookSession';
import { undoLastRun } from '../src/undoRun';

let drawn: boolean;

beforeEach(() => {
  drawn = false;
  vi.useFakeTimers();
  vi.stubGlobal('window', { setTimeout: (...given: Parameters<typeof setTimeout>) => setTimeout(...given), clearTimeout: (timer: never) => clearTimeout(timer) });
  vi.stubGlobal('document', { getElementById: () => (drawn ? {} : null) });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

it('changes what it says only when the page has drawn it, where a change before would be lost', async () => {
  const transport = { status: 'ready', attach: () => Promise.resolve() };
  const session = { transport, context: { sessionContext: { session: { kernel: { status: 'idle' } } } }, notebook: { cells: [] } };
  const undone = undoLastRun(session as unknown as NotebookSession);
  await vi.advanceTimersByTimeAsync(1000);
  expect(notification.emit).toHaveBeenCalledOnce();
  expect(notification.update).not.toHaveBeenCalled();
  drawn = true;
  await vi.advanceTimersByTimeAsync(1000);
  await undone;
  expect(notification.update).toHaveBeenCalledWith(expect.objectContaining({ id: 'one', message: 'Undone.' }));
});
