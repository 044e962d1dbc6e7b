// What Spark shows inside one view of a notebook: footers, diffs and marks at the cells, and the tail that is followed.

import { Notification } from '@jupyterlab/apputils';
import { type Cell, MarkdownCell } from '@jupyterlab/cells';
import type { IEditorLanguageRegistry } from '@jupyterlab/codemirror';
import { type NotebookPanel, NotebookActions } from '@jupyterlab/notebook';
import type { Extension } from '@codemirror/state';
import type { IDisposable } from '@lumino/disposable';
import { Signal } from '@lumino/signaling';
import { METADATA_KEY } from './constants';
import { CellDecor } from './decor';
import { TailFollower, viewOf } from './follow';
import type { Permission, Target } from './messages';
import { decidable, isDecidable, isOpen, isTakenBack, proposalsFor, proposalsOf, streamingTurn, turnOf } from './selectors';
import type { FullProposal } from './state';
import type { Action, Doubtful, Place } from './proposal';
import { Place as Standing } from './place';
import type { NotebookSession, PromptOptions, Yes } from './session';
import type { SettingsModel } from './settings';
import { cellKey, find, isNamed } from './shared';

/** What is asked where the writing of a cell was stopped. */
const CONTINUE = 'The writing of this cell was stopped. Keep what is there, go on where it ends, and finish it.';
/** Milliseconds between two looks at all cells. */
const SCAN = 300;

/** One NotebookPanel with Spark in it. */
export class NotebookView implements IDisposable {
  private readonly _follower: TailFollower;
  private readonly _decors = new Map<Cell, CellDecor>();
  private readonly _standing = new Standing();
  private _frame = 0;
  private _scanTimer = 0;
  private _turn = '';
  /** Whether the last turn goes on, or is still looked at: until then its end is kept in sight. */
  private _settling = false;
  private _disposed = false;
  /** Cells of which a second yes is wanted, and who waits for it. */
  private readonly _questions = new Map<string, { about: Doubtful; answer: (yes: boolean) => void }>();

  constructor(
    readonly panel: NotebookPanel,
    readonly session: NotebookSession,
    private readonly languages: IEditorLanguageRegistry,
    private readonly settings: SettingsModel,
    /** The shortcut of a command, empty where it has none. */
    private readonly _keys: (command: string) => string = () => ''
  ) {
    this._follower = new TailFollower(panel);
    session.store.changed.connect(this._request, this);
    panel.content.activeCellChanged.connect(() => this._standing.wentTo(this.activeCellId, this._answered), this);
    panel.content.modelContentChanged.connect(this._request, this);
    panel.content.modelContentChanged.connect(this._requestScan, this);
    session.writer.grown.connect((_, { cellId, tail }) => {
      const cell = this.cell(cellId);
      if (cell && this.settings.value.follow) {
        this._follower.follow(cell, tail, session.writer.slow);
      }
    }, this);
    settings.changed.connect(this._request, this);
    panel.disposed.connect(() => this.dispose());
    this._request();
    this._requestScan();
  }

  get isDisposed(): boolean {
    return this._disposed;
  }

  dispose(): void {
    if (this._disposed) {
      return;
    }
    this._disposed = true;
    this._questions.forEach(({ answer }) => answer(false));
    window.cancelAnimationFrame(this._frame);
    window.clearTimeout(this._scanTimer);
    this.session.store.changed.disconnect(this._request, this);
    this.settings.changed.disconnect(this._request, this);
    this._follower.dispose();
    this._decors.forEach(decor => decor.dispose());
    this._decors.clear();
    Signal.clearData(this);
  }

  /** The cell's widget here. */
  cell(cellId: string): Cell | null {
    const { widgets } = this.panel.content;
    return widgets.find(cell => cell.model.id === cellId) ?? widgets.find(cell => isNamed(cell.model.id, cellId)) ?? null;
  }

  /** The active cell's name, null without one. */
  get activeCellId(): string | null {
    const { activeCell } = this.panel.content;
    return activeCell ? cellKey(activeCell.model.id) : null;
  }

  /** Below which cell what is asked next is to go, where that is not the active one: the user has not moved since the last prompt. */
  get placeBelow(): string | null {
    const below = this._standing.next(this._answered);
    return below !== null && below !== this.activeCellId && find(this.session.notebook, below) ? below : null;
  }

  /** Send a prompt from where the user is. */
  async prompt(text: string, options: PromptOptions & { readonly target: Target }): Promise<void> {
    const { edit, after } = options.target;
    const active = this.activeCellId;
    this._standing.asked(active, edit ?? after ?? null);
    await this.session.prompt(text, { ...options, active });
  }

