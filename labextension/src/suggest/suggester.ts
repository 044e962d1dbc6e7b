// Suggestions in the editors of this page: what the user does there goes to the asker; what it wants goes to the kernel and the screen.

import { Notification } from '@jupyterlab/apputils';
import type { Extension } from '@codemirror/state';
import { EditorView, type ViewUpdate } from '@codemirror/view';
import type { ISharedCell } from '@jupyter/ydoc';
import type { CommandRegistry } from '@lumino/commands';
import { type ISignal, Signal } from '@lumino/signaling';
import { newId } from '../ids';
import type { Event } from '../messages';
import type { SettingsModel } from '../settings';
import type { Transport } from '../transport';
import { take } from './acceptSuggestion';
import { Announcer } from './suggestionAnnouncer';
import { Asker, type Move, type Request, type Shown } from './suggestionMachine';
import { choiceFor } from './storedChoices';
import { moveOf, situationIn, watchKeys } from './editorCursor';
import { ghostIn, ghostText, showGhost } from './ghostText';
import { ghostKeys } from './ghostKeys';
import { Meter } from './suggestionMeter';
import { type Decision, decided, decidedIn, type Where, type Wishes } from './suggestionMode';
import { type Part, partOf } from './partialAccept';
import { complete, type Place } from './suggestionHosts';
import type { Situation } from './cursorContext';

/** Where the focus may go without ending a suggestion: its commands are there. */
const PALETTE = '.lm-CommandPalette';

/** Milliseconds for which the end of a cell that runs is waited for, before it is asked what comes next. */
const RUN = 500;

const SWITCHED_OFF = 'Suggestions are switched off here. The Spark panel and the settings switch them on.';
const NOTHING = 'Spark has nothing to suggest here.';

/** What the suggester finds out from others. */
export interface Surface {
  /** Where a cell is; null: nowhere where suggestions are made. */
  placeOf(cell: ISharedCell): Place | null;
  /** The provider whose suggestions JupyterLab's own inline completer shows; null: none does. */
  readonly otherProvider: string | null;
}

/** The editor in which the user is. */
interface Desk {
  readonly view: EditorView;
  readonly cell: ISharedCell;
  readonly place: Place;
}

/** All of the page's ghost text. There is at most one. */
export class Suggester {
  readonly meter = new Meter();
  private readonly _asker = new Asker({
    newId: () => newId('s'),
    now: () => performance.now(),
    ask: request => this._send(request),
    drop: id => this._drop(id),
    show: shown => this._show(shown),
    wake: milliseconds => this._wake(milliseconds),
    excuse: problem => this._excuse(problem)
  });
  private readonly _announcer = new Announcer();
  private readonly _changed = new Signal<this, void>(this);
  private readonly _heard = new WeakSet<Transport>();
  private _desk: Desk | null = null;
  private _timer = 0;
  /** When the user did what is asked for next, as `performance.now`. */
  private _since = 0;
  /** The request under way, and where it went. */
  private _asked: { readonly id: string; readonly transport: Transport } | null = null;

  constructor(
    private readonly _settings: SettingsModel,
    private readonly _surface: Surface,
    private readonly _commands: CommandRegistry
  ) {
    _settings.changed.connect(() => this.update());
  }

  /** What is said of suggestions elsewhere may be another now. */
  get changed(): ISignal<this, void> {
    return this._changed;
  }

  /** A choice was made, or another provider was switched on or off. */
  update(): void {
    this._changed.emit();
    if (this._desk) {
      this._look(this._desk.view, this._desk.cell, 'moved');
    }
  }

  /** What the editor of a cell needs. */
  extensionFor(cell: ISharedCell): Extension {
    const again = (view: EditorView, move: Move) => void window.setTimeout(() => view.hasFocus && this._look(view, cell, move));
    return [
      ghostText(),
      ghostKeys(this._commands),
      watchKeys(view => this._desk?.view === view && this._look(view, cell, 'moved')),
      EditorView.updateListener.of(update => this._onUpdate(update, cell)),
      EditorView.domEventHandlers({
        compositionstart: (_, view) => this._leave(view),
        compositionend: (_, view) => again(view, 'typed')
      })
    ];
  }

  /** A cell of that place has run. What is shown already stays: somebody may be reading it. */
  ran(place: Place): void {
    place.ran();
    if (this._desk?.place === place && this._desk.view.hasFocus && !this.isShown) {
      this._look(this._desk.view, this._desk.cell, 'entered');
    }
  }

  /** How suggestions stand in a place, and what the user chose for it; with `surface` false wherever they are shown. */
  decisionFor(place: Place, { surface = true }: { surface?: boolean } = {}): Decision {
    const wishes = this._wishes(place);
    return decided(surface ? wishes : { ...wishes, other: null });
  }

  // --- by a key ------------------------------------------------------------------------------------------------------------

  /** Whether a suggestion is shown. */
  get isShown(): boolean {
    return this._desk !== null && ghostIn(this._desk.view.state) !== null;
  }

