// Next edits of one notebook: detected, shown and accepted with Tab.

import type { Text } from '@codemirror/state';
import type { EditorView } from '@codemirror/view';
import type { ISharedCell } from '@jupyter/ydoc';
import type { IDisposable } from '@lumino/disposable';
import { newId } from '../ids';
import type { ByModel } from '../settings';
import type { Edited, Event } from '../messages';
import { isDecidable, isFree, proposalsOf, turnOf } from '../selectors';
import type { FullProposal } from '../state';
import type { NotebookSession } from '../notebookSession';
import { cellKey, find, suggestionsMetadata } from '../sharedModel';
import type { NotebookView } from '../notebookView';
import { showMarks } from './editMarks';
import { changedRanges, isFresh, label, type Offer, offerOf, plain } from './editOffer';
import { t } from '../translation';

/** Milliseconds without a key after which it is asked what should follow. */
const PAUSE = 400;

/** Milliseconds for which the turn of an offer that was taken is waited for. */
const PATIENCE = 10_000;

/** Where next edits stand: an edit is made; something is offered; it is shown as a turn's proposals. */
export class NextEdits implements IDisposable {
  private readonly _editors = new Map<EditorView, ISharedCell>();
  private _edit: Edited | null = null;
  /** The user has left the cell since: what is typed next is another edit. */
  private _isSettled = true;
  private _silenced = false;
  private _asked = '';
  private _offer: Offer | null = null;
  private _turn: string | null = null;
  private _timer = 0;
  /** The edits that waited for a decision when the state changed last. */
  private _waited: ReadonlySet<string> = new Set();
  private _disposed = false;

  constructor(
    readonly session: NotebookSession,
    private readonly _isOn: () => boolean,
    private readonly _byModel: () => ByModel,
    private readonly _announce: (text: string) => void
  ) {
    session.transport.received.connect(this._onEvents, this);
    session.notebook.changed.connect(this.changed, this);
    session.store.changed.connect(this._onStore, this);
  }

  get isDisposed(): boolean {
    return this._disposed;
  }

  dispose(): void {
    if (!this._disposed) {
      this._disposed = true;
      window.clearTimeout(this._timer);
      this.session.transport.received.disconnect(this._onEvents, this);
      this.session.notebook.changed.disconnect(this.changed, this);
      this.session.store.changed.disconnect(this._onStore, this);
      this._editors.clear();
    }
  }

  /** What is offered, and nobody has taken or silenced. */
  get offer(): Offer | null {
    return this._offer;
  }

  /** Whether what was offered is shown as proposals, and waits. */
  get isShown(): boolean {
    return this._turn !== null;
  }

  /** An editor of a cell is there. */
  add(view: EditorView, cell: ISharedCell): void {
    this._editors.set(view, cell);
    window.setTimeout(() => this._offer && this._mark(view, cell));
  }

  /** It is gone. */
  remove(view: EditorView): void {
    this._editors.delete(view);
  }

  /** The user has typed in a cell, which held `before`: each key says so, and only the first is asked for the text. */
  typed(cell: ISharedCell, before: Text): void {
    const cell_id = cellKey(cell.id);
    if (this._isSettled || this._edit?.cell_id !== cell_id) {
      this._edit = { cell_id, before: before.toString() };
      this._isSettled = false;
      this._silenced = false;
    }
    this._askLater();
  }

  /** An edit that a model proposed, as a fix, was accepted in a cell, which held `before`. */
  accepted(cell_id: string, before: string): void {
    this._edit = { cell_id, before };
    this._isSettled = true;
    this._silenced = false;
    this._askLater();
  }

  /** The user has left the cell, or has run it. */
  left(): void {
    this._isSettled = true;
  }

  /** Cells may have gone, or a text has changed by other means than typing: what was offered for them is stale. */
  changed(): void {
    if (this._offer && !this._isFresh(this._offer)) {
      this._drop();
    }
  }

  /** Show what is offered where it would be; or take it, where it is shown. */
  async take(view: NotebookView): Promise<void> {
    if (this._turn !== null) {
      await this._accept(view, this._turn);
    } else if (this._offer && this._edit && this._isFresh(this._offer)) {
      await this._show(view, this._offer, this._edit);
    } else {
      this._drop();
    }
  }

  /** Offer nothing more for this edit; what is shown is rejected. */
  hide(view: NotebookView): void {
    this._silenced = true;
    this._drop();
    const turn = this._turn;
    if (turn !== null) {
      this._setTurn(null);
      this._waiting(turn).forEach(cellId => this.session.decisions.reject(cellId));
      this._back(view);
    }
  }

  // --- inside --------------------------------------------------------------------------------------------------------------

  private _askLater(): void {
    this._drop();
    window.clearTimeout(this._timer);
    this._timer = window.setTimeout(() => this._ask(), PAUSE);
  }

