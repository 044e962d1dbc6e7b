// Drafts of the active cell, and how they are taken.

import { type Cell, MarkdownCell } from '@jupyterlab/cells';
import type { EditorView } from '@codemirror/view';
import { insertBelowInput } from '../cellDecorations';
import { newId } from '../ids';
import { type BeginDraft, DEFAULTS, type Drafted, type Event } from '../messages';
import { notebookCells } from '../notebookCells';
import type { NotebookSession } from '../notebookSession';
import type { NotebookView } from '../notebookView';
import { SuggestionAnnouncer } from '../suggest/suggestionAnnouncer';
import { t } from '../translation';
import type { FullProposal } from '../state';
import { proposalsOf, streamingTurn, turnOf } from '../selectors';
import { cellKey } from '../sharedModel';
import type { PlainPrompt } from '../panel/promptDelivery';
import { ghostIn } from '../suggest/ghostText';
import { placeOfLine } from './draftLines';
import { DraftPace, DraftRhythm } from './draftPace';
import { DraftWidget } from './draftWidget';
import { type Words, wordsIn } from './draftWords';

/** Milliseconds for which what was taken is waited for, and for which the kernel's word that it drafts is. */
const PATIENCE = 30_000;
const ANSWERS = 3000;
/** Of a heading or a comment. */
const MARKS = /^[ \t]*#+[ \t]*/;
/** The classes of a cell with a draft, of one with a draft that can be taken, and of one in which Tab takes it: keys are bound to them. */
const SHOWN = 'spark-mod-drafted';
const READY = 'spark-mod-draftReady';
const TAB = 'spark-mod-draftTab';

/** Where the user types: in a cell, or (`editor` is null) a prompt whose answer would stand below that cell. */
interface Place {
  readonly view: NotebookView;
  readonly cell: Cell;
  readonly editor: EditorView | null;
}

/** What drafts find out from others. */
export interface DraftServices {
  viewOf(editor: EditorView): { readonly view: NotebookView; readonly cell: Cell } | null;
  keys(command: string): string;
  /** Have other words in the prompt box. */
  rephrase(words: string): void;
}

/** The page's drafts: there is one at most. */
export class Drafts {
  private _place: Place | null = null;
  private _widget: DraftWidget | null = null;
  private _id = '';
  private _drafted: Drafted | null = null;
  private _timer = 0;
  /** A draft is on its way into the notebook: a key that is pressed twice takes it once. */
  private _taking = false;
  private readonly _heard = new WeakSet<NotebookSession>();
  /** Kernels that did not even say that they draft: those of another version. */
  private readonly _mute = new WeakSet<NotebookSession>();
  private readonly _announcer = new SuggestionAnnouncer(text => text);
  private readonly _rhythm = new DraftRhythm();
  private _pace = this._newPace();
  /** The prompt that is typed. */
  private _prompt: Words | null = null;
  /** Repairs of the draft that were counted already. */
  private _repaired = { id: '', count: 0 };
  /** Who waits for more of the draft, or its end. */
  private _waits: (() => void)[] = [];

  constructor(private readonly _services: DraftServices) {}

  /** Whether a draft is shown there that can be taken now. */
  isShownIn(editor: EditorView): boolean {
    return this._place?.editor === editor && this._widget !== null && !this._widget.isHidden;
  }

  /** Something was typed in an editor. */
  typed(editor: EditorView): void {
    if (this._place?.editor !== editor) {
      this.leave();
      const where = this._services.viewOf(editor);
      this._place = where && { ...where, editor };
    }
    this._typed();
  }

  /** A prompt is typed in this notebook; null: none is. */
  prompted(view: NotebookView | null, prompt: PlainPrompt | null): void {
    const { text = '', target = {} } = prompt ?? {};
    const cell = prompt && view ? view.cell(target.reuse ?? target.after ?? '') : null;
    const { _place: place } = this;
    if (place && (place.view !== view || (place.editor === null ? place.cell !== cell : cell !== null))) {
      this.leave();
    }
    if (view && cell) {
      this._place ??= { view, cell, editor: null };
      this._prompt = { kind: 'prompt', text, lines: 0, target };
      this._typed();
    }
  }

