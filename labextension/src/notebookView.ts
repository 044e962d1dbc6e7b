// Spark's parts in one notebook view: footers, diffs, scrolling, actions.

import { Notification } from '@jupyterlab/apputils';
import { type Cell, MarkdownCell } from '@jupyterlab/cells';
import type { IEditorLanguageRegistry } from '@jupyterlab/codemirror';
import { type NotebookPanel, NotebookActions } from '@jupyterlab/notebook';
import type { Extension } from '@codemirror/state';
import type { IDisposable } from '@lumino/disposable';
import { Signal } from '@lumino/signaling';
import { CONTINUE, FIX_PROPOSAL, METADATA_KEY } from './constants';
import { Consent } from './consent';
import { CellDecorations } from './cellDecorations';
import { TailFollower, viewOf } from './tailFollower';
import type { Permission, Target } from './messages';
import { isDecidable, isOpen, isTakenBack, proposalsOf, streamingTurn, turnOf } from './selectors';
import type { FullProposal, FullTurn } from './state';
import { nameOf } from './cellName';
import type { LinePlace } from './footer/findingList';
import { type Action, commandOf, suggestedAction } from './footer/footerModel';
import { InsertionPoint } from './insertionPoint';
import type { NotebookSession, PromptOptions } from './notebookSession';
import { figureOf, look } from './promptImages';
import { ProposalBar } from './proposalBar';
import { ReaderPainter } from './readerPainter';
import { Refinements } from './refinements';
import type { SettingsModel } from './settings';
import { cellKey, find, isNamed } from './sharedModel';
import { TextOverlay } from './textOverlay';
import { t } from './translation';

/** Milliseconds between two looks at what stands around text that streams: each costs the page a layout. */
const PACE = 100;
/** Milliseconds between two looks at all cells. */
const SCAN = 300;

/** One NotebookPanel with Spark in it. */
export class NotebookView implements IDisposable {
  /** What the user agrees to. */
  readonly consent = new Consent(this);
  private readonly _follower: TailFollower;
  private readonly _overlay: TextOverlay;
  private readonly _refinements: Refinements;
  private readonly _bar: ProposalBar;
  private readonly _decorations = new Map<Cell, CellDecorations>();
  /** A prompt was sent from this view, by whatever button. */
  readonly asked = new Signal<this, void>(this);
  private readonly _insertionPoint = new InsertionPoint();
  private _frame = 0;
  private _timer = 0;
  private _synced = 0;
  private _scanTimer = 0;
  private _turn = '';
  /** Whether the last turn goes on, or is still looked at: until then its end is kept in sight. */
  private _settling = false;
  private _disposed = false;

  constructor(
    readonly panel: NotebookPanel,
    readonly session: NotebookSession,
    private readonly languages: IEditorLanguageRegistry,
    private readonly settings: SettingsModel,
    /** The shortcut of a command, empty where it has none. */
    private readonly _keys: (command: string) => string = () => ''
  ) {
    this._follower = new TailFollower(panel, () => this._overlay.height);
    session.store.changed.connect(this._request, this);
    session.turnBegan.connect(this._begin, this);
    panel.content.activeCellChanged.connect(() => this._insertionPoint.wentTo(this.activeCellId, this._answeredBy(['insert', 'edit'])), this);
    panel.content.modelContentChanged.connect(this._request, this);
    panel.content.modelContentChanged.connect(this._requestScan, this);
    this._overlay = new TextOverlay(panel, cellId => this.cell(cellId), () => session.writer.flush(), () => this._follower.followOn());
    session.writer.painters.add(this._overlay);
    const reader = new ReaderPainter(session.notebook, this._overlay);
    // When what goes on now has ended: an editor that tells of a change can't be changed yet.
    const paint = () => queueMicrotask(() => this._disposed || reader.update(session.store.state, performance.now()));
    session.store.changed.connect(paint, this);
    panel.content.modelContentChanged.connect(paint, this);
    session.writer.grown.connect((_, { cellId, tail }) => {
      const cell = this.cell(cellId);
      if (cell && this.settings.value.follow) {
        this._follower.follow(cell, tail, session.writer.slow);
      }
    }, this);
    settings.changed.connect(this._request, this);
    this._refinements = new Refinements(this);
    this._bar = new ProposalBar(this);
    panel.disposed.connect(() => this.dispose());
    this._begin(session, streamingTurn(session.store.state));
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
    this.consent.dispose();
    this._refinements.dispose();
    this._bar.dispose();
    window.cancelAnimationFrame(this._frame);
    window.clearTimeout(this._timer);
    window.clearTimeout(this._scanTimer);
    this.session.store.changed.disconnect(this._request, this);
    this.settings.changed.disconnect(this._request, this);
    this._follower.dispose();
    this.session.writer.painters.delete(this._overlay);
    this._overlay.dispose();
    this._decorations.forEach(decor => decor.dispose());
    this._decorations.clear();
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
    const below = this._insertionPoint.next(this._answeredBy(['insert']), cell => find(this.session.notebook, cell) !== null);
    return below !== this.activeCellId ? below : null;
  }