  /** The cells of the last answer that are in the notebook, in its order. */
  private get _answered(): readonly string[] {
    const { state } = this.session.store;
    const standing = proposalsOf(state, state.turns.at(-1)?.id ?? '').filter(proposal => !isTakenBack(proposal));
    const cells = new Set(standing.map(proposal => proposal.cell_id));
    return this.session.notebook.cells.map(cell => cellKey(cell.id)).filter(id => cells.has(id));
  }

  /** The proposal that a command without a cell means: the active cell's, or the first that waits. */
  get targetProposal(): FullProposal | null {
    const { proposals } = this.session.store.state;
    const active = proposals.get(this.activeCellId ?? '');
    return active && isOpen(active) ? active : [...proposals.values()].find(isOpen) ?? null;
  }

  /** Do what a footer's button or a command says to a cell's proposal. */
  async act(cellId: string, action: Action, allow?: readonly Permission[]): Promise<void> {
    const decor = this._decorOf(cellId);
    switch (action) {
      case 'accept':
        return this._acceptOne(cellId);
      case 'continue':
        return this.prompt(CONTINUE, { target: { edit: cellId }, intent: 'edit' });
      case 'reject':
        return this.session.reject(cellId);
      case 'run':
        return this.run(cellId);
      case 'run-anyway':
      case 'dont-run':
        return this._answer(cellId, action === 'run-anyway');
      case 'try':
        return this.session.tryOut(cellId, { source: decor?.decidedSource, allow });
      case 'cancel-try':
        return this.session.cancelTry(cellId);
      case 'stop':
        return this.session.cancel();
      case 'diff':
        return decor?.toggleDiff();
      default:
        decor?.decideHunk(action);
    }
  }

  /**
   * Keep every proposal that waits, when every check has looked at it, with the changes of it that were not rejected one by one. What a
   * finding blocks, or what failed or surprised when it was tried, is left out.
   */
  async acceptAll(): Promise<void> {
    const { store } = this.session;
    const waiting = decidable(store.state).map(proposal => proposal.cell_id);
    await Promise.all(waiting.map(cellId => this.session.inspected(cellId)));
    const whole = decidable(store.state).filter(one => waiting.includes(one.cell_id));
    const left = whole.filter(one => one.may_run !== 'freely');
    for (const { cell_id } of whole.filter(one => one.may_run === 'freely')) {
      this._accept(cell_id, this._decorOf(cell_id)?.decidedSource);
    }
    if (left.length > 0) {
      const which = left.length === 1 ? '1 proposal was' : `${left.length} proposals were`;
      const message = `${which} left out: blocked by a finding, or it failed or surprised when it was tried.`;
      store.dispatch({ type: 'Problem', code: 'left_out', message, remedy: 'Accept below the cell what you want all the same.' });
    }
  }

  /**
   * What must be settled before a cell is run, by whatever gesture; null where nothing must. A proposal that is run is accepted; one
   * that a finding blocks, only after a second yes. What is proposed for a cell of the user's own does not run before it is accepted.
   */
  consent(cell: Cell): (() => Promise<boolean>) | null {
    const cellId = cellKey(cell.model.id);
    if (this._waitingText(cellId)) {
      return () => this._consent(cellId);
    }
    if (this.session.isUnconfirmed(cellId)) {
      return () => this.session.confirmed(cellId);
    }
    const edit = this.session.store.state.proposals.get(cellId);
    return edit && isDecidable(edit) ? () => this._sayWhatRan(cellId) : null;
  }

  /** The text of a new cell that nobody has decided on, also where an edit of it is proposed by now. */
  private _waitingText(cellId: string): FullProposal | null {
    return proposalsFor(this.session.store.state, cellId).find(one => one.kind === 'insert' && isOpen(one)) ?? null;
  }

  /** The cell's own text runs, and not the edit that waits: who expects the edit is told, and has it with a click. */
  private async _sayWhatRan(cellId: string): Promise<boolean> {
    const actions = [{ label: 'Accept the edit and run it', callback: () => void this.run(cellId) }];
    Notification.info('The cell ran as it is: the edit that is proposed for it was not accepted.', { autoClose: 8000, actions });
    return true;
  }

  /** As `consent`, for the active cell. */
  consentOfActive(): (() => Promise<boolean>) | null {
    const { activeCell } = this.panel.content;
    return activeCell && this.consent(activeCell);
  }

