import { YNotebook } from '@jupyter/ydoc';
import { expect, test, vi } from 'vitest';
import type { Sessions } from '../src/sessions';
import type { SettingsModel } from '../src/settings';
import { PanelModel } from '../src/panel/panelModel';
import { askedLast } from '../src/selectors';
import { EMPTY, type FullTurn } from '../src/state';
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
  const view = { session, asked: signal, panel: { content: { activeCellChanged: signal, activeCell: null } }, targetProposal: null, activeCellId: null };
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

test('a prompt that points at something and was not typed here is read before it is asked again', async () => {
  const { model, store } = busyPanel();
  model.draft = '';
  const asked: string[] = [];
  Object.assign(model.view as object, { prompt: (text: string) => asked.push(text) });
  const turn = (id: string, prompt: string, steers: string | null = null) => ({ id, prompt, steers, outcome: 'completed' }) as unknown as FullTurn;
  const recalled = (...turns: FullTurn[]) => store.dispatch({ type: 'TurnsRecalled', turns: turns.map(one => ({ ...one, target: {} }) as FullTurn), proposals: [] });
  recalled(turn('a', 'plot sales'));
  await model.retry();
  expect([asked, model.draft]).toEqual([['plot sales'], '']);
  store.dispatch({ type: 'TurnStarted', turn: { id: 'b', prompt: 'read @/home/me/notes.txt', outcome: 'completed' } });
  await model.retry();
  expect([asked, model.draft]).toEqual([['plot sales'], 'read @/home/me/notes.txt']);
  model.history.add('read @/home/me/notes.txt');
  await model.retry();
  expect(asked).toEqual(['plot sales', 'read @/home/me/notes.txt']);
});

test('a turn that says that it steers itself, or a later one, is asked again like any other', () => {
  const turn = (id: string, steers: string) => ({ id, prompt: id, steers, outcome: 'completed' }) as unknown as FullTurn;
  const turns = [turn('a', 'b'), turn('b', 'a'), turn('c', 'c')];
  expect(askedLast({ ...EMPTY, turns })?.prompts).toEqual(['c']);
  expect(askedLast({ ...EMPTY, turns: turns.slice(0, 2) })?.prompts).toEqual(['a', 'b']);
});
