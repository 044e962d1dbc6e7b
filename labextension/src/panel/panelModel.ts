// Model of the side panel: draft, destination, options, actions.

import type { Cell } from '@jupyterlab/cells';
import { type ISignal, Signal } from '@lumino/signaling';
import { runsByItself, setRunsByItself } from '../autoRun';
import { draftsOn, switchDrafts } from '../draft/draftChoice';
import { hasCheck, hasError } from '../notebookCells';
import { askedLast, conversationTurns, isDecidable, proposalsOf, streamingTurn } from '../selectors';
import { EMPTY, type FullTurn, type State } from '../state';
import type { BeginDeep, Image } from '../messages';
import type { Sessions } from '../sessions';
import type { SettingsModel } from '../settings';
import { find } from '../sharedModel';
import type { NotebookView } from '../notebookView';
import { ConversationBrowser } from './conversationBrowser';
import { QuickPrompts } from './quickPrompts';
import { FocusWish } from './focusWish';
import { PromptCompletions } from './promptCompletions';
import { draftOf, keepDraft } from './draftStorage';
import { type Destination, destinationOf, NO_WISHES } from './destination';
import { mayShowImages, namedFigure, PromptImages } from '../promptImages';
import { PromptHistory } from './promptHistory';
import { TimelineModel } from './timelineModel';
import { getReady, give, type PlainPrompt, plainPrompt, typedIn } from './promptDelivery';
import { comparedIn, NO_RACE, type Race, resolveInput } from './resolveInput';
import { placeOf, type Rewind, RewindModel } from './rewindModel';
import type { CommandActions } from './slashCommands';
import { NO_NAMES } from '../voice/recogniser';
import { VoiceModel } from '../voice/voiceModel';
import { t } from '../translation';

/** Milliseconds between two renderings while a turn streams. */
const PACE = 100;

export type Within = NonNullable<BeginDeep['within']>;

/** The model of the side panel. It outlives the widget, which the user may move or close. */
export class PanelModel implements CommandActions {
  private readonly _changed = new Signal<this, void>(this);
  private _view: NotebookView | null = null;
  private _cell: Cell | null = null;
  private _timer = 0;
  private _editing = false;
  private _connecting = false;
  private _deep = false;
  private _within: Within = '';
  private _returned: string | null = null;
  private _sending: symbol | null = null;
  private _race = NO_RACE;
  private readonly _histories = new WeakMap<object, PromptHistory>();
  /** What the prompt box offers while one types. */
  readonly completions = new PromptCompletions();
  private readonly _images = new PromptImages();
  /** The conversations that are kept. */
  readonly browser = new ConversationBrowser(() => this._view?.session ?? null, () => this._now());
  /** The kernel's moments. */
  readonly timeline = new TimelineModel(() => this._view?.session ?? null, () => this._now());
  readonly rewinds = new RewindModel(this.timeline, () => this.state ?? EMPTY, () => this._now());
  readonly focusWish = new FocusWish();
  /** Prompts that need no words. */
  readonly quick = new QuickPrompts(this);
  readonly voice: VoiceModel;
  /** The draft of a prompt that `isSent` still, when it is whole: it is the answer. Empty where there is none. */
  takeDraft: (view: NotebookView, prompt: PlainPrompt, isSent: () => boolean) => Promise<string> = () => Promise.resolve('');

  constructor(
    readonly sessions: Sessions,
    readonly settings: SettingsModel,
    execute: (command: string) => void
  ) {
    this.voice = new VoiceModel(this, { execute, engine: () => settings.value.voice, names: async () => (await this._view?.session.mentions.spokenNames()) ?? NO_NAMES });
    sessions.currentChanged.connect(() => this._connect());
    settings.changed.connect(() => this._changed.emit());
    [this.completions.changed, this._images.changed, this.voice.changed].forEach(changed => changed.connect(() => this._now()));
    this._connect();
  }

  get changed(): ISignal<this, void> {
    return this._changed;
  }