  /**
   * The draft of a prompt that is being sent, when it is whole: the request that is under way already is the prompt's. Empty: there is
   * none, or it has come to nothing. It stays where it is when the prompt is no more `isSent`.
   */
  async sent(view: NotebookView, { text, target }: PlainPrompt, isSent: () => boolean): Promise<string> {
    const id = this._id;
    const { asked } = this._pace;
    if (this._place?.editor !== null || this._place.view !== view || !id || asked?.text !== text || JSON.stringify(asked.target) !== JSON.stringify(target)) {
      return '';
    }
    const mine = () => (this._drafted?.draft_id === id ? this._drafted : null);
    let isHeard = mine() !== null || !this._mute.has(view.session);
    while (isHeard && this._id === id && (mine() ?? DEFAULTS.Drafted).state === 'writing') {
      isHeard = await this._hear(mine() ? null : ANSWERS); // a slow model thinks for long
    }
    isHeard || this._mute.add(view.session);
    const { cells = [], notes = '', problem = '' } = mine() ?? {};
    if (this._id !== id || !isSent() || (isHeard && (problem || !(cells.length > 0 || notes)))) {
      return '';
    }
    this._id = isHeard ? '' : id; // it is the kernel's now, and not dropped
    this.leave();
    return isHeard ? id : '';
  }

  /** Wait for more of the draft, or its end; false: nothing came in so many milliseconds. */
  private _hear(patience: number | null): Promise<boolean> {
    return new Promise(resolve => {
      const timer = patience === null ? undefined : window.setTimeout(() => resolve(false), patience);
      this._waits.push(() => {
        window.clearTimeout(timer);
        resolve(true);
      });
    });
  }

  private _typed(): void {
    if (this._place) {
      this._rhythm.key(performance.now());
      this._pace.typed(this._words);
      this._widget?.markStale(this._words?.text !== this._pace.asked?.text || this._widget.draftId !== this._id);
      this._mark();
    }
  }

  /** The cursor was moved there: where it is not at the end, Tab indents. */
  moved(editor: EditorView): void {
    this._place?.editor === editor && this._mark();
  }

  /** The user is elsewhere: what is drafted is not wanted any more. */
  leave(): void {
    this._pace.typed(null);
    this._clear();
    this._place = null;
    this._prompt = null;
    this._pace = this._newPace();
  }

  /** The focus has gone from an editor, to another cell or out of the notebook. */
  left(editor: EditorView): void {
    const { _place: place } = this;
    if (place?.editor === editor && !place.cell.node.contains(document.activeElement)) {
      this.leave();
    }
  }

  /** Away with it, until the words change. */
  hide(): void {
    this._pace.hide();
    this._clear();
  }

  /**
   * Have it in the notebook as an accepted proposal, and with `run` run it, with the consent that running needs. What a finding blocks
   * waits below its cell for a decision.
   */
  async take(options: { run: boolean; edit?: number }): Promise<void> {
    const { _place: place, _widget: widget, _id: takes } = this;
    const words = this._pace.asked;
    if (this._taking || !place?.editor || !words || !widget?.canBeTaken || words.text !== this._words?.text) {
      return;
    }
    this._taking = true;
    try {
      await this._take(place, words, { takes, lines: widget.chosen, ...options });
    } finally {
      this._taking = false;
    }
  }

  /** Choose one line more of what is to be taken, or one less. They are taken when the keys are let go. */
  choose(more: number): void {
    this._widget?.choose(more);
    window.addEventListener('keyup', this._onKeyUp, true);
    window.addEventListener('blur', this._unheld);
  }

  /** The keys are let go elsewhere, which is not heard here: what is chosen waits for Tab. */
  private readonly _unheld = (): void => {
    window.removeEventListener('keyup', this._onKeyUp, true);
    window.removeEventListener('blur', this._unheld);
  };

  private readonly _onKeyUp = ({ ctrlKey, altKey, metaKey }: KeyboardEvent): void => {
    if (!ctrlKey && !altKey && !metaKey) {
      this._unheld();
      const { chosen = 0 } = this._widget ?? {};
      chosen > 0 && void this.take({ run: false, edit: chosen - 1 });
    }
  };

