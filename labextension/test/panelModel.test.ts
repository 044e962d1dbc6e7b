import { YNotebook } from '@jupyter/ydoc';
import { expect, test, vi } from 'vitest';
import type { Sessions } from '../src/sessions';
import type { SettingsModel } from '../src/settings';
import { PanelModel } from '../src/panel/panelModel';
import type { FullTurn } from '../src/state';
import { Store } from '../src/store';

vi.mock('@jupyterlab/apputils', () => ({ InputDialog: {}, Notification: {}, Dialog: class {}, showDialog: () => undefined, showErrorMessage: () => undefined }));
vi.mock('../src/autoRun', () => ({ runsByItself: () => false, setRunsByItself: () => undefined }));
vi.mock('../src/draft/draftChoice', () => ({ draftsOn: () => false, switchDrafts: () => undefined }));
vi.mock('../src/panel/conversationBrowser', () => ({ ConversationBrowser: class { isOpen = false; } }));
vi.mock('../src/voice/voiceModel', () => ({ VoiceModel: class { changed = { connect: () => true }; leave = () => undefined; } }));
vi.mock('../src/panel/draftStorage', () => { let kept = ''; return { draftOf: () => kept, keepDraft: (_: unknown, text: string) => void (kept = text) }; });

const signal = { connect: () => true, disconnect: () => true };

/** A notebook whose kernel runs a cell: what is sent there waits. */
function busyPanel() {
  const store = new Store();
  const session = {
    store,
    transport: { status: 'ready', statusChanged: signal, attach: () => new Promise(() => undefined) },
    context: { path: 'busy.ipynb', localPath: 'busy.ipynb', model: { cells: { changed: signal } } },
    notebook: YNotebook.create()
  };
  const view = { session, panel: { content: { activeCellChanged: signal, activeCell: null } }, targetProposal: null, activeCellId: null };
  const model = new PanelModel({ current: view, currentChanged: signal } as unknown as Sessions, { changed: signal, value: {} } as unknown as SettingsModel, () => undefined);
  return { model, store };
}

test('a prompt on its way is sent, also where another one is to be edited', () => {
  vi.stubGlobal('window', { setTimeout: () => 1 });
  const { model, store } = busyPanel();
  model.draft = 'plot sales';
  void model.send();
  model.reuse('double the price', { id: 'a', prompt: 'double the price', intent: 'new', target: {} } as unknown as FullTurn);
  expect([model.sending, model.pending]).toEqual([true, 'plot sales']);
  expect(store.state.problems.map(({ message }) => message)).toEqual(['Another prompt is being sent.']);
  model.stop();
  model.reuse('double the price', { id: 'a', prompt: 'double the price', intent: 'new', target: {} } as unknown as FullTurn);
  expect([model.sending, model.draft]).toEqual([false, 'double the price']);
});