  /** Ask for one, and for another one where one is shown. */
  ask(): void {
    const desk = this._desk;
    if (!desk) {
      return;
    }
    const { mode, why } = this.decisionFor(desk.place);
    if (mode === 'off') {
      this._excuse(why || SWITCHED_OFF);
      return;
    }
    const situation = situationIn(desk.view, desk.cell, desk.place);
    if (situation) {
      this._since = performance.now();
      this._asker.askNow(situation);
    }
  }

  /** Take a part of what is shown. */
  accept(part: Part): void {
    const ghost = this._desk && ghostIn(this._desk.view.state);
    if (this._desk && ghost) {
      const { cell, view } = this._desk;
      const text = partOf(ghost.text, part);
      this.meter.accepted(this._asker.shown?.id ?? '', text, () => (cell.isDisposed ? null : cell.source));
      view.focus();
      take(view, cell, text);
    }
  }

  /** Show a newer or an older one. */
  step(by: 1 | -1): void {
    this._since = performance.now();
    this._asker.step(by);
  }

  hide(): void {
    this._asker.hide();
  }

  // --- what the user does --------------------------------------------------------------------------------------------------

  private _onUpdate(update: ViewUpdate, cell: ISharedCell): void {
    const { view } = update;
    const move = moveOf(update);
    if (move === null) {
      return;
    }
    if (view.hasFocus) {
      this._look(view, cell, move);
    } else if (update.focusChanged) {
      window.setTimeout(() => document.activeElement?.closest(PALETTE) || this._leave(view));
    } else {
      this._leave(view);
    }
  }

  private _look(view: EditorView, cell: ISharedCell, move: Move): void {
    const place = this._settings.value.hidden ? null : this._surface.placeOf(cell);
    if (this._desk && this._desk.view !== view) {
      this._leave(this._desk.view);
    }
    if (!place) {
      this._leave(view);
      return;
    }
    this._listen(place.transport);
    this._desk = { view, cell, place };
    this._since = performance.now();
    const mode = decidedIn(whereIs(cell, place), this._wishes(place));
    const wait = move === 'entered' && place.isRunning ? RUN : 0;
    const now: Situation | null = mode === 'off' ? null : situationIn(view, cell, place);
    this._asker.went(now, move, this._since, { asks: mode === 'on' && place.transport.status === 'ready', wait });
  }

  private _leave(view: EditorView): void {
    if (this._desk?.view === view) {
      this._asker.went(null, 'moved', performance.now(), { asks: false });
    }
    showGhost(view, null);
  }

  private _wishes(place: Place): Wishes {
    const { suggestions, suggestIn } = this._settings.value;
    const here = place.path ? choiceFor(place.path) : null;
    return { suggestions, suggestIn, here, notebook: place.says, other: this._surface.otherProvider, kernel: place.transport.suggestions };
  }

  // --- what the kernel says ------------------------------------------------------------------------------------------------

  private _listen(transport: Transport): void {
    if (!this._heard.has(transport)) {
      this._heard.add(transport);
      transport.received.connect((_, events) => this._onEvents(events));
      transport.statusChanged.connect(() => this._asked?.transport === transport && !transport.mayAnswer && this._asker.lost());
    }
  }

  private _onEvents(events: readonly Event[]): void {
    for (const event of events) {
      if (event.type === 'Completed') {
        this.meter.ended(event);
        this._asker.completed(event);
      } else if (event.type === 'Hello') {
        this.update(); // the kernel may make suggestions no longer, or again
      }
    }
  }

  // --- what the asker wants ------------------------------------------------------------------------------------------------

  private _send({ id, situation, byKey, otherThan }: Request): void {
    const desk = this._desk;
    if (!desk) {
      return;
    }
    const { transport } = desk.place;
    this._asked = { id, transport };
    this.meter.asked(id, this._since);
    const { before, after } = situation;
    complete(desk.place, desk.cell, { completion_id: id, before, after, asked: byKey, other_than: otherThan });
  }

  private _drop(id: string): void {
    if (this._asked?.id === id && this._asked.transport.status === 'ready') {
      this._asked.transport.ask({ type: 'DropCompletion', completion_id: id });
    }
    this._asked = null;
  }

  private _show(shown: Shown | null): void {
    if (this._desk) {
      const { suggestTab } = this._settings.value;
      showGhost(this._desk.view, shown && { text: shown.text, mends: shown.mends, tab: suggestTab });
    }
    this._announcer.announce(shown?.text ?? '');
    this.meter.shown(shown);
  }

  private _wake(milliseconds: number | null): void {
    window.clearTimeout(this._timer);
    if (milliseconds !== null) {
      this._timer = window.setTimeout(() => this._asker.woken(), milliseconds);
    }
  }

  private _excuse(problem: string): void {
    Notification.info(problem || NOTHING, { autoClose: 3000 });
  }
}

function whereIs(cell: ISharedCell, place: Place): Where {
  return cell.cell_type === 'markdown' ? 'markdown' : place.kind === 'console' ? 'console' : 'code';
}