  private async _consent(cellId: string): Promise<boolean> {
    await this.session.inspected(cellId);
    const proposal = this._waitingText(cellId);
    if (proposal?.state === 'streaming') {
      Notification.info('This cell is still being written, so it was not run. Stop the writing, or wait.', { autoClose: 5000 });
      return false;
    }
    if (!proposal || isTakenBack(proposal) || !(await this._agreed(proposal))) {
      return false;
    }
    this._accept(cellId, undefined, { byRunning: true, turnId: proposal.turn_id });
    return this.session.confirmed(cellId);
  }

  /** Keep a proposal and run it, when every check has looked at it; where a finding blocks it, only after a second yes. */
  async run(cellId: string): Promise<void> {
    await this.session.inspected(cellId);
    const proposal = this.session.store.state.proposals.get(cellId);
    if (!proposal) {
      return;
    }
    if (await this._agreed(proposal)) {
      this.session.run(cellId, { confirmed: proposal.may_run === 'when-confirmed', source: this._decorOf(cellId)?.decidedSource });
    }
  }

  /** Keep one proposal; one that does not parse, only after a second yes. */
  private async _acceptOne(cellId: string): Promise<void> {
    const proposal = this.session.store.state.proposals.get(cellId);
    const source = this._decorOf(cellId)?.decidedSource;
    const unparsed = proposal?.may_accept === 'when-confirmed' && isOpen(proposal);
    if (!proposal || (unparsed && !(await this._yesTo('accept', proposal)))) {
      return;
    }
    this._accept(cellId, source, { confirmed: unparsed });
    this.focusCell(cellId);
  }

  /** The second yes to a run that a blocking finding needs. */
  private async _agreed(proposal: FullProposal): Promise<boolean> {
    return proposal.may_run !== 'when-confirmed' || this._yesTo('run', proposal);
  }

  /** A second yes. It is given below the cell, where the no has the focus. */
  private async _yesTo(about: Doubtful, { cell_id: cellId }: FullProposal): Promise<boolean> {
    this._questions.get(cellId)?.answer(false);
    const answer = new Promise<boolean>(resolve => this._questions.set(cellId, { about, answer: resolve }));
    this._sync();
    // What JupyterLab does after a gesture (it goes to the next cell) comes first.
    window.requestAnimationFrame(() => {
      const index = this.panel.content.widgets.findIndex(cell => cellKey(cell.model.id) === cellId);
      this.panel.content.activeCellIndex = index < 0 ? this.panel.content.activeCellIndex : index;
      void this.panel.content.scrollToItem(index, 'smart').then(() => this._decorOf(cellId)?.focusQuestion());
    });
    return answer;
  }

  /** Keep a proposal. New Markdown is another cell from then on: it is shown rendered, and what was the active cell stays that. */
  private _accept(cellId: string, source?: string, how?: Yes): void {
    const { content } = this.panel;
    const active = content.activeCell?.model.id;
    this.session.accept(cellId, source, how);
    const index = content.widgets.findIndex(one => one.model.id === active);
    content.activeCellIndex = index < 0 ? content.activeCellIndex : index;
    const cell = this.cell(cellId);
    if (cell instanceof MarkdownCell) {
      cell.rendered = true;
    }
  }

  private _answer(cellId: string, yes: boolean): void {
    const question = this._questions.get(cellId);
    this._questions.delete(cellId);
    this.focusCell(cellId);
    this._sync();
    question?.answer(yes);
  }

  /**
   * Run a cell as a user would, and with `moveOn` go to the one below. Who types in the panel goes on typing there; and where a magic
   * in another cell asks for it, the active cell stays the one that the next Shift-Enter is meant for.
   */
  async execute(cellId: string, { moveOn }: { moveOn: boolean }): Promise<void> {
    const { content, sessionContext } = this.panel;
    const index = content.widgets.findIndex(cell => cellKey(cell.model.id) === cellId);
    if (index < 0) {
      return;
    }
    const cell = content.widgets[index];
    if (moveOn) {
      const next = Math.min(index + 1, content.widgets.length - 1);
      this._standing.carriedTo(cellKey(content.widgets[next].model.id));
      content.activeCellIndex = next;
      if (document.activeElement === document.body || this.panel.node.contains(document.activeElement)) {
        content.mode = 'command';
        content.activate();
      }
    }
    await NotebookActions.runCells(content, [cell], sessionContext);
  }

  /** Show a line, a finding's or an error's. */
  jump(cellId: string, { line: number, column = 0 }: Place): void {
    const cell = this.cell(cellId);
    const editor = cell?.editor;
    if (this._decorOf(cellId)?.reveal(number)) {
      return; // the finding is about the draft, which is in the diff
    }
    if (cell && editor) {
      this.panel.content.activeCellIndex = this.panel.content.widgets.indexOf(cell);
      const line = Math.min(number - 1, editor.lineCount - 1);
      editor.setCursorPosition({ line, column });
      editor.revealPosition({ line, column: 0 });
      viewOf(cell)?.focus();
    }
  }