  private async _take(place: Place, words: Words, { takes, lines, run, edit }: { takes: string; lines: number; run: boolean; edit?: number }): Promise<void> {
    const { view, cell } = place;
    const { session } = view;
    const cellId = cellKey(cell.model.id);
    const above = words.kind === 'markdown' ? 0 : cell.model.sharedModel.source.trimEnd().split('\n').length;
    const turn = await session.prompt(plainOf(words), { takes, lines, active: cellId, target: words.kind === 'markdown' ? { after: cellId } : { edit: cellId } });
    await session.store.until(state => turnOf(state, turn)?.outcome != null || state.problems.some(one => one.turn_id === turn), PATIENCE);
    const proposed = proposalsOf(session.store.state, turn);
    if (proposed.length === 0) {
      return; // the kernel has said why
    }
    if (this._place === place) {
      this.leave();
    }
    if (cell instanceof MarkdownCell && !cell.isDisposed) {
      cell.rendered = true;
    }
    for (const { cell_id, state } of proposed) {
      if (run) {
        await view.consent.run(cell_id);
      } else if (state === 'blocked') {
        await view.goTo(cell_id, { decide: true });
      } else {
        await view.consent.accept(cell_id);
      }
    }
    if (edit !== undefined) {
      const place = placeOfLine(proposed.map(({ source }) => source), above + edit);
      await this._goTo(view, proposed[place.cell], place.line);
    }
  }

  /** Have the cursor at the end of a line of what was taken. */
  private async _goTo(view: NotebookView, { cell_id, state }: FullProposal, lineThere: number): Promise<void> {
    if (state !== 'blocked') {
      await view.goTo(cell_id);
      view.panel.content.mode = 'edit';
      const editor = view.cell(cell_id)?.editor;
      const line = Math.min(lineThere, (editor?.lineCount ?? 1) - 1); // it may be another cell by now
      editor?.setCursorPosition({ line, column: editor.getLine(line)?.length ?? 0 });
    }
  }

  /** Put words in place of those that were meant in several ways. The marks of a heading or a comment stay. */
  private _rephrase(words: string): void {
    const { editor } = this._place ?? {};
    const now = this._words;
    if (!editor) {
      this._services.rephrase(words);
    } else if (now) {
      const text = editor.state.doc.toString().trimEnd();
      const from = text.length - now.text.length;
      const insert = (MARKS.exec(now.text)?.[0] ?? '') + words;
      editor.dispatch({ changes: { from, to: editor.state.doc.length, insert }, selection: { anchor: from + insert.length }, userEvent: 'input' });
      editor.focus();
    }
  }

  private get _words(): Words | null {
    if (this._place?.editor === null) {
      return this._prompt;
    }
    const { cell, editor } = this._place ?? {};
    if (!cell || !editor || cell.isDisposed || editor.state.readOnly || editor.state.selection.ranges.length > 1) {
      return null;
    }
    const { doc, selection } = editor.state;
    const rest = doc.sliceString(selection.main.head);
    return cell.model.type === 'raw' || rest.trim() !== '' ? null : wordsIn(cell.model.type, doc.toString());
  }

  private _newPace(): DraftPace {
    const actions = {
      now: () => performance.now(),
      wake: (milliseconds: number | null) => {
        window.clearTimeout(this._timer);
        this._timer = milliseconds === null ? 0 : window.setTimeout(() => (this._place?.cell.isDisposed ? this.leave() : this._pace.wake()), milliseconds);
      },
      canAsk: ({ kind }: Words) => this._canAsk(kind),
      ask: (words: Words) => this._ask(words),
      drop: (clear: boolean) => {
        const { transport } = this._place?.view.session ?? {};
        this._id && transport?.status === 'ready' && void transport.send({ type: 'DropDraft', draft_id: this._id }); // a client that goes takes its draft along
        this._id = '';
        clear && this._clear();
        this._wakeWaiting();
      }
    };
    return new DraftPace(actions, this._rhythm);
  }

  private _wakeWaiting(): void {
    this._waits.splice(0).forEach(done => done());
  }

