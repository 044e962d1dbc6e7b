// Decorations of one cell: proposal footer, diff, provenance mark.

import type { Extension } from '@codemirror/state';
import { type Cell, MarkdownCell } from '@jupyterlab/cells';
import type { IDisposable } from '@lumino/disposable';
import { type PanelLayout, Widget } from '@lumino/widgets';
import { METADATA_KEY } from './constants';
import { DiffView } from './diffView';
import { editedPart } from './cellMagic';
import { type Confirmation, footerModel, type HunkAction, type Hunks } from './footer/footerModel';
import { type FooterOwner, ProposalFooter } from './footer/proposalFooter';
import { merge } from './threeWayMerge';
import { hasDiff, isDecidable } from './selectors';
import type { FullProposal } from './state';
import { markOf } from './provenance';
import type { NotebookSession } from './notebookSession';
import { t } from './translation';

/** Milliseconds without typing after which the mark says whether the cell was changed. */
const MARK_DELAY = 300;

/** Spark's additions to one cell. */
export class CellDecorations implements IDisposable {
  private _footer: ProposalFooter | null = null;
  private _diff: DiffView | null = null;
  private _mark: Widget | null = null;
  private _proposal: FullProposal | null = null;
  private _diffShown = true;
  private _diffLoading = false;
  private _focusesDiff = false;
  private _markTimer = 0;
  private _marked = '';
  private _disposed = false;

  constructor(private readonly _options: CellDecorations.IOptions) {
    const { sharedModel } = _options.cell.model;
    sharedModel.changed.connect(this._onCellChanged, this);
  }

  get isDisposed(): boolean {
    return this._disposed;
  }

  /** What an edit stands at after hunks were decided; undefined where none can have been. */
  get decidedSource(): string | undefined {
    return this._proposal && hasDiff(this._proposal) ? this._diff?.source : undefined;
  }

  /** Show what there is to show: a proposal, or the mark of an accepted one. */
  sync(proposal: FullProposal | null): void {
    if (this._disposed || this._options.cell.isDisposed || this._options.cell.isPlaceholder()) {
      void this._options.cell.ready.then(() => this.sync(this._proposal));
      this._proposal = proposal;
      return;
    }
    const before = this._proposal;
    this._proposal = proposal;
    this._syncDiff(proposal);
    this._syncFooter(proposal);
    this._syncMarkdown(before, proposal);
    this._requestMark();
  }

  toggleDiff(): void {
    this._diffShown = !this._diffShown;
    this.sync(this._proposal);
    if (this._diffShown) {
      this._diff?.focus();
    }
  }

  decideHunk(action: HunkAction): void {
    switch (action) {
      case 'next-hunk':
        return this._diff?.step(1);
      case 'previous-hunk':
        return this._diff?.step(-1);
      case 'accept-hunk':
        return this._diff?.acceptHunk();
      case 'reject-hunk':
        return this._diff?.rejectHunk();
    }
  }

  /** Whether the keyboard's focus is in the diff. */
  get diffFocused(): boolean {
    return this._diff?.node.contains(document.activeElement) ?? false;
  }

  /** What had the keyboard's focus before it came into the footer. */
  get focusedBefore(): Element | null {
    return this._footer?.focusedBefore ?? null;
  }

  /** Put the keyboard's focus on the diff, or else the footer. */
  focus(): void {
    if (this._diff && this._diffShown) {
      this._diff.focus();
    } else {
      this._footer?.focusFirst();
    }
  }

  /** Put the keyboard's focus on the diff, as soon as it is there. */
  focusDiff(): void {
    this._focusesDiff = this._diff === null;
    this._diff?.focus();
  }

  /** Bring the first line and the footer into view, scrolling as little as possible; where both find no room, the footer. */
  show(): void {
    this._options.cell.inputArea?.node.scrollIntoView({ block: 'nearest' });
    this._footer?.node.scrollIntoView({ block: 'nearest' });
  }

  /** Put the keyboard's focus on the question whether to run it all the same. */
  focusQuestion(): void {
    this._footer?.focusAction('dont-run');
  }

  /** Show a line (from 1) of what is proposed in the diff. False where no diff is shown. */
  reveal(line: number): boolean {
    if (!this._diff || !this._diffShown) {
      return false;
    }
    this._diff.reveal(line);
    return true;
  }

  dispose(): void {
    if (this._disposed) {
      return;
    }
    this._disposed = true;
    window.clearTimeout(this._markTimer);
    this._options.cell.model?.sharedModel?.changed.disconnect(this._onCellChanged, this);
    this._footer?.dispose();
    this._mark?.dispose();
    this._closeDiff();
  }

  // --- the footer ----------------------------------------------------------------------------------------------------------

  private _syncFooter(proposal: FullProposal | null): void {
    const { cell, session } = this._options;
    if (!proposal) {
      this._footer?.dispose();
      this._footer = null;
      delete cell.node.dataset.sparkState;
      return;
    }
    if (!this._footer) {
      this._footer = new ProposalFooter(this._options.footer);
      insertBelowInput(cell, this._footer);
    }
    cell.node.dataset.sparkState = proposal.state;
    const model = footerModel(session.store.state, proposal, this._hunks(proposal), () => this._standing(proposal), session.notebook, session.person);
    this._footer.showModel({ ...model, question: this._options.question() });
  }

