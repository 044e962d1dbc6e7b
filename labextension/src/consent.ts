// Consent of the user: accepting and running proposals, with confirmation where needed.

import { Notification } from '@jupyterlab/apputils';
import { type Cell, MarkdownCell } from '@jupyterlab/cells';
import type { NotebookPanel } from '@jupyterlab/notebook';
import type { CellDecorations } from './cellDecorations';
import type { AcceptOptions } from './decisions';
import type { Confirmation } from './footer/footerModel';
import { isDecidable, isFree, isOpen, isSameText, isTakenBack, proposalsFor, wantsSecondYes } from './selectors';
import type { NotebookSession } from './notebookSession';
import { isProposed } from './proposalMark';
import { cellKey } from './sharedModel';
import type { FullProposal } from './state';
import { t } from './translation';

/** Milliseconds for which what a cell says of itself may be unknown: its document may be faster than its kernel. */
const PATIENCE = 4_000;

/** What is used of a notebook's view. */
interface View {
  readonly panel: NotebookPanel;
  readonly session: NotebookSession;
  cell(cellId: string): Cell | null;
  decorationsOf(cellId: string): CellDecorations | undefined;
  focusCell(cellId: string): void;
  /** Show below the cells what is so now. */
  sync(): void;
}

/** Who asks for the user's yes in one view of a notebook, and does what it allows. */
export class Consent {
  constructor(private readonly _view: View) {}

  dispose(): void {
    this._questions.forEach(({ answer }) => answer(false));
  }

  /** What of a cell's proposal a second yes is wanted for; null where it is not. */
  asks(cellId: string): Confirmation | null {
    return this._questions.get(cellId)?.about ?? null;
  }

  /** Nobody waits for the second yes to what is decided already, or has another text by now. */
  sync(): void {
    for (const [cellId, { stands, answer }] of this._questions) {
      if (!stands()) {
        this._questions.delete(cellId);
        answer(false);
      }
    }
  }

  /** The second yes, or no. */
  answer(cellId: string, yes: boolean): void {
    const question = this._questions.get(cellId);
    this._questions.delete(cellId);
    this._view.focusCell(cellId);
    this._view.sync();
    question?.answer(yes);
  }

  /** Keep one proposal; one that does not parse, only after a second yes. */
  async accept(cellId: string): Promise<void> {
    const proposal = this._current(cellId);
    const source = this._decided(cellId);
    const unparsed = proposal?.may_accept === 'when-confirmed' && isOpen(proposal);
    if (!proposal || (unparsed && !(await this._yesTo('accept', proposal, () => this._current(cellId))))) {
      return;
    }
    this._keep(cellId, source, { confirmed: unparsed });
    this._view.focusCell(cellId);
  }

  /**
   * Keep every proposal that waits, when every check has looked at it, with the changes of it that were not rejected one by one. What a
   * finding blocks, or what failed or surprised when it was tried, is left out.
   */
  async acceptAll(): Promise<void> {
    const { decisions, store } = this._session;
    const seen = new Map(decisions.waiting.map(proposal => [proposal.cell_id, proposal]));
    await Promise.all([...seen.keys()].map(cellId => decisions.inspected(cellId)));
    const waiting = decisions.waiting.filter(one => seen.has(one.cell_id));
    const whole = waiting.filter(one => isSameText(seen.get(one.cell_id), one));
    const left = whole.filter(one => !isFree(one));
    for (const { cell_id } of whole.filter(isFree)) {
      this._keep(cell_id, this._decided(cell_id));
    }
    if (whole.length < waiting.length) {
      this._sayChanged();
    }
    if (left.length > 0) {
      const which = left.length === 1 ? t('1 proposal was') : t('%1 proposals were', left.length);
      const message = t('%1 left out: blocked, failed or surprising.', which);
      store.dispatch({ type: 'Problem', code: 'left_out', message, remedy: t('Decide below the cell.') });
    }
  }

  /** Keep a proposal and run it, when every check has looked at it; where a finding blocks it, only after a second yes. */
  async run(cellId: string): Promise<void> {
    const { decisions } = this._session;
    const seen = this._current(cellId);
    await decisions.inspected(cellId);
    const proposal = this._current(cellId);
    if (proposal && seen && !isSameText(seen, proposal)) {
      this._sayChanged();
    } else if (proposal && (await this._agreed(proposal, () => this._current(cellId)))) {
      decisions.run(cellId, { confirmed: wantsSecondYes(proposal), source: this._decided(cellId) });
    }
  }

  /**
   * What must be settled before a cell is run, by whatever gesture; null where nothing must. A proposal that is run is accepted; one
   * that a finding blocks, only after a second yes. What is proposed for a cell of the user's own does not run before it is accepted.
   * The kernel has heard by then what was typed a moment ago: the cell may be `%spark revert`.
   */
  toRun(cell: Cell): (() => Promise<boolean>) | null {
    const cellId = cellKey(cell.model.id);
    const { decisions, store } = this._session;
    decisions.tellEdits();
    if (this._waitingText(cellId)) {
      return () => this._acceptToRun(cellId);
    }
    if (isProposed(cell.model.sharedModel) && proposalsFor(store.state, cellId).length === 0) {
      return () => this._toldOf(cell);
    }
    if (decisions.isUnconfirmed(cellId)) {
      return () => decisions.confirmed(cellId);
    }
    const edit = store.state.proposals.get(cellId);
    return edit && isDecidable(edit) ? () => this._sayWhatRan(cellId) : null;
  }