  private _canAsk(kind: Words['kind']): boolean {
    const { view, editor } = this._place ?? {};
    const isReady = view?.session.transport.status === 'ready' && !streamingTurn(view.session.store.state);
    return isReady && !(kind === 'cell' && editor && ghostIn(editor.state));
  }

  private _ask({ kind, text, lines, target = {} }: Words): void {
    if (!this._place) {
      return;
    }
    const { cell, view: { session } } = this._place;
    this._listen(session);
    this._id = newId('d');
    const cells = notebookCells(session.notebook);
    const command: BeginDraft = { type: 'BeginDraft', draft_id: this._id, cell_id: cellKey(cell.model.id), kind, words: text, lines, cells, target };
    void session.transport.send(command);
  }

  private _listen(session: NotebookSession): void {
    if (!this._heard.has(session)) {
      this._heard.add(session);
      const { transport } = session;
      const isGone = () => this._place?.view.session === session && this.leave();
      let { life } = session.writer;
      transport.received.connect((_, events) => {
        const hello = events.findLast(event => event.type === 'Hello');
        if (hello?.type === 'Hello' && (hello.life ?? '') !== life) {
          life = hello.life ?? ''; // another extension, which knows of no draft
          isGone();
        }
        this._onEvents(events);
      });
      transport.statusChanged.connect((_, status) => status !== 'ready' && isGone());
      transport.lost.connect(isGone);
    }
  }

  private _onEvents(events: readonly Event[]): void {
    const told = events.findLast(event => event.type === 'Drafted' && event.draft_id === this._id);
    if (told?.type !== 'Drafted' || !this._place || this._place.cell.isDisposed) {
      return;
    }
    if (!this._widget) {
      const owner = { take: (options: { run: boolean; edit?: number }) => void this.take(options), hide: () => this.hide(), choose: (words: string) => this._rephrase(words), keys: this._services.keys };
      this._widget = new DraftWidget(owner, this._place.editor === null);
      insertBelowInput(this._place.cell, this._widget);
    }
    const drafted = { ...DEFAULTS.Drafted, ...told };
    this._drafted = drafted;
    this._widget.showDraft(drafted);
    const isCurrent = this._words?.text === this._pace.asked?.text;
    isCurrent || this._widget.markStale();
    this._mark();
    this._wakeWaiting();
    if (drafted.state !== 'writing') {
      isCurrent && this._widget.reveal(); // else somebody is typing, and the page stays where it is
      this._charge(drafted);
      this._announce(drafted);
      this._pace.ended();
    }
  }

  /** Repairs are requests, too. */
  private _charge({ draft_id, cells = [] }: Drafted): void {
    const repairs = Math.max(0, ...cells.map(cell => cell.repairs ?? 0));
    this._rhythm.charge(repairs - (this._repaired.id === draft_id ? this._repaired.count : 0));
    this._repaired = { id: draft_id, count: repairs };
  }

  private _announce({ cells = [] }: Drafted): void {
    const lines = cells.flatMap(cell => cell.source.trim().split('\n'));
    const isPrompt = this._place?.editor === null;
    const sentence = isPrompt ? t('Draft of %1 lines: %2. Enter proposes it.', lines.length, lines[0]) : t('Draft of %1 lines: %2. Tab takes it.', lines.length, lines[0]);
    this._announcer.announce(lines.length > 0 ? sentence : '');
  }

  private _clear(): void {
    this._announcer.announce('');
    this._widget?.dispose();
    this._widget = null;
    this._mark();
  }

  private _mark(): void {
    const isShown = this._widget !== null && !this._widget.isHidden;
    const words = this._words;
    const isReady = isShown && this._place?.editor !== null && this._widget?.canBeTaken === true && words !== null && words.text === this._pace.asked?.text;
    const { classList } = this._place?.cell.node ?? {};
    classList?.toggle(SHOWN, isShown);
    classList?.toggle(READY, isReady);
    classList?.toggle(TAB, isReady);
  }
}

/** Words as a person would say them in a prompt: without the marks of a heading or a comment. */
function plainOf({ kind, text }: Words): string {
  return kind === 'function' || kind === 'cell' ? text : text.replace(new RegExp(MARKS, 'gm'), '');
}
