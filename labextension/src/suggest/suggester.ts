// Connects editors, state machine and kernel for suggestions.

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
import { SuggestionAnnouncer } from './suggestionAnnouncer';
import { SuggestionMachine, type Move, type Request, type Shown } from './suggestionMachine';
import { choiceFor } from './storedChoices';
import { moveOf, situationIn, watchKeys } from './editorCursor';
import { ghostIn, ghostText, showGhost } from './ghostText';
import { ghostKeys } from './ghostKeys';
import { SuggestionMeter } from './suggestionMeter';
import { type Decision, decideMode, modeIn, type Where, type Wishes } from './suggestionMode';
import { type Part, partOf } from './partialAccept';
import { complete, type SuggestionHost } from './suggestionHosts';
import type { Situation } from './cursorContext';
import { t } from '../translation';

/** Where the focus may go without ending a suggestion: its commands are there. */
const PALETTE = '.lm-CommandPalette';

/** Milliseconds for which the end of a cell that runs is waited for, before it is asked what comes next. */
const RUN = 500;

const SWITCHED_OFF = t('Autocomplete is off here. Turn it on in the Spark panel or in the settings.');
const NO_CONSOLE = t('Spark suggests in a Python file that has a console: right-click in it, Create Console for Editor.');
const NOTHING = t('Spark has no suggestion here.');

/** What the suggester finds out from others. */
export interface Surface {
  /** Where a cell is; null: nowhere where suggestions are made. */
  hostOf(cell: ISharedCell): SuggestionHost | null;
  /** Whether it is the text of a Python file. */
  isFile(cell: ISharedCell): boolean;
  /** The provider whose suggestions JupyterLab's own inline completer shows; null: none does. */
  readonly otherProvider: string | null;
}

/** The editor in which the user is. */
interface ActiveEditor {
  readonly view: EditorView;
  readonly cell: ISharedCell;
  readonly host: SuggestionHost;
}