  /** Send a prompt from where the user is. */
  async prompt(text: string, options: PromptOptions & { readonly target: Target }): Promise<void> {
    const active = this.activeCellId;
    this._insertionPoint.asked(active, options.target.edit ?? options.target.after ?? null);
    const begun = this.session.prompt(text, { ...options, active });
    this.asked.emit(); // who hears of it sees that something was asked
    await begun;
  }

  /** The cells of the last answer that are in the notebook, in its order: those that it inserted, or those that it edits. */
  private _answeredBy(kinds: readonly FullProposal['kind'][]): readonly string[] {
    const { state } = this.session.store;
    const standing = proposalsOf(state, state.turns.at(-1)?.id ?? '').filter(proposal => kinds.includes(proposal.kind) && !isTakenBack(proposal));
    const cells = new Set(standing.map(proposal => proposal.cell_id));
    return this.session.notebook.cells.map(cell => cellKey(cell.id)).filter(id => cells.has(id));
  }

  /** The proposal that a command without a cell means: the active cell's, or the first that waits. */
  get targetProposal(): FullProposal | null {
    const { proposals } = this.session.store.state;
    const active = proposals.get(this.activeCellId ?? '');
    return active && isOpen(active) ? active : [...proposals.values()].find(one => isOpen(one) && this.cell(one.cell_id)) ?? null;
  }

  /** What the state of that proposal suggests to do. */
  get primaryAction(): Action | null {
    const target = this.targetProposal;
    return target && suggestedAction(this.session.store.state, target);
  }

  /** The shortcut of an action, empty where it has none. */
  keysOf(action: Action | 'deepen'): string {
    return this._keys(commandOf(action));
  }

  /** Do what a footer's button or a command says to a cell's proposal. */
  async act(cellId: string, action: Action, allow?: readonly Permission[]): Promise<void> {
    const decor = this.decorationsOf(cellId);
    switch (action) {
      case 'accept':
        return this.consent.accept(cellId);
      case 'continue':
        return this._continue(cellId);
      case 'fix':
        return this.prompt(FIX_PROPOSAL, { target: { edit: cellId }, intent: 'fix' });
      case 'reject':
        this.focusCell(cellId);
        return this.session.decisions.reject(cellId);
      case 'run':
        return this.consent.run(cellId);
      case 'run-anyway':
      case 'dont-run':
        return this.consent.answer(cellId, action === 'run-anyway');
      case 'try':
        return this.session.decisions.tryOut(cellId, { source: decor?.decidedSource, allow });
      case 'cancel-try':
        return this.session.decisions.cancelTry(cellId);
      case 'stop':
        return this.session.cancel();
      case 'diff':
        return this._toggleDiff(cellId);
      default:
        decor?.decideHunk(action);
    }
  }

  /** Have a model look at the figure that a cell's Try drew. */
  private async _look(cellId: string): Promise<void> {
    const trial = this.session.store.state.trials.get(cellId);
    await look(this, trial ? figureOf(trial) : null);
  }

  /** Show or hide the difference. Who was in it is at its cell when it has gone. */
  private _toggleDiff(cellId: string): void {
    const decor = this.decorationsOf(cellId);
    const focused = decor?.diffFocused ?? false;
    decor?.toggleDiff();
    if (focused) {
      this.focusCell(cellId);
    }
  }

