// What Spark shows inside one view of a notebook: footers, diffs and marks at the cells, and the tail that is followed.

import { Dialog, showDialog } from '@jupyterlab/apputils';
import { type Cell, MarkdownCell } from '@jupyterlab/cells';
import type { IEditorLanguageRegistry } from '@jupyterlab/codemirror';
import { type NotebookPanel, NotebookActions } from '@jupyterlab/notebook';
import type { Extension } from '@codemirror/state';
import type { IDisposable } from '@lumino/disposable';
import { Signal } from '@lumino/signaling';
import { Widget } from '@lumino/widgets';
import { METADATA_KEY } from './constants';
import { CellDecor } from './decor';
import { h } from './dom';
import { TailFollower, viewOf } from './follow';
import type { Finding, Permission } from './messages';
import { blocks, decidable, type FullProposal, isOpen, streamingTurn } from './model';
import type { Action, Place } from './proposal';
import type { NotebookSession } from './session';
import type { SettingsModel } from './settings';
import { cellKey, isNamed } from './shared';

/** Milliseconds between two looks at all cells. */
const SCAN = 300;

/** One NotebookPanel with Spark in it. */
export class NotebookView implements IDisposable {
  private readonly _follower: TailFollower;
  private readonly _decors = new Map<Cell, CellDecor>();
  private _frame = 0;
  private _scanTimer = 0;
  private _turn = '';
  private _disposed = false;

  constructor(
    readonly panel: NotebookPanel,
    readonly session: NotebookSession,
    private readonly languages: IEditorLanguageRegistry,
    private readonly settings: SettingsModel
  ) {
    this._follower = new TailFollower(panel);
    session.store.changed.connect(this._request, this);
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
        this.session.accept(cellId, decor?.decidedSource);
        return this.focusCell(cellId);
      case 'reject':
        return this.session.reject(cellId);
      case 'run':
        return this.run(cellId);
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

  /** Keep every proposal that waits, with the changes of it that were not rejected one by one. */
  acceptAll(): void {
    for (const { cell_id } of decidable(this.session.store.state)) {
      this.session.accept(cell_id, this._decorOf(cell_id)?.decidedSource);
    }
  }

  /** Keep a proposal and run it, when every check has looked at it; where a finding blocks it, only after a second yes. */
  async run(cellId: string): Promise<void> {
    await this.session.inspected(cellId);
    const proposal = this.session.store.state.proposals.get(cellId);
    if (!proposal) {
      return;
    }
    const blocked = proposal.may_run === 'when-confirmed';
    if (!blocked || (await confirmed(proposal.findings.filter(blocks)))) {
      this.session.run(cellId, { confirmed: blocked, source: this._decorOf(cellId)?.decidedSource });
    }
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
      content.activeCellIndex = Math.min(index + 1, content.widgets.length - 1);
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

  /** Give the footer of a cell the keyboard's focus. */
  focusFooter(cellId: string): void {
    this._decorOf(cellId)?.focus();
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
      if (turn.steers === null) {
        this._follower.restart();
      }
    }
    const { proposals } = this.session.store.state;
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
  }

  /** Marks may come with any cell, but looking at a thousand of them takes longer than a frame may: that is done now and then. */
  private _requestScan(): void {
    this._scanTimer ||= window.setTimeout(() => {
      this._scanTimer = 0;
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
        marks: () => this.settings.value.marks,
        language: () => this._language(cell),
        act: (action, allow) => void this.act(cellKey(cell.model.id), action, allow),
        jump: place => this.jump(cellKey(cell.model.id), place)
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

/** The second yes. Cancel has the focus. */
async function confirmed(reasons: readonly Finding[]): Promise<boolean> {
  const list = h('ul', {}, ...reasons.map(one => h('li', {}, `Line ${one.line}: ${one.message}${one.remedy ? ` ${one.remedy}` : ''}`)));
  const body = new Widget({ node: h('div', {}, h('p', {}, 'The guardrail blocks this cell:'), list) });
  const result = await showDialog({
    title: 'Run it all the same?',
    body,
    buttons: [Dialog.cancelButton({ label: 'Don’t run' }), Dialog.warnButton({ label: 'Run it' })],
    defaultButton: 0
  });
  return result.button.accept;
}