/** All of the page's ghost text. There is at most one. */
export class Suggester {
  readonly meter = new SuggestionMeter();
  private readonly _machine = new SuggestionMachine({
    newId: () => newId('s'),
    now: () => performance.now(),
    ask: request => this._send(request),
    drop: id => this._drop(id),
    show: shown => this._show(shown),
    wake: milliseconds => this._wake(milliseconds),
    mayAsk: () => !this.isSpent,
    explainNothing: problem => this._excuse(problem)
  });
  private readonly _announcer = new SuggestionAnnouncer();
  private readonly _changed = new Signal<this, void>(this);
  private readonly _heard = new WeakSet<Transport>();
  private _active: ActiveEditor | null = null;
  private _timer = 0;
  /** Whether the user is in a Python file without a kernel. */
  private _isUnserved = false;
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
    if (this._active) {
      this._look(this._active.view, this._active.cell, 'moved');
    }
  }

  /** What the editor of a cell needs. */
  extensionFor(cell: ISharedCell): Extension {
    const again = (view: EditorView, move: Move) => void window.setTimeout(() => view.hasFocus && this._look(view, cell, move));
    return [
      ghostText(),
      ghostKeys(this._commands),
      watchKeys(view => this._active?.view === view && this._look(view, cell, 'moved')),
      EditorView.updateListener.of(update => this._onUpdate(update, cell)),
      EditorView.domEventHandlers({
        compositionstart: (_, view) => this._leave(view),
        compositionend: (_, view) => again(view, 'typed')
      })
    ];
  }

  /** A cell of that place has run. What is shown already stays: somebody may be reading it. */
  ran(host: SuggestionHost): void {
    host.ran();
    if (this._active?.host === host && this._active.view.hasFocus && !this.isShown) {
      this._look(this._active.view, this._active.cell, 'entered');
    }
  }

  /** How suggestions stand in a place, and what the user chose for it; with `surface` false wherever they are shown. */
  decisionFor(host: SuggestionHost, { surface = true }: { surface?: boolean } = {}): Decision {
    const wishes = this._wishes(host);
    return decideMode(surface ? wishes : { ...wishes, other: null });
  }

  /** Whether as many were asked for today as the settings allow. */
  get isSpent(): boolean {
    const { suggestionsPerDay: most } = this._settings.value;
    return most > 0 && this.meter.requestsToday >= most;
  }

  // --- by a key ------------------------------------------------------------------------------------------------------------

  /** Whether a suggestion is shown. */
  get isShown(): boolean {
    return this._active !== null && ghostIn(this._active.view.state) !== null;
  }

  /** Ask for one, and for another one where one is shown. */
  ask(): void {
    const active = this._active;
    if (!active) {
      this._isUnserved && this._excuse(NO_CONSOLE);
      return;
    }
    const { mode, why } = this.decisionFor(active.host);
    if (mode === 'off') {
      this._excuse(why || SWITCHED_OFF);
      return;
    }
    const situation = situationIn(active.view, active.cell, active.host);
    if (situation) {
      this._since = performance.now();
      this._machine.request(situation);
    }
  }

  /** Take a part of what is shown. */
  accept(part: Part): void {
    const ghost = this._active && ghostIn(this._active.view.state);
    if (this._active && ghost) {
      const { cell, view } = this._active;
      const text = partOf(ghost.text, part);
      this._machine.accepted();
      this.meter.accepted(this._machine.shown?.id ?? '', text, () => (cell.isDisposed ? null : cell.source));
      view.focus();
      take(view, cell, text);
    }
  }

  /** Show a newer or an older one. */
  step(by: 1 | -1): void {
    this._since = performance.now();
    this._machine.step(by);
  }

  hide(): void {
    this._machine.hide();
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
    const host = this._settings.value.hidden ? null : this._surface.hostOf(cell);
    if (this._active && this._active.view !== view) {
      this._leave(this._active.view);
    }
    this._isUnserved = !host && this._surface.isFile(cell);
    if (!host) {
      this._leave(view);
      this._active = this._isUnserved ? null : this._active;
      return;
    }
    this._listen(host.transport);
    this._active = { view, cell, host };
    this._since = performance.now();
    const mode = modeIn(whereIs(cell, host), this._wishes(host));
    const wait = move === 'entered' && host.isRunning ? RUN : 0;
    const now: Situation | null = mode === 'off' ? null : situationIn(view, cell, host);
    this._machine.cursorMoved(now, move, this._since, { asks: mode === 'on' && host.transport.status === 'ready', wait });
  }

  private _leave(view: EditorView): void {
    if (this._active?.view === view) {
      this._machine.cursorMoved(null, 'moved', performance.now(), { asks: false });
    }
    showGhost(view, null);
  }

  private _wishes(host: SuggestionHost): Wishes {
    const { suggestions, suggestIn } = this._settings.value;
    const here = host.path ? choiceFor(host.path) : null;
    return { suggestions, suggestIn, here, notebook: host.says, other: this._surface.otherProvider, kernel: host.transport.suggestions };
  }

  // --- what the kernel says ------------------------------------------------------------------------------------------------

  private _listen(transport: Transport): void {
    if (!this._heard.has(transport)) {
      this._heard.add(transport);
      transport.received.connect((_, events) => this._onEvents(events));
      transport.statusChanged.connect(() => this._asked?.transport === transport && !transport.mayAnswer && this._machine.lost());
    }
  }

  private _onEvents(events: readonly Event[]): void {
    for (const event of events) {
      if (event.type === 'Completed') {
        this.meter.ended(event);
        this._machine.completed(event);
      } else if (event.type === 'Hello') {
        this.update(); // the kernel may make suggestions no longer, or again
      }
    }
  }

  // --- what the asker wants ------------------------------------------------------------------------------------------------

  private _send({ id, situation, byKey, otherThan }: Request): void {
    const active = this._active;
    if (!active) {
      return;
    }
    const { transport } = active.host;
    this._listen(transport); // a console may have another way to its kernel by now
    this._asked = { id, transport };
    this.meter.asked(id, this._since);
    const { before, after } = situation;
    complete(active.host, active.cell, { completion_id: id, before, after, asked: byKey, other_than: otherThan });
  }

  private _drop(id: string): void {
    if (this._asked?.id === id && this._asked.transport.status === 'ready') {
      this._asked.transport.ask({ type: 'DropCompletion', completion_id: id });
    }
    this._asked = null;
  }

  private _show(shown: Shown | null): void {
    if (this._active) {
      const { suggestTab } = this._settings.value;
      showGhost(this._active.view, shown && { text: shown.text, mends: shown.mends, tab: suggestTab });
    }
    this._announcer.announce(shown?.text ?? '');
    this.meter.shown(shown);
  }

  private _wake(milliseconds: number | null): void {
    window.clearTimeout(this._timer);
    if (milliseconds !== null) {
      this._timer = window.setTimeout(() => this._machine.timerFired(), milliseconds);
    }
  }

  private _excuse(problem: string): void {
    Notification.info(problem || NOTHING, { autoClose: 3000 });
  }
}

function whereIs(cell: ISharedCell, host: SuggestionHost): Where {
  return cell.cell_type === 'markdown' ? 'markdown' : host.kind === 'console' ? 'console' : 'code';
}