  /**
   * Leave what stands below the active cell, as one leaves a prompt: a question is answered with no, what runs there is stopped, and
   * where neither is so, the focus goes back to the cell, into its editor if it came from there.
   */
  leaveFooter(): void {
    const cellId = this.activeCellId ?? '';
    const { state } = this.session.store;
    const proposal = state.proposals.get(cellId);
    if (this.consent.asks(cellId)) {
      this.consent.answer(cellId, false);
    } else if (proposal?.state === 'streaming' && !state.stopping.has(proposal.turn_id)) {
      this.session.cancel();
    } else if (proposal?.trying || state.trying.has(cellId)) {
      this.session.decisions.cancelTry(cellId);
    } else {
      const before = this.decorationsOf(cellId)?.focusedBefore ?? null;
      this.focusCell(cellId);
      if (this.cell(cellId)?.editorWidget?.node.contains(before)) {
        this.panel.content.mode = 'edit';
      }
    }
  }

  /** Have a cell written on: by its own answer, where the provider cut that and nobody has decided on it, else as an edit. */
  private _continue(cellId: string): Promise<void> {
    const { state } = this.session.store;
    const turn = state.turns.at(-1);
    const cells = proposalsOf(state, turn?.id ?? '');
    const goesOn = turn?.may_go_on && cells.at(-1)?.cell_id === cellId && cells.every(isDecidable);
    return goesOn ? this.session.resume() : this.prompt(CONTINUE, { target: { edit: cellId }, intent: 'edit' });
  }

  /** What must be settled before the active cell is run, see `Consent.toRun`. */
  consentOfActive(): (() => Promise<boolean>) | null {
    const { activeCell } = this.panel.content;
    return activeCell && this.consent.toRun(activeCell);
  }

  /**
   * Run a cell as a user would, and with `moveOn` go to the one below. Who types in the panel goes on typing there; and where a magic
   * in another cell asks for it, the active cell stays the one that the next Shift-Enter is meant for. Whether it ran well.
   */
  async execute(cellId: string, { moveOn }: { moveOn: boolean }): Promise<boolean> {
    const { content, sessionContext } = this.panel;
    const index = content.widgets.findIndex(cell => cellKey(cell.model.id) === cellId);
    if (index < 0) {
      return false;
    }
    const cell = content.widgets[index];
    if (moveOn) {
      const next = Math.min(index + 1, content.widgets.length - 1);
      this._insertionPoint.carriedTo(cellKey(content.widgets[next].model.id));
      content.activeCellIndex = next;
      if (document.activeElement === document.body || this.panel.node.contains(document.activeElement)) {
        content.mode = 'command';
        content.activate();
      }
    }
    return NotebookActions.runCells(content, [cell], sessionContext);
  }

