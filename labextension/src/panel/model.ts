// What the side panel shows and holds itself: the words not yet sent, and where they would go.

import type { Cell } from '@jupyterlab/cells';
import { type ISignal, Signal } from '@lumino/signaling';
import { runsByItself, setRunsByItself } from '../autorun';
import { hasError } from '../cells';
import type { Attempts, Target } from '../messages';
import { EMPTY, type State, streamingTurn } from '../model';
import type { Sessions } from '../sessions';
import { cellKey, indexOf } from '../shared';
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

/** What the panel says about attempts. */
export interface Race {
  readonly count: number;
  readonly check: string;
  /** How often a failing one is told why and writes again. */
  readonly rounds: number;
}

/** The model of the side panel. It outlives the widget, which the user may move or close. */
export class PanelModel {
  private readonly _changed = new Signal<this, void>(this);
  private readonly _focusRequested = new Signal<this, void>(this);
  private _view: NotebookView | null = null;
  private _cell: Cell | null = null;
  private _timer = 0;
  private _editing = false;
  private _focusWanted = false;
  private _returned: string | null = null;
  private _sending: symbol | null = null;
  private _race: Race = { count: 1, check: '', rounds: 0 };

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

  /** Whether new cells of this notebook run by themselves. */
  get autoRun(): boolean {
    return this._view !== null && runsByItself(this._view.session);
  }

  set autoRun(value: boolean) {
    if (this._view) {
      setRunsByItself(this._view.session, value);
      this._changed.emit();
    }
  }

  /** How many answers the next prompt is to have, and what they must pass. */
  get race(): Race {
    return this._race;
  }

  set race(race: Race) {
    this._race = race;
    this._changed.emit();
  }

  /** The words not yet sent; kept with the notebook's path over a reload. */
  get draft(): string {
    return window.sessionStorage.getItem(draftKey(this._view)) ?? '';
  }

  set draft(text: string) {
    keepDraft(this._view, text);
    this._changed.emit();
  }

  /** Whether the draft is on its way: the kernel is being asked for Spark, or is busy. */
  get sending(): boolean {
    return this._sending !== null;
  }

  /** What was asked and is not being answered yet: on its way to the kernel, or there. */
  get pending(): string | null {
    if (this._sending) {
      return this.draft.trim();
    }
    const { asked, stopping } = this.state ?? EMPTY;
    return asked && !stopping.has(asked.turn_id) ? asked.prompt : null;
  }

  /** Whether there is somebody who could take a message, now or after being woken. */
  get canSend(): boolean {
    const status = this._view?.session.transport.status;
    return status !== undefined && status !== 'no-kernel' && status !== 'unsupported' && status !== 'offline';
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
    const below = view.placeBelow;
    if (below !== null) {
      const number = indexOf(view.session.notebook, below) + 1;
      return { kind: 'new', label: `New cells below cell ${number} of ${name}, after the last answer`, target: { after: below } };
    }
    return { kind: 'new', label: `New cells below ${where}`, target: { after: id } };
  }

  /** Whether the active cell's output holds an error that a new turn could be asked to fix. */
  get canFix(): boolean {
    return this._cell !== null && !this._cell.isDisposed && hasError(this._cell.model.sharedModel) && !this._isStreaming;
  }

  /** Send the draft to where it goes. Where nobody takes it, it stays in the box, and the panel says why. */
  async send(): Promise<void> {
    const text = this.draft.trim();
    const { kind, target } = this.destination;
    const view = this._view;
    if (!text || !view || this._sending || !this.canSend) {
      return;
    }
    const { session } = view;
    const sending = (this._sending = Symbol('sending'));
    this._now();
    await session.transport.attach({ load: true });
    const taken = kind !== 'steer' || streamingTurn(session.store.state) !== null;
    const given = taken && this._sending === sending && session.transport.status === 'ready';
    this._sending = this._sending === sending ? null : this._sending;
    if (given) {
      keepDraft(view, '');
      this._editing = false;
      await (kind === 'steer' ? session.steer(text) : view.prompt(text, { target, intent: kind === 'edit' ? 'edit' : 'generate', attempts: wish(this._race) }));
    }
    this._now();
  }

  /** Have the error of the active cell fixed. */
  async fix(): Promise<void> {
    const view = this._view;
    if (view && this.canFix) {
      await view.prompt('Fix the error in this cell.', { target: { edit: view.activeCellId }, intent: 'fix' });
    }
  }

  /** Have the active cell explained. */
  async explain(): Promise<void> {
    const view = this._view;
    if (view?.activeCellId) {
      await view.prompt('Explain this cell.', { target: { after: view.activeCellId }, intent: 'explain' });
    }
  }

  /** Stop what goes on: the sending of the draft, or the turn that streams. */
  stop(): void {
    if (this._sending) {
      this._sending = null;
      this._now();
    } else {
      this._view?.session.cancel();
    }
  }

  /** Have the prompt box focused: after what a button that was pressed does with the focus, and also where the box is yet to be shown. */
  focus(): void {
    window.setTimeout(() => {
      this._focusWanted = true;
      this._focusRequested.emit();
    });
  }

  /** Whether the prompt box is to take the focus, asked by the box. */
  takeFocusWish(): boolean {
    const wanted = this._focusWanted;
    this._focusWanted = false;
    return wanted;
  }

  private get _isStreaming(): boolean {
    return this.state !== null && streamingTurn(this.state) !== null;
  }

  private _connect(): void {
    const view = this.sessions.current;
    if (view !== this._view) {
      const before = this._view;
      before?.session.store.changed.disconnect(this._onStore, this);
      before?.session.transport.statusChanged.disconnect(this._now, this);
      before?.panel.content?.activeCellChanged.disconnect(this._onActiveCell, this);
      this._view = view;
      this._sending = null;
      this._returned = view?.session.store.state.returned ?? null;
      view?.session.store.changed.connect(this._onStore, this);
      view?.session.transport.statusChanged.connect(this._now, this);
      view?.panel.content.activeCellChanged.connect(this._onActiveCell, this);
    }
    this._onActiveCell();
  }

  /** Words that were refused come back into the box, unless others stand there. */
  private _onStore(): void {
    const returned = this.state?.returned ?? null;
    if (returned !== this._returned) {
      this._returned = returned;
      if (returned !== null && !this.draft) {
        keepDraft(this._view, returned);
      }
    }
    this._later();
  }

  /** What stands in the active cell, and whether it failed, decides what can be asked for. */
  private _onActiveCell(): void {
    this._cell?.model?.sharedModel.changed.disconnect(this._later, this);
    this._cell = this._view?.panel.content?.activeCell ?? null;
    this._cell?.model.sharedModel.changed.connect(this._later, this);
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

/** With one attempt nothing races, and what was said about checks rests. */
function wish({ count, check, rounds }: Race): Attempts {
  return count > 1 ? { count, checks: check.trim() ? [check.trim()] : [], until_green: rounds } : {};
}

function draftKey(view: NotebookView | null): string {
  return DRAFTS_KEY + (view?.session.context.path ?? '');
}

function keepDraft(view: NotebookView | null, text: string): void {
  if (text) {
    window.sessionStorage.setItem(draftKey(view), text);
  } else {
    window.sessionStorage.removeItem(draftKey(view));
  }
}
