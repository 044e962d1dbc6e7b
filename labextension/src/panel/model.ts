// What the side panel shows and holds itself: the words not yet sent, and where they would go.

import { type ISignal, Signal } from '@lumino/signaling';
import { hasError } from '../cells';
import type { Target } from '../messages';
import { type State, streamingTurn } from '../model';
import type { Sessions } from '../sessions';
import { cellKey } from '../shared';
import type { NotebookView } from '../view';

/** Milliseconds between two renderings while a turn streams. */
const PACE = 100;
const DRAFTS_KEY = 'spark-jupyter:draft:';

/** Where the next message goes. */
export interface Destination {
  readonly kind: 'none' | 'steer' | 'edit' | 'new';
  /** The same in words. */
  readonly label: string;
  readonly target: Target;
}

/** The model of the side panel. It outlives the widget, which the user may move or close. */
export class PanelModel {
  private readonly _changed = new Signal<this, void>(this);
  private readonly _focusRequested = new Signal<this, void>(this);
  private _view: NotebookView | null = null;
  private _timer = 0;
  private _editing = false;

  constructor(readonly sessions: Sessions) {
    sessions.currentChanged.connect(() => this._connect());
    this._connect();
  }

  get changed(): ISignal<this, void> {
    return this._changed;
  }

  get focusRequested(): ISignal<this, void> {
    return this._focusRequested;
  }

  /** The notebook that the panel is about. */
  get view(): NotebookView | null {
    return this._view;
  }

  get state(): State | null {
    return this._view?.session.store.state ?? null;
  }

  /** Whether the next prompt edits the active cell. */
  get editing(): boolean {
    return this._editing;
  }

  set editing(value: boolean) {
    this._editing = value;
    this._changed.emit();
  }

  /** The words not yet sent; kept with the notebook's path over a reload. */
  get draft(): string {
    return window.sessionStorage.getItem(this._draftKey) ?? '';
  }

  set draft(text: string) {
    if (text) {
      window.sessionStorage.setItem(this._draftKey, text);
    } else {
      window.sessionStorage.removeItem(this._draftKey);
    }
    this._changed.emit();
  }

  /** Where the next message goes. */
  get destination(): Destination {
    const view = this._view;
    if (!view) {
      return { kind: 'none', label: 'Open a notebook to begin.', target: {} };
    }
    const name = view.session.context.localPath.split('/').at(-1) ?? '';
    const turn = streamingTurn(view.session.store.state);
    if (turn) {
      return { kind: 'steer', label: `Steers the answer that is being written in ${name}`, target: {} };
    }
    const { activeCell, activeCellIndex } = view.panel.content;
    if (!activeCell) {
      return { kind: 'new', label: `New cells at the end of ${name}`, target: {} };
    }
    const id = cellKey(activeCell.model.id);
    const where = `cell ${activeCellIndex + 1} of ${name}`;
    const source = activeCell.model.sharedModel.source;
    if (this._editing && source.trim()) {
      return { kind: 'edit', label: `Edits ${where}; nothing changes before you accept`, target: { edit: id } };
    }
    if (!source.trim() && activeCell.model.type === 'code') {
      return { kind: 'new', label: `Written into the empty ${where}`, target: { after: id, reuse: id } };
    }
    return { kind: 'new', label: `New cells below ${where}`, target: { after: id } };
  }

  /** Whether the active cell's output holds an error. */
  get canFix(): boolean {
    const cell = this._view?.panel.content.activeCell;
    return !!cell && hasError(cell.model.sharedModel);
  }

  /** Send the draft to where it goes. */
  send(): void {
    const text = this.draft.trim();
    const { kind, target } = this.destination;
    const session = this._view?.session;
    if (!text || !session) {
      return;
    }
    this.draft = '';
    if (kind === 'steer') {
      void session.steer(text);
    } else {
      void session.prompt(text, { target, intent: kind === 'edit' ? 'edit' : 'generate' });
      this.editing = false;
    }
  }

  /** Have the prompt box focused. */
  focus(): void {
    this._focusRequested.emit();
  }

  private get _draftKey(): string {
    return DRAFTS_KEY + (this._view?.session.context.path ?? '');
  }

  private _connect(): void {
    const view = this.sessions.current;
    if (view !== this._view) {
      const before = this._view;
      before?.session.store.changed.disconnect(this._later, this);
      before?.session.transport.statusChanged.disconnect(this._now, this);
      before?.panel.content.activeCellChanged.disconnect(this._now, this);
      this._view = view;
      view?.session.store.changed.connect(this._later, this);
      view?.session.transport.statusChanged.connect(this._now, this);
      view?.panel.content.activeCellChanged.connect(this._now, this);
    }
    this._now();
  }

  private _now(): void {
    this._changed.emit();
  }

  private _later(): void {
    this._timer ||= window.setTimeout(() => {
      this._timer = 0;
      this._changed.emit();
    }, PACE);
  }
}