  /** Give a cell the keyboard's focus, in command mode. */
  focusCell(cellId: string): void {
    const { content } = this.panel;
    const index = content.widgets.findIndex(cell => cellKey(cell.model.id) === cellId);
    if (index >= 0) {
      content.activeCellIndex = index;
      content.mode = 'command';
      content.activate();
      // JupyterLab leaves the focus alone where it is inside the cell; but a footer's button is about to go.
      content.widgets[index].node.focus({ preventScroll: true });
    }
  }

  /** Go to a cell: make it the active one, and show it with its footer. With `decide` the keyboard is at the footer. */
  async goTo(cellId: string, { decide = false }: { decide?: boolean } = {}): Promise<void> {
    this.focusCell(cellId);
    const { content } = this.panel;
    await content.scrollToItem(content.activeCellIndex, 'smart').catch(() => undefined); // disposed meanwhile
    this._sync(); // a cell far away has had no footer
    this._decorOf(cellId)?.show();
    if (decide) {
      this._decorOf(cellId)?.focus();
    }
  }

  /** Go to the diff of what is proposed for a cell. */
  async goToDiff(cellId: string): Promise<void> {
    await this.goTo(cellId);
    this._decorOf(cellId)?.focusDiff();
  }

  // --- keeping up ----------------------------------------------------------------------------------------------------------

  private _request(): void {
    this._frame ||= window.requestAnimationFrame(() => {
      this._frame = 0;
      this._sync();
    });
  }

  private _sync(): void {
    const turn = streamingTurn(this.session.store.state);
    if (turn && turn.id !== this._turn) {
      this._turn = turn.id;
      this._settling = true;
      if (turn.steers === null) {
        this._follower.restart();
      }
    }
    const { proposals } = this.session.store.state;
    for (const [cellId, { answer }] of this._questions) {
      const proposal = proposals.get(cellId);
      if (!proposal || !isOpen(proposal)) {
        this._questions.delete(cellId);
        answer(false);
      }
    }
    for (const proposal of proposals.values()) {
      const cell = isOpen(proposal) ? this.cell(proposal.cell_id) : null;
      if (cell) {
        this._decorate(cell);
      }
    }
    for (const [cell, decor] of this._decors) {
      if (cell.isDisposed) {
        decor.dispose();
        this._decors.delete(cell);
      } else {
        const proposal = proposals.get(cellKey(cell.model.id));
        decor.sync(proposal && isOpen(proposal) ? proposal : null);
      }
    }
    this._showEnd();
  }

  /** When a turn has ended, what is to be decided below its last cell is shown, as long as the checks still add to it. */
  private _showEnd(): void {
    const { state } = this.session.store;
    if (this._settling && turnOf(state, this._turn)?.outcome) {
      this._settling = proposalsOf(state, this._turn).some(proposal => proposal.inspecting || proposal.trying);
      this._follower.showEnd(cell => this._decors.get(cell)?.show());
    }
  }

  /** Marks may come with any cell, but looking at a thousand of them takes longer than a frame may: that is done now and then. */
  private _requestScan(): void {
    this._scanTimer ||= window.setTimeout(() => {
      this._scanTimer = 0;
      this.session.findStrays();
      for (const cell of this.panel.content.widgets) {
        if (!this._decors.has(cell) && cell.model.sharedModel.getMetadata(METADATA_KEY) !== undefined) {
          this._decorate(cell);
        }
      }
      this._request();
    }, SCAN);
  }

  private _decorate(cell: Cell): CellDecor {
    let decor = this._decors.get(cell);
    if (!decor) {
      decor = new CellDecor({
        cell,
        session: this.session,
        asks: () => this._questions.get(cellKey(cell.model.id))?.about ?? null,
        marks: () => this.settings.value.marks,
        language: () => this._language(cell),
        act: (action, allow) => void this.act(cellKey(cell.model.id), action, allow),
        jump: place => this.jump(cellKey(cell.model.id), place),
        keys: action => this._keys(`spark:${action}`)
      });
      this._decors.set(cell, decor);
    }
    return decor;
  }

  private _decorOf(cellId: string): CellDecor | undefined {
    const cell = this.cell(cellId);
    return cell ? this._decors.get(cell) : undefined;
  }

  private async _language(cell: Cell): Promise<Extension> {
    const mime = cell instanceof MarkdownCell ? 'text/x-ipythongfm' : this.panel.content.codeMimetype;
    return (await this.languages.getLanguage(mime))?.support ?? [];
  }
}