  /** Show a line, a finding's or an error's. */
  jump(cellId: string, { line: number, column = 0 }: LinePlace): void {
    const cell = this.cell(cellId);
    const editor = cell?.editor;
    if (this.decorationsOf(cellId)?.reveal(number)) {
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
    if (!this.cell(cellId)) {
      return void Notification.info(t('That cell is not in the notebook as it is open here.'), { autoClose: 5000 });
    }
    this.focusCell(cellId);
    const { content } = this.panel;
    await content.scrollToItem(content.activeCellIndex, 'smart').catch(() => undefined); // disposed meanwhile
    this.sync(); // a cell far away has had no footer
    this.decorationsOf(cellId)?.show();
    if (decide) {
      this.decorationsOf(cellId)?.focus();
    }
  }

  /** Go to the next open proposal below the active cell, or with -1 to the one above; at the end, to the first. */
  async stepProposal(by: 1 | -1): Promise<void> {
    const { cells } = this.session.notebook;
    const places = this.session.decisions.waiting.map(({ cell_id }) => cells.findIndex(cell => cellKey(cell.id) === cell_id)).sort((a, b) => a - b);
    const here = this.panel.content.activeCellIndex;
    const next = by === 1 ? (places.find(place => place > here) ?? places[0]) : (places.findLast(place => place < here) ?? places.at(-1));
    if (next !== undefined) {
      await this.goTo(cellKey(cells[next].id));
    }
  }

  /** Go to the diff of what is proposed for a cell. */
  async goToDiff(cellId: string): Promise<void> {
    await this.goTo(cellId);
    this.decorationsOf(cellId)?.focusDiff();
  }

  // --- keeping up ----------------------------------------------------------------------------------------------------------

  private _request(): void {
    const early = streamingTurn(this.session.store.state) ? this._synced + PACE - performance.now() : 0;
    if (early > 0) {
      this._timer ||= window.setTimeout(() => {
        this._timer = 0;
        this._request();
      }, early);
      return;
    }
    this._frame ||= window.requestAnimationFrame(now => {
      this._frame = 0;
      this._synced = now;
      this.sync();
    });
  }

  /** Show what is so now. */
  sync(): void {
    this.consent.sync();
    const { proposals } = this.session.store.state;
    for (const proposal of proposals.values()) {
      const cell = isOpen(proposal) ? this.cell(proposal.cell_id) : null;
      if (cell) {
        this._decorate(cell);
      }
    }
    for (const [cell, decor] of this._decorations) {
      if (cell.isDisposed) {
        decor.dispose();
        this._decorations.delete(cell);
      } else {
        const proposal = proposals.get(cellKey(cell.model.id));
        decor.sync(proposal && isOpen(proposal) ? proposal : null);
      }
    }
    this._showEnd();
    this._bar.sync();
  }

  /** A turn begins: it is followed, however soon it ends. The cell that it edits is shown, where it is out of view. */
  private _begin(_: NotebookSession, turn: FullTurn | null): void {
    if (!turn || turn.id === this._turn) {
      return;
    }
    this._turn = turn.id;
    this._settling = true;
    if (turn.steers === null) {
      this._follower.restart(this.settings.value.follow ? this.cell(turn.target.edit ?? '') : null);
    }
  }

  /** When a turn has ended, its last new cell, or its first edit, is shown with what is to be decided, as long as the checks add to it. */
  private _showEnd(): void {
    const { state } = this.session.store;
    if (this._settling && turnOf(state, this._turn)?.outcome) {
      const made = proposalsOf(state, this._turn);
      this._settling = made.some(proposal => proposal.inspecting || proposal.trying);
      void this._follower.showEnd(cell => this._decorations.get(cell)?.show(), this.settings.value.follow ? this.cell(made.find(isOpen)?.cell_id ?? '') : null);
    }
  }

  /** Marks may come with any cell, but looking at a thousand of them takes longer than a frame may: that is done now and then. */
  private _requestScan(): void {
    this._scanTimer ||= window.setTimeout(() => {
      this._scanTimer = 0;
      this.session.adoptUnknownProposals();
      for (const cell of this.panel.content.widgets) {
        if (!this._decorations.has(cell) && cell.model.sharedModel.getMetadata(METADATA_KEY) !== undefined) {
          this._decorate(cell);
        }
      }
      this._request();
    }, SCAN);
  }

  private _decorate(cell: Cell): CellDecorations {
    let decor = this._decorations.get(cell);
    if (!decor) {
      decor = new CellDecorations({
        cell,
        session: this.session,
        question: () => this.consent.asks(cellKey(cell.model.id)),
        marks: () => this.settings.value.marks,
        language: () => this._language(cell),
        footer: {
          act: (action, allow) => void this.act(cellKey(cell.model.id), action, allow),
          jump: place => this.jump(cellKey(cell.model.id), place),
          keys: action => this.keysOf(action),
          look: () => void this._look(cellKey(cell.model.id)),
          cells: { name: cellId => nameOf(this.cell(cellId)?.model.sharedModel.source ?? ''), go: cellId => void this.goTo(cellId) }
        }
      });
      this._decorations.set(cell, decor);
    }
    return decor;
  }

  /** What is shown at a cell; undefined where nothing is. */
  decorationsOf(cellId: string): CellDecorations | undefined {
    const cell = this.cell(cellId);
    return cell ? this._decorations.get(cell) : undefined;
  }

  private async _language(cell: Cell): Promise<Extension> {
    const mime = cell instanceof MarkdownCell ? 'text/x-ipythongfm' : this.panel.content.codeMimetype;
    return (await this.languages.getLanguage(mime))?.support ?? [];
  }
}