  /** What was typed for this notebook before. */
  get history(): PromptHistory {
    const key = this._view ?? this;
    const history = this._histories.get(key) ?? new PromptHistory();
    this._histories.set(key, history);
    return history;
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

  /** Whether prompts begin deep work. */
  get deep(): boolean {
    return this._deep;
  }

  set deep(value: boolean) {
    this._deep = value;
    this._changed.emit();
  }

  /** How long each answer of the next deep work may take, at a lower price; empty: it comes at once. */
  get within(): Within {
    return (this.state?.hello?.deep?.windows ?? []).includes(this._within) ? this._within : '';
  }

  set within(value: Within) {
    this._within = value;
    this._changed.emit();
  }

  /** Whether the form that connects a model is open. */
  get connecting(): boolean {
    return this._connecting;
  }

  set connecting(value: boolean) {
    this._connecting = value;
    if (value) {
      this._view?.session.providers.list(this.settings.value);
    }
    this._changed.emit();
  }

  /** Let who stands in the settings answer in this notebook. */
  followSettings(): void {
    this._view?.session.providers.follow(this.settings.value);
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

  /** Whether code is drafted for what is typed in this notebook. */
  get drafts(): boolean {
    return draftsOn(this._view?.session);
  }

  set drafts(value: boolean) {
    this._view && switchDrafts(this._view.session, value);
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
    return draftOf(this._view);
  }

  set draft(text: string) {
    keepDraft(this._view, text);
    this._changed.emit();
  }

  /** The images that go along with the draft: those that were put there, and the figure that it names. */
  get images(): readonly Image[] {
    const figure = namedFigure(this._view, this.draft);
    return [...this._images.of(this._view), ...(figure ? [figure] : [])];
  }

  /** Put images with the draft. */
  addImages(files: readonly File[]): void {
    if (this._view) {
      void this._images.add(this._view, files);
    }
  }

  removeImage(image: Image): void {
    if (this._view) {
      this._images.remove(this._view, image);
    }
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
    const destination = this._destination(false);
    return this.rewind && destination.kind === 'new' ? { ...destination, label: t('Where this prompt’s cells went') } : destination;
  }

  /** Whether the active cell's output holds an error that a new turn could be asked to fix. */
  get canFix(): boolean {
    return this._cell !== null && !this._cell.isDisposed && hasError(this._cell.model.sharedModel) && !this.isStreaming;
  }

  /** Whether the active cell is a check that failed. */
  get failedCheck(): boolean {
    return this.canFix && this._cell !== null && hasCheck(this._cell.model.sharedModel);
  }

  /**
   * Send the draft to where it goes, `asNew` to new cells in any case. Where nobody takes it, it stays in the box, and the panel says why.
   */
  async send({ asNew = false }: { asNew?: boolean } = {}): Promise<void> {
    const draft = this.draft.trim();
    const view = this._view;
    if (!draft || !view || this._sending || !this.canSend) {
      return;
    }
    const typed = typedIn(this);
    const destination = this._destination(asNew);
    const said = resolveInput(typed, this._race, {
      canFix: this.canFix,
      canTry: view.targetProposal !== null,
      hasTurns: conversationTurns(this.state ?? EMPTY).length > 0
    });
    if (typeof said === 'string') {
      view.session.store.dispatch({ type: 'Problem', code: 'not_a_command', message: said, remedy: t('Type / to list the commands.') });
      return;
    }
    const { session } = view;
    const plain = plainPrompt(this);
    const sending = (this._sending = Symbol('sending'));
    this._now();
    await getReady(session, destination);
    const images = destination.kind === 'command' ? [] : this.images;
    const rewind = this.isStreaming ? null : await this.rewinds.settled();
    const attached = this._sending === sending && session.transport.status === 'ready';
    const returned = attached && (rewind === null || destination.kind === 'command' || (await this.timeline.go(rewind.moment, rewind.branch)));
    if (returned) {
      this.rewinds.edit(null); // also where the sending was stopped meanwhile: the kernel has gone back
    }
    const takes = returned && this._sending === sending && plain && rewind === null ? await this.takeDraft(view, plain, () => this._sending === sending) : '';
    const given = returned && this._sending === sending && (images.length === 0 || (await mayShowImages(session))) && this._sending === sending;
    this._sending = this._sending === sending ? null : this._sending;
    if (given) {
      const isOver = destination.kind === 'steer' && streamingTurn(session.store.state) === null;
      const now = isOver || rewind ? this._destination(asNew) : destination;
      const where = rewind ? placeOf(rewind, view, now) : now;
      keepDraft(view, '');
      this._editing = false;
      this._race = this._race.pinned || where.kind === 'steer' ? this._race : NO_RACE;
      this.history.add(draft);
      const begun = give(this, view, where, typed, said, images, takes);
      // Who hears of these changes sees that something was asked.
      this.showTurns();
      if (where.kind !== 'command') {
        this._images.clear(view);
      }
      await begun;
    }
    this._now();
  }

  /** Begin a new conversation, and ask `words` in it, if there are any. */
  async newConversation(words = ''): Promise<void> {
    const view = this._view;
    if (view && !this.isStreaming) {
      this.showTurns();
      await view.session.newConversation();
      await (words && view.prompt(words, { target: destinationOf(view, '', NO_WISHES).target }));
    }
  }

  /** Show the turns, in place of a list. */
  showTurns(): void {
    this.browser.isOpen = false;
    this.timeline.toggle(false);
  }

  /** Show the moments, or the turns again. */
  toggleTimeline(): void {
    const open = !this.timeline.isOpen;
    this.browser.isOpen = false;
    this.timeline.toggle(open);
  }

  selectModel(name: string): void {
    this._view?.session.providers.selectModel(name);
  }

  /** Run the proposal at the active cell, or the first open one, in a copy of the kernel. */
  async tryProposal(): Promise<void> {
    const proposal = this._view?.targetProposal;
    await (proposal && this._view?.act(proposal.cell_id, 'try'));
  }

  /** Have words in the box, to go where a turn's went: to a cell that it was to edit, or back to before it, where it was accepted. */
  reuse(words: string, turn: FullTurn): void {
    const view = this._view;
    if (this._sending) {
      return view?.session.store.dispatch({ type: 'Problem', code: 'sending', message: t('Another prompt is being sent.'), remedy: t('Wait for it, or stop it first.') });
    }
    const { intent, target: { edit } } = turn;
    this.rewinds.edit(words === turn.prompt ? turn : null);
    if (view && intent === 'edit' && edit && find(view.session.notebook, edit)) {
      void view.goTo(edit);
      this._editing = true;
    }
    this.draft = words;
    this.focus();
  }

  /** The return that the next prompt begins with: it is an edit of an earlier one. */
  get rewind(): Rewind | null {
    return this.isStreaming ? null : this.rewinds.wanted;
  }

  /** Leave nothing: the edited prompt is asked as one more. */
  askAtEnd(): void {
    this.rewinds.edit(null);
    this._changed.emit();
  }

  /** Ask the last prompt once more, with what steered it; its open proposals are rejected. One with `@` that was not typed here, but may be anybody's, is read first. */
  async retry(): Promise<void> {
    const [view, asked] = [this._view, askedLast(this.state ?? EMPTY)];
    const words = asked?.prompts.join('\n') ?? '';
    if (asked && words.includes('@') && !asked.prompts.every(prompt => this.history.has(prompt))) {
      this.reuse(words, asked.first);
    } else if (view && asked && !this.isStreaming) {
      proposalsOf(view.session.store.state, asked.last.id).filter(isDecidable).forEach(one => view.session.decisions.reject(one.cell_id));
      const compared = comparedIn(view.session.store.state.attempts.get(asked.last.id));
      await view.prompt(compared?.text ?? words, { target: asked.first.target, intent: asked.first.intent, attempts: compared?.attempts });
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
    this.focusWish.make();
  }

  private _destination(asNew: boolean): Destination {
    return destinationOf(this._view, this.draft, { editing: this._editing, asNew, deep: this._deep });
  }

  /** Whether an answer is being written. */
  get isStreaming(): boolean {
    return this.state !== null && streamingTurn(this.state) !== null;
  }

  private _connect(): void {
    const view = this.sessions.current;
    if (view !== this._view) {
      const before = this._view;
      before?.session.store.changed.disconnect(this._onStore, this);
      before?.session.transport.statusChanged.disconnect(this._now, this);
      before?.asked.disconnect(this.showTurns, this);
      before?.panel.content?.activeCellChanged.disconnect(this._onActiveCell, this);
      before?.session.context.model.cells?.changed.disconnect(this._later, this);
      this._view = view;
      this.rewinds.edit(null);
      this._editing = false; // the wish to edit was for a cell of the other notebook
      this.voice.leave();
      this.showTurns();
      this._connecting = false; // so was what stands in the form, a key perhaps
      this._sending = null;
      this._returned = view?.session.store.state.returned ?? null;
      view?.session.store.changed.connect(this._onStore, this);
      view?.session.transport.statusChanged.connect(this._now, this);
      view?.asked.connect(this.showTurns, this);
      view?.panel.content.activeCellChanged.connect(this._onActiveCell, this);
      view?.session.context.model.cells.changed.connect(this._later, this); // what stands there can be decided
    }
    this._onActiveCell();
  }

  /** Words that were refused come back into the box, unless others stand there. */
  private _onStore(): void {
    const returned = this.state?.returned ?? null;
    if (returned !== null && returned !== this._returned && !this.draft) {
      keepDraft(this._view, returned);
    }
    this._returned = returned;
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
