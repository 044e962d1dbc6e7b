import { Signal } from '@lumino/signaling';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

const revealed = vi.hoisted((): string[] => []);
vi.mock('@jupyterlab/cells', () => ({ MarkdownCell: class {} }));
vi.mock('../../src/cellDecorations', () => ({ insertBelowInput: () => undefined }));
vi.mock('../../src/draft/draftWidget', () => ({
  DraftWidget: class {
    canBeTaken = true;
    isHidden = false;
    draftId = '';
    showDraft = ({ draft_id }: { draft_id: string }) => (this.draftId = draft_id);
    markStale = () => undefined;
    reveal = () => revealed.push(this.draftId);
    dispose = () => undefined;
  }
}));
vi.mock('../../src/notebookCells', () => ({ notebookCells: () => [] }));
vi.mock('../../src/sharedModel', () => ({ cellKey: (id: string) => id }));
vi.mock('../../src/suggest/ghostText', () => ({ ghostIn: () => null }));
const said = vi.hoisted((): string[] => []);
vi.mock('../../src/suggest/suggestionAnnouncer', () => ({
  SuggestionAnnouncer: class {
    announce = (text: string) => said.push(text);
  }
}));

import { LONG_PAUSE } from '../../src/draft/draftPace';
import { Drafts } from '../../src/draft/drafts';
import type { Command, Event } from '../../src/messages';
import type { NotebookView } from '../../src/notebookView';
import { EMPTY } from '../../src/state';

const PROMPT = { text: 'Plot the revenue of each month', target: { after: 'a' } };

/** A notebook of one cell, its kernel, and what was said to it. */
function open() {
  const commands: Command[] = [];
  const transport = { status: 'ready', send: (command: Command) => commands.push(command), received: null as never, statusChanged: null as never, lost: null as never };
  const received = new Signal<object, readonly Event[]>(transport);
  const statusChanged = new Signal<object, string>(transport);
  Object.assign(transport, { received, statusChanged, lost: new Signal<object, string>(transport) });
  const cell = { model: { id: 'a' }, isDisposed: false, node: { classList: { toggle: () => undefined } } };
  const store = { state: EMPTY };
  const view = { cell: () => cell, session: { transport, store, notebook: null, writer: { life: 'first' } } } as unknown as NotebookView;
  const asked = () => commands.flatMap(one => (one.type === 'BeginDraft' ? [one.draft_id] : []));
  const answer = (drafted: object) => received.emit([{ type: 'Drafted', draft_id: asked().at(-1) ?? '', ...drafted } as Event]);
  const greet = (life: string) => received.emit([{ type: 'Hello', life } as Event]);
  const turnTo = (status: string) => {
    transport.status = status;
    statusChanged.emit(status);
  };
  return { view, commands, asked, answer, greet, turnTo };
}

describe('the draft of a prompt', () => {
  beforeEach(() => {
    vi.useFakeTimers();
    vi.stubGlobal('window', { setTimeout: (...given: Parameters<typeof setTimeout>) => setTimeout(...given), clearTimeout: (timer: never) => clearTimeout(timer) });
    said.length = 0;
    revealed.length = 0;
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });
  const begin = (kernel = open()) => {
    const drafts = new Drafts({ viewOf: () => null, keys: () => '', rephrase: () => undefined });
    const type = () => {
      drafts.prompted(kernel.view, PROMPT);
      vi.advanceTimersByTime(LONG_PAUSE);
    };
    const send = (view = kernel.view, isSent = () => true) => drafts.sent(view, PROMPT, isSent);
    return { ...kernel, drafts, type, send };
  };
  const whole = { state: 'done', cells: [{ source: 'plot()' }] };

  it('is taken when it is whole, however long it was written', async () => {
    const { type, send, answer, asked, commands } = begin();
    type();
    const sent = send();
    answer({});
    await vi.advanceTimersByTimeAsync(200_000);
    answer({ cells: [{ source: 'plot' }] });
    await vi.advanceTimersByTimeAsync(200_000);
    answer(whole);
    expect(await sent).toBe(asked()[0]);
    expect(commands).toHaveLength(1);
  });

  it('moves the page only while its words are as they were when it was asked for', () => {
    const { type, answer, asked, drafts, view } = begin();
    type();
    answer({ cells: [{ source: 'plot' }] });
    drafts.prompted(view, { ...PROMPT, text: `${PROMPT.text} by` });
    answer({ ...whole, state: 'trying' });
    answer(whole);
    expect(revealed).toEqual([]);
    drafts.prompted(view, PROMPT);
    answer(whole);
    expect(revealed).toEqual([asked()[0]]);
  });

  it('is not waited for where nobody answers, and dropped', async () => {
    const { type, send, asked, commands } = begin();
    type();
    const sent = send();
    await vi.advanceTimersByTimeAsync(5000);
    expect(await sent).toBe('');
    expect(commands.at(-1)).toEqual({ type: 'DropDraft', draft_id: asked()[0] });
  });

  it('is waited for once only at a kernel that does not say that it drafts', async () => {
    const { type, send, answer, asked } = begin();
    type();
    const first = send();
    await vi.advanceTimersByTimeAsync(5000);
    await first;
    type();
    let taken: string | null = null;
    void send().then(id => (taken = id));
    await vi.advanceTimersByTimeAsync(0);
    expect(taken).toBe('');
    type();
    answer(whole);
    expect(await send()).toBe(asked().at(-1));
  });

  it('goes with the connection, whose end the kernel knows', async () => {
    const { type, send, answer, turnTo, commands } = begin();
    type();
    answer({});
    const sent = send();
    turnTo('detached');
    expect(await sent).toBe('');
    expect(commands).toHaveLength(1);
  });

  it('is gone with the extension, and stays where that only says what is new', async () => {
    const { type, send, answer, asked, greet } = begin();
    type();
    answer(whole);
    greet('first');
    expect(await send()).toBe(asked()[0]);
    type();
    answer(whole);
    greet('second');
    expect(await send()).toBe('');
  });

  it('comes to nothing where the kernel writes none', async () => {
    const { type, send, answer } = begin();
    type();
    const sent = send();
    answer({ state: 'done' });
    expect(await sent).toBe('');
  });

  it('stays where its sending was stopped', async () => {
    const { type, send, answer, asked, commands } = begin();
    type();
    let isSent = true;
    const sent = send(undefined, () => isSent);
    isSent = false;
    answer(whole);
    expect(await sent).toBe('');
    expect(await send()).toBe(asked()[0]);
    expect(commands).toHaveLength(1);
  });

  it('is not that of a copy of the notebook, and goes when another one is shown', async () => {
    const { type, send, answer, asked, commands, drafts } = begin();
    const { view } = open();
    type();
    answer(whole);
    expect(await send(view)).toBe('');
    drafts.prompted(view, null);
    expect(commands.at(-1)).toEqual({ type: 'DropDraft', draft_id: asked()[0] });
  });

  it('is asked for when it can be, and costs none of those that may follow until then', () => {
    const { type, asked, turnTo } = begin();
    turnTo('connecting');
    type();
    vi.advanceTimersByTime(60_000);
    expect(asked()).toEqual([]);
    turnTo('ready');
    vi.advanceTimersByTime(LONG_PAUSE);
    expect(asked()).toHaveLength(1);
  });

  it('is said when it is whole, with the key that takes it', () => {
    const { type, answer } = begin();
    type();
    answer({ cells: whole.cells });
    expect(said).toEqual([]);
    answer(whole);
    expect(said.at(-1)).toBe('Draft of 1 lines: plot(). Enter proposes it.');
  });
});