  /** The text of a new cell that nobody has decided on, also where an edit of it is proposed by now. */
  private _waitingText(cellId: string): FullProposal | null {
    return proposalsFor(this._session.store.state, cellId).find(one => one.kind === 'insert' && isOpen(one)) ?? null;
  }

  /** The kernel, or the notebook, is about to say what this cell is that waits for a decision. Where neither does, it is judged again. */
  private async _toldOf(cell: Cell): Promise<boolean> {
    const { recorder, store } = this._session;
    const cellId = cellKey(cell.model.id);
    await store.until(state => proposalsFor(state, cellId).length > 0, PATIENCE);
    if (proposalsFor(store.state, cellId).length === 0) {
      recorder.adopt([cell.model.sharedModel]);
    }
    const ask = this.toRun(cell);
    return ask === null || ask();
  }

  /** The cell's own text runs, and not the edit that waits: who expects the edit is told, and has it with a click. */
  private async _sayWhatRan(cellId: string): Promise<boolean> {
    const actions = [{ label: t('Accept and run'), callback: () => void this.run(cellId) }];
    Notification.info(t('The cell ran without the proposed edit.'), { autoClose: 8000, actions });
    return true;
  }

  private async _acceptToRun(cellId: string): Promise<boolean> {
    const { decisions } = this._session;
    await decisions.inspected(cellId);
    const proposal = this._waitingText(cellId);
    if (proposal?.state === 'streaming') {
      Notification.info(t('This cell is still being written, so it was not run. Wait, or stop it.'), { autoClose: 5000 });
      return false;
    }
    if (!proposal || isTakenBack(proposal) || !(await this._agreed(proposal, () => this._waitingText(cellId)))) {
      return false;
    }
    this._keep(cellId, undefined, { byRunning: true, turnId: proposal.turn_id });
    return decisions.confirmed(cellId);
  }

  /** The proposal that a cell is about now. */
  private _current(cellId: string): FullProposal | undefined {
    return this._session.store.state.proposals.get(cellId);
  }

  /** What was agreed to is not what would be done now: another client, such as an agent, may have proposed something else for that cell. */
  private _sayChanged(): void {
    const message = t('The proposal has changed since you decided, so nothing was done with it.');
    this._session.store.dispatch({ type: 'Problem', code: 'changed_meanwhile', message, remedy: t('Look at it, and decide again.') });
  }

  /** The second yes to a run that a blocking finding needs. `now` as in `_yesTo`. */
  private async _agreed(proposal: FullProposal, now: () => FullProposal | null | undefined): Promise<boolean> {
    return !wantsSecondYes(proposal) || this._yesTo('run', proposal, now);
  }

  /** A second yes, as long as what it is about is what `now` gives. It is given below the cell, where the no has the focus. */
  private async _yesTo(about: Confirmation, proposal: FullProposal, now: () => FullProposal | null | undefined): Promise<boolean> {
    const { cell_id: cellId } = proposal;
    const stands = () => {
      const found = now();
      return Boolean(found && isOpen(found) && isSameText(proposal, found));
    };
    this._questions.get(cellId)?.answer(false);
    const answer = new Promise<boolean>(resolve => this._questions.set(cellId, { about, stands, answer: resolve }));
    this._view.sync();
    // What JupyterLab does after a gesture (it goes to the next cell) comes first.
    window.requestAnimationFrame(() => {
      const { content } = this._view.panel;
      const index = content.widgets.findIndex(cell => cellKey(cell.model.id) === cellId);
      content.activeCellIndex = index < 0 ? content.activeCellIndex : index;
      void content.scrollToItem(index, 'smart').then(() => this._view.decorationsOf(cellId)?.focusQuestion());
    });
    return answer;
  }

  /** Keep a proposal. New Markdown is another cell from then on: it is shown rendered, and what was the active cell stays that. */
  private _keep(cellId: string, source?: string, how?: AcceptOptions): void {
    const { content } = this._view.panel;
    const active = content.activeCell?.model.id;
    this._session.decisions.accept(cellId, source, how);
    const index = content.widgets.findIndex(one => one.model.id === active);
    content.activeCellIndex = index < 0 ? content.activeCellIndex : index;
    const cell = this._view.cell(cellId);
    if (cell instanceof MarkdownCell) {
      cell.rendered = true;
    }
  }

  /** What an edited cell is to hold, with the changes that were not rejected one by one. */
  private _decided(cellId: string): string | undefined {
    return this._view.decorationsOf(cellId)?.decidedSource;
  }

  private get _session(): NotebookSession {
    return this._view.session;
  }

  /** Cells of which a second yes is wanted, and who waits for it. */
  private readonly _questions = new Map<string, { about: Confirmation; stands: () => boolean; answer: (yes: boolean) => void }>();
}