  /** What would run now: what the cell holds, or what its edit stands at. */
  private _standing(proposal: FullProposal): string {
    return this.decidedSource ?? (hasDiff(proposal) ? proposal.source : this._options.cell.model.sharedModel.source);
  }

  private _hunks(proposal: FullProposal): Hunks | null {
    if (!hasDiff(proposal)) {
      return null;
    }
    const original = this._original(proposal);
    return {
      count: this._diff?.hunks ?? 0,
      current: this._diff?.current ?? 0,
      partly: this._diff?.partly ?? false,
      shown: this._diffShown && this._diff !== null,
      stale: original !== proposal.base,
      conflicts: merge(proposal.base, original, proposal.source).conflicts
    };
  }

  /** The user's own Markdown that is to be edited is shown as text, as what is proposed for it is. New Markdown is no Markdown cell yet. */
  private _syncMarkdown(before: FullProposal | null, proposal: FullProposal | null): void {
    const { cell } = this._options;
    if (cell instanceof MarkdownCell && (proposal || before)) {
      cell.rendered = proposal === null;
    }
  }

  // --- the diff ------------------------------------------------------------------------------------------------------------

  private _syncDiff(proposal: FullProposal | null): void {
    if (!proposal || !hasDiff(proposal)) {
      this._closeDiff();
      return;
    }
    if (!this._diff) {
      void this._openDiff();
      return;
    }
    this._diff.propose(proposal.source, isDecidable(proposal));
    this._diff.setHidden(!this._diffShown);
    this._options.cell.node.classList.toggle('spark-mod-diffed', this._diffShown);
  }

  /** What the draft is compared with. */
  private _original(proposal: FullProposal): string {
    return editedPart(this._options.cell.model.sharedModel.source, proposal.base);
  }

  private async _openDiff(): Promise<void> {
    if (this._diffLoading) {
      return;
    }
    this._diffLoading = true;
    const extensions = await this._options.language();
    this._diffLoading = false;
    const { cell } = this._options;
    const input = cell.inputArea;
    if (this._disposed || cell.isDisposed || !input || !this._proposal || !hasDiff(this._proposal)) {
      return;
    }
    const diff = new DiffView({ base: this._proposal.base, original: this._original(this._proposal), extensions, keys: this._options.footer.keys });
    this._diff = diff;
    (input.layout as PanelLayout).addWidget(diff);
    diff.changed.connect(() => this._syncFooter(this._proposal));
    diff.decideMode.connect(() => this._options.footer.act('accept'));
    this.sync(this._proposal);
    if (this._focusesDiff) {
      this.focusDiff();
    }
  }

  private _closeDiff(): void {
    if (this._diff) {
      this._diff.dispose();
      this._diff = null;
      this._diffShown = true;
      this._options.cell.node.classList.remove('spark-mod-diffed');
    }
  }

  private _onCellChanged(): void {
    const { cell } = this._options;
    if (this._proposal && isDecidable(this._proposal) && !cell.isDisposed && !cell.isPlaceholder()) {
      this._diff?.rebase(this._original(this._proposal));
      this._syncFooter(this._proposal);
    }
    this._requestMark();
  }

  // --- the mark ------------------------------------------------------------------------------------------------------------

  private _requestMark(): void {
    // What is on its way is not put off: while another cell is written there is always something new.
    this._markTimer ||= window.setTimeout(() => {
      this._markTimer = 0;
      this._syncMark();
    }, MARK_DELAY);
  }

  private _syncMark(): void {
    const { cell } = this._options;
    if (this._disposed || cell.isDisposed) {
      return;
    }
    const { sharedModel } = cell.model;
    const mark = this._proposal || !this._options.marks() ? null : markOf(sharedModel.getMetadata(METADATA_KEY), sharedModel.source);
    const key = JSON.stringify(mark);
    if (key === this._marked) {
      return;
    }
    this._marked = key;
    this._mark?.dispose();
    this._mark = null;
    if (mark) {
      this._mark = new Widget();
      this._mark.addClass('spark-Mark');
      this._mark.node.title = mark.details.join('\n');
      this._mark.node.dataset.changed = String(mark.changed);
      this._mark.node.textContent = mark.changed ? t('Written with Spark, edited since') : t('Written with Spark');
      insertBelowInput(cell, this._mark);
    }
  }
}

export namespace CellDecorations {
  export interface IOptions {
    readonly cell: Cell;
    readonly session: NotebookSession;
    /** The question that waits for an answer. */
    readonly question: () => Confirmation | null;
    /** Whether accepted cells are marked. */
    readonly marks: () => boolean;
    /** The language of the cell, for the diff. */
    readonly language: () => Promise<Extension>;
    readonly footer: FooterOwner;
  }
}

/** Put a widget between a cell's input and its output. */
export function insertBelowInput(cell: Cell, widget: Widget): void {
  const layout = cell.layout as PanelLayout;
  const input = layout.widgets.findIndex(child => child.hasClass('jp-Cell-inputWrapper'));
  layout.insertWidget(input + 1, widget);
}