  private _ask(): void {
    const { session, _edit: edit } = this;
    const source = edit && this._sourceOf(edit.cell_id);
    const isEdit = edit !== null && edit.before.trim() !== '' && source !== undefined && source !== edit.before;
    const isByHand = suggestionsMetadata(session.notebook) === 'off'; // whoever wrote the notebook wants it so
    if (!isEdit || this._silenced || !this._isOn() || isByHand || !session.isWriter || session.transport.status !== 'ready') {
      return;
    }
    this._asked = newId('n');
    const cells = session.notebook.cells
      .filter(cell => cell.cell_type === 'code')
      .map(cell => ({ id: cellKey(cell.id), source: cell.source }));
    void session.transport.send({ type: 'FindNextEdits', offer_id: this._asked, edited: edit, cells, by_model: this._byModel() });
  }

  private _onEvents(_: unknown, events: readonly Event[]): void {
    const said = events.findLast(event => event.type === 'NextEdits');
    if (said?.type !== 'NextEdits' || said.offer_id !== this._asked || this._silenced) {
      return;
    }
    const offer = offerOf(said);
    if (offer && this._isFresh(offer)) {
      this._offer = offer;
      this._announce(`${label(offer, this._edit?.cell_id ?? '')}.`);
      this._markAll();
    }
  }

  private _isFresh(offer: Offer): boolean {
    return isFresh(offer, cellId => this._sourceOf(cellId));
  }

  private _sourceOf(cellId: string): string | undefined {
    return find(this.session.notebook, cellId)?.source;
  }

  /** An edit was accepted; what is shown may be decided by other means. */
  private _onStore(): void {
    const before = this._waited;
    const { all, turns } = this.session.store.state;
    const edits = all.filter(one => one.kind === 'edit' && turns.find(turn => turn.id === one.turn_id)?.intent !== 'refactor');
    this._waited = new Set(edits.filter(isDecidable).map(nameOf));
    const accepted = edits.findLast(one => one.state === 'accepted' && before.has(nameOf(one)));
    if (accepted) {
      this.accepted(accepted.cell_id, accepted.base);
    }
    const turn = this._turn === null ? undefined : turnOf(this.session.store.state, this._turn);
    if (turn?.outcome && this._turn !== null && this._waiting(this._turn).length === 0) {
      this._setTurn(null);
    }
  }

  private async _show(view: NotebookView, offer: Offer, edit: Edited): Promise<void> {
    const { session } = this;
    const { store } = session;
    this._drop();
    const follows: Edited = offer.byModel ? { ...edit, offered: offer.edits } : edit;
    const id = await session.prompt(plain(offer.words), { intent: 'refactor', follows, active: edit.cell_id });
    await store.until(state => Boolean(turnOf(state, id)?.outcome) || state.asked?.turn_id !== id, PATIENCE);
    const waiting = this._waiting(id);
    if (waiting.length > 0) {
      this._setTurn(id);
      const first = offer.edits.map(one => one.cell_id).find(cellId => waiting.includes(cellId)) ?? waiting[0];
      await view.goToDiff(first);
      this._announce(t('This is what would change. Tab takes it, Escape rejects it.'));
    }
  }

  /** All of it, but for what a finding blocks: that waits for the user's own decision. */
  private async _accept(view: NotebookView, turn: string): Promise<void> {
    await Promise.all(this._waiting(turn).map(cellId => this.session.decisions.inspected(cellId)));
    const { state } = this.session.store;
    const free = proposalsOf(state, turn).filter(one => isDecidable(one) && isFree(one));
    free.forEach(one => this.session.decisions.accept(one.cell_id));
    this._setTurn(null);
    this._isSettled = true;
    this._back(view);
  }

  private _waiting(turn: string): string[] {
    return proposalsOf(this.session.store.state, turn).filter(isDecidable).map(one => one.cell_id);
  }

  private _setTurn(turn: string | null): void {
    this._turn = turn;
    this.shownChanged(turn !== null);
  }

  /** Called when what was offered is shown as proposals, or is no longer. */
  shownChanged: (isShown: boolean) => void = () => undefined;

  /** The keyboard's focus goes back to where the edit was made. */
  private _back(view: NotebookView): void {
    if (this._edit && find(this.session.notebook, this._edit.cell_id)) {
      view.focusCell(this._edit.cell_id);
      view.panel.content.mode = 'edit';
    }
  }

  private _drop(): void {
    this._asked = '';
    if (this._offer) {
      this._offer = null;
      this._announce('');
      this._markAll();
    }
  }

  /** Not in the midst of an editor's own update. */
  private _markAll(): void {
    window.setTimeout(() => this._editors.forEach((cell, view) => this._mark(view, cell)));
  }

  private _mark(view: EditorView, cell: ISharedCell): void {
    const cellId = cellKey(cell.id);
    const target = this._offer?.edits.find(edit => edit.cell_id === cellId);
    const isHere = this._offer !== null && this._edit?.cell_id === cellId;
    const ranges = target ? changedRanges(cell.source, target.source) : [];
    const hint = this._offer && isHere ? label(this._offer, cellId) : '';
    showMarks(view, target || isHere ? { ranges, hint } : null);
  }
}

function nameOf({ turn_id, cell_id }: FullProposal): string {
  return `${turn_id}/${cell_id}`;
}
