// Drafts of the active cell, and how they are taken.

import { type Cell, MarkdownCell } from '@jupyterlab/cells';
import type { EditorView } from '@codemirror/view';
import { insertBelowInput } from '../cellDecorations';
import { newId } from '../ids';
import type { BeginDraft, Drafted, Event, Target } from '../messages';
import { notebookCells } from '../notebookCells';
import type { NotebookSession } from '../notebookSession';
import type { NotebookView } from '../notebookView';
import { SuggestionAnnouncer } from '../suggest/suggestionAnnouncer';
import { t } from '../translation';
import { proposalsOf, streamingTurn, turnOf } from '../selectors';
import { cellKey } from '../sharedModel';
import type { PlainPrompt } from '../panel/promptDelivery';
import { ghostIn } from '../suggest/ghostText';
import { DraftPace, DraftRhythm } from './draftPace';
import { DraftWidget } from './draftWidget';
import { type Words, wordsIn } from './draftWords';

/** Milliseconds for which what was taken is waited for. */
const PATIENCE = 30_000;
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
  /** What is spent is another sum now. */
  spent(drafted: Drafted): void;
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
  private readonly _announcer = new SuggestionAnnouncer(text => text);
  private readonly _rhythm = new DraftRhythm();
  private _pace = this._newPace();
  /** The prompt that is typed. */
  private _prompt: Words | null = null;
  /** Repairs of the draft that were counted already. */
  private _repaired = { id: '', count: 0 };
  /** Who waits until the draft is whole or gone. */
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

  /** A prompt is typed whose answer would go there; null: none is. */
  prompted(view: NotebookView, text: string | null, target: Target): void {
    const cell = text === null ? null : view.cell(target.reuse ?? target.after ?? '');
    if (this._place && (this._place.editor === null ? this._place.cell !== cell : cell !== null)) {
      this.leave();
    }
    if (cell && text !== null) {
      this._place ??= { view, cell, editor: null };
      this._prompt = { kind: 'prompt', text, lines: 0, target };
      this._typed();
    }
  }

  /**
   * The draft of a prompt that is being sent, when it is whole: the request that is under way already is the prompt's. Empty: there is
   * none, or it has come to nothing.
   */
  async sent({ text, target }: PlainPrompt): Promise<string> {
    const id = this._id;
    const { asked } = this._pace;
    if (this._place?.editor !== null || !id || asked?.text !== text || JSON.stringify(asked.target) !== JSON.stringify(target)) {
      return '';
    }
    let drafted = this._drafted;
    while (this._id === id && (drafted?.draft_id !== id || (drafted.state ?? 'writing') === 'writing')) {
      await new Promise<void>(done => this._waits.push(done));
      drafted = this._drafted;
    }
    if (this._id !== id || drafted?.problem || !((drafted?.cells ?? []).length > 0 || drafted?.notes)) {
      return '';
    }
    this._id = ''; // it is the kernel's now, and not dropped
    this.leave();
    return id;
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

  /** Choose one line more of what is to be taken, or one less. */
  choose(more: number): void {
    this._widget?.choose(more);
  }

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
    if (edit !== undefined && proposed[0].state !== 'blocked') {
      await view.goTo(proposed[0].cell_id);
      view.panel.content.mode = 'edit';
      const editor = view.cell(proposed[0].cell_id)?.editor;
      const line = above + edit;
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
        this._timer = milliseconds === null ? 0 : window.setTimeout(() => this._pace.wake(), milliseconds);
      },
      ask: (words: Words) => this._ask(words),
      drop: (clear: boolean) => {
        this._id && void this._place?.view.session.transport.send({ type: 'DropDraft', draft_id: this._id });
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

  private _ask({ kind, text, lines, target = {} }: Words): void {
    const { view, cell, editor } = this._place ?? {};
    const session = view?.session;
    if (!session || !cell || cell.isDisposed || session.transport.status !== 'ready' || streamingTurn(session.store.state) || (kind === 'cell' && editor && ghostIn(editor.state))) {
      this._pace.ended();
      return;
    }
    this._listen(session);
    this._id = newId('d');
    const cells = notebookCells(session.notebook);
    const command: BeginDraft = { type: 'BeginDraft', draft_id: this._id, cell_id: cellKey(cell.model.id), kind, words: text, lines, cells, target };
    void session.transport.send(command);
  }

  private _listen(session: NotebookSession): void {
    if (!this._heard.has(session)) {
      this._heard.add(session);
      session.transport.received.connect((_, events) => this._onEvents(events));
    }
  }

  private _onEvents(events: readonly Event[]): void {
    const drafted = events.findLast(event => event.type === 'Drafted' && event.draft_id === this._id);
    if (drafted?.type !== 'Drafted' || !this._place || this._place.cell.isDisposed) {
      return;
    }
    if (!this._widget) {
      const owner = { take: (options: { run: boolean; edit?: number }) => void this.take(options), hide: () => this.hide(), choose: (words: string) => this._rephrase(words), keys: this._services.keys };
      this._widget = new DraftWidget(owner, this._place.editor === null);
      insertBelowInput(this._place.cell, this._widget);
    }
    this._drafted = drafted;
    this._widget.showDraft(drafted);
    this._words?.text === this._pace.asked?.text || this._widget.markStale();
    this._mark();
    if (drafted.state !== 'writing') {
      this._services.spent(drafted);
      this._charge(drafted);
      this._wakeWaiting();
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
    this._announcer.announce(lines.length > 0 ? t('Draft of %1 lines: %2. Tab takes it.', lines.length, lines[0]) : '');
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
