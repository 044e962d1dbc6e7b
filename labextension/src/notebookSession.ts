// Session of one notebook: kernel commands out, events into store and document.

import type { DocumentRegistry } from '@jupyterlab/docregistry';
import type { INotebookModel } from '@jupyterlab/notebook';
import type { ISharedNotebook } from '@jupyter/ydoc';
import type { IDisposable } from '@lumino/disposable';
import { type ISignal, Signal } from '@lumino/signaling';
import { hasCellOf, notebookCells, withGiven } from './notebookCells';
import { NotebookMoments } from './notebookMoments';
import { GO_ON, TURN_OVER } from './constants';
import { Decisions } from './decisions';
import { DeepWorkCommands } from './deepWork';
import { UserEdits } from './userEdits';
import { CancelBuffer, netChanges } from './cancelBuffer';
import { newId } from './ids';
import { DocumentApplier } from './documentApplier';
import { Mentions } from './mentions';
import type { CellEdited, Event, Person, Prompt, Steer, Target } from './messages';
import { Participant } from './participant';
import { noticeInFile } from './pendingNotice';
import { Providers } from './providers';
import { Recorder } from './turnRecorder';
import { RequestedRuns } from './requestedRuns';
import { followElsewhere } from './runElsewhere';
import { Reviewer } from './reviewer';
import { EventApplier, type ProposalsBefore } from './eventApplier';
import { isAnothers, isAnothersRefusal, isOfDocument, knownTurns, proposalsOf, streamingTurn, turnOf } from './selectors';
import type { FullTurn } from './state';
import { mostHints, promptLimit, promptPolicy, signedCourse } from './sharedModel';
import { Store } from './store';
import { clientId } from './clientId';
import { KernelRestore } from './restoreKernel';
import { isClosed } from './connectionStatus';
import { t } from './translation';
import { Transport } from './transport';
import { LiveWriter } from './liveWriter';

/** What a prompt may say beside its text. */
export interface PromptOptions {
  readonly target?: Target;
  /** The cell in which the user is. */
  readonly active?: string | null;
  readonly intent?: Prompt['intent'];
  readonly attempts?: Prompt['attempts'];
  readonly images?: Prompt['images'];
  /** The draft that is the answer. */
  readonly takes?: Prompt['takes'];
  /** How many of its first lines; 0: all. */
  readonly lines?: Prompt['lines'];
  /** The edit whose next edits are wanted. */
  readonly follows?: Prompt['follows'];
}

/** Events that change nothing in the store: they are taken up as they come, here or by who suggests or offers next edits. */
const FOR_OTHERS: ReadonlySet<Event['type']> = new Set(['CellsRequested', 'Completed', 'Drafted', 'Inquired', 'NextEdits', 'PromptRequested', 'Refined']);

/** One notebook document and the Spark extension in its kernel. */
export class NotebookSession implements IDisposable {
  readonly store = new Store();
  readonly writer: LiveWriter;
  readonly transport: Transport;
  /** Who answers. */
  readonly providers = new Providers(this);
  readonly reviewer = new Reviewer(this);
  /** The cells at the kernel's moments. */
  readonly moments: NotebookMoments;
  /** What is said to deep work. */
  readonly deep = new DeepWorkCommands(this);
  readonly mentions: Mentions;
  /** What the user decides of proposals. */
  readonly decisions: Decisions;
  /** The runs that cells ask for. */
  readonly requestedRuns = new RequestedRuns();

  constructor(
    readonly context: DocumentRegistry.IContext<INotebookModel>,
    private readonly _who: () => Person | null = () => null
  ) {
    this.notebook = context.model.sharedModel;
    noticeInFile(context.model);
    this.writer = new LiveWriter(this.notebook);
    this.moments = new NotebookMoments(this.notebook, this.store, () => this.isWriter);
    const keeper = (this._document = new DocumentApplier(this.notebook, this.store));
    this.recorder = new Recorder(this.notebook, this.store, () => this.isWriter);
    context.saveState.connect((_, state) => state === 'started' && this.recorder.flush());
    this._userEdits = new UserEdits(context.model, this.store, edited => this._onUserEdit(edited));
    this.transport = new Transport({
      sessionContext: context.sessionContext,
      clientId: clientId(context.path),
      path: () => context.path,
      canWrite: true,
      person: _who,
      prompts: () => promptPolicy(this.notebook),
      hints: () => mostHints(this.notebook),
      promptLimit: () => promptLimit(this.notebook),
      course: () => signedCourse(this.notebook)
    });
    this._policy = this._authorPolicy;
    this.notebook.metadataChanged.connect(this._onMetadata, this);
    this.mentions = new Mentions(this.transport);
    this._kernelRestore = new KernelRestore(this.notebook, this.store, command => void this.transport.send(command));
    this.decisions = new Decisions(this, keeper, this._userEdits, this._kernelRestore);
    this._applier = new EventApplier(this, keeper, this._kernelRestore);
    this._participant = new Participant(this.notebook);
    this.writer.grown.connect((_, { cellId }) => this._participant.writeIn(cellId));
    this.store.changed.connect(() => this._showParticipant());
    this.transport.received.connect((_, events) => this._onEvents(events));
    this.transport.lost.connect((_, reason) => {
      this._settle(this._cancelBuffer.release());
      this.writer.finishAll();
      this.decisions.forget();
      this._kernelRestore.forget();
      const { asked } = this.store.state;
      this.store.dispatch({ type: 'KernelGone', reason });
      if (this.transport.isWaiting) {
        this.store.dispatch({ type: 'TurnAsked', asked }); // the next kernel is told
      }
    });
    this.transport.statusChanged.connect((_, status) => {
      if (status === 'ready') {
        this._cancelBuffer.stopped.forEach(turnId => this._sayCancel(turnId)); // the cancel may have been lost with the connection
      } else if (isClosed(status)) {
        this.store.dispatch({ type: 'TurnAsked', asked: null });
      }
    });
    context.pathChanged.connect(() => this.transport.reattach());
  }

  /** The person at this tab; null where the server does not say. */
  get person(): Person | null {
    return this._who();
  }

  /** Whether all tabs with this notebook have one document, which the server merges. */
  get collaborative(): boolean {
    return this.context.model.collaborative ?? false;
  }

  /**
   * Take up what the notebook keeps, after `look` has seen whether a kernel knows better. Only a document's writer adopts what nobody
   * knows: the others hear of it.
   */
  async recall(look: () => Promise<unknown>): Promise<void> {
    if (this.recorder.hasRecord) {
      await look();
    }
    if (!this._disposed) {
      this._hasRecalled = true;
      this.recorder.recall();
      this._restoreKernel();
    }
  }

  /** Whether this tab writes into the document. Without a kernel it is the only one that can. */
  get isWriter(): boolean {
    return this.store.state.hello?.writer ?? true;
  }

  /** Whether the notebook is to keep more than the marks of cells that wait for a decision. */
  set keepsRecords(keeps: boolean) {
    this.recorder.keeps = this._document.keepsProvenance = keeps;
  }

  get isDisposed(): boolean {
    return this._disposed;
  }

  dispose(): void {
    if (!this._disposed) {
      this._disposed = true;
      this.notebook.metadataChanged.disconnect(this._onMetadata, this);
      this.transport.dispose();
      this.decisions.dispose();
      this._userEdits.dispose();
      this.recorder.dispose();
      this._participant.dispose();
      this.writer.dispose();
      Signal.clearData(this);
    }
  }

  /** In a shared document all see that Spark is here, and where it writes. */
  private _showParticipant(): void {
    const { hello } = this.store.state;
    if (this.collaborative && hello?.writer) {
      this._participant.show();
    } else {
      this._participant.hide({ gone: !hello });
    }
    if (!streamingTurn(this.store.state)) {
      this._participant.writeIn('');
    }
  }

  /** The author's word has changed: the kernel is told. */
  private _onMetadata(): void {
    const policy = this._authorPolicy;
    if (policy !== this._policy) {
      this._policy = policy;
      this.transport.reattach();
    }
  }

  private get _authorPolicy(): string {
    return `${promptPolicy(this.notebook)} ${mostHints(this.notebook)} ${promptLimit(this.notebook)} ${signedCourse(this.notebook).course}`;
  }

  // --- what the user says ------------------------------------------------------------------------------------------------

  /** Asked before another person's turn is stopped or steered. */
  mayInterrupt: (turn: FullTurn) => Promise<boolean> = async () => true;

  /** Start a turn; returns its id. */
  async prompt(text: string, options: PromptOptions = {}): Promise<string> {
    const { target = {}, active = null, intent = 'generate', attempts = {}, follows = null, images = [], takes = '', lines = 0 } = options;
    const turn_id = newId('t');
    await this._say({ turn_id, text, target, active, intent, attempts, follows, images, takes, lines });
    return turn_id;
  }

  /** Send a prompt with the notebook as it is now, and with the `given` cells that a magic knows better or alone. */
  private async _say(prompt: Omit<Prompt, 'type' | 'cells'>, given: Prompt['cells'] = []): Promise<void> {
    const { turn_id, text } = prompt;
    if (!prompt.agent) {
      this.store.dispatch({ type: 'TurnAsked', asked: { turn_id, prompt: text } }); // an agent's words are nobody's to get back
    }
    await this.transport.send({ ...prompt, type: 'Prompt', cells: withGiven(notebookCells(this.notebook), given) });
  }

  /** Redirect the turn that streams. `late` is called where the words come when it has just ended. */
  async steer(text: string, late: () => Promise<void>, images: Steer['images'] = []): Promise<void> {
    await this._steer(streamingTurn(this.store.state), text, late, images);
  }

  /** Have the last answer written on that the provider has cut for its length. */
  async resume(): Promise<void> {
    const turn = knownTurns(this.store.state).at(-1);
    await this._steer(turn?.may_go_on ? turn : null, GO_ON);
  }

  private async _steer(turn: FullTurn | null, text: string, late?: () => Promise<void>, images: Steer['images'] = []): Promise<void> {
    if (turn) {
      const turn_id = newId('t');
      const refused = isAnothers(turn, this.person?.id) && !(await this.mayInterrupt(turn));
      this._late = late && !refused ? { turn_id, say: late } : null;
      this.store.dispatch({ type: 'TurnAsked', asked: { turn_id, prompt: text } });
      if (refused) {
        this.store.dispatch({ type: 'Problem', code: 'not_steered', turn_id, message: t('The answer was not steered.') }); // gives the words back
        return;
      }
      await this.transport.send({ type: 'Steer', turn_id, steers: turn.id, text, images });
    }
  }

  /** Have the next prompt begin a new conversation. */
  async newConversation(): Promise<void> {
    this.store.dispatch({ type: 'ConversationBegun' });
    await this.transport.send({ type: 'NewConversation' });
  }

  /**
   * Stop the turn that streams, or was asked for last. The screen stands still from now on: what waits to be written is written, and
   * what still comes is held back until the kernel has said what stands.
   */
  cancel(): void {
    const turn = this.store.state.asked ? null : streamingTurn(this.store.state);
    if (turn && isAnothers(turn, this.person?.id)) {
      void this.mayInterrupt(turn).then(yes => yes && streamingTurn(this.store.state)?.id === turn.id && this._cancel());
    } else {
      this._cancel();
    }
  }

  private _cancel(): void {
    const turnId = this.store.state.asked?.turn_id ?? streamingTurn(this.store.state)?.id;
    if (turnId !== undefined && !this._cancelBuffer.stopped.has(turnId)) {
      this._sayCancel(turnId); // first: to write what waits may take longer than a frame
      this._cancelBuffer.stop(turnId);
      this.writer.flush();
      this.store.dispatch({ type: 'TurnStopping', turn_id: turnId });
    }
  }

  /** Where the turn is a steer that the kernel has not begun yet, its cells are still the steered turn's. */
  private _sayCancel(turnId: string): void {
    const { state } = this.store;
    const shownAs = turnOf(state, turnId) ? turnId : state.turns.at(-1)?.id ?? '';
    const shown = Object.fromEntries(proposalsOf(state, shownAs).map(one => [one.cell_id, one.source]));
    void this.transport.send({ type: 'Cancel', turn_id: turnId, shown });
  }

  /** Look for cells that say that they are proposals and of which nothing is known: copies, for instance. */
  adoptUnknownProposals(): void {
    const isToldOfThem = !this._hasRecalled || (this.collaborative && !this.isWriter);
    if (!isToldOfThem && this.recorder.adoptUnknownProposals(this.notebook.cells)) {
      this._restoreKernel(); // or who runs one would wait for a kernel's judgement of which none was asked
    }
  }

  /** Ask what could be asked here, as long as nothing was. */
  listIdeas(): void {
    if (this.transport.status === 'ready' && this.store.state.turns.length === 0) {
      void this.transport.send({ type: 'ListIdeas' });
    }
  }

  /** A kernel's extension has said that it is here, for the first time in its life. */
  get greeted(): ISignal<this, void> {
    return this._greeted;
  }

  /** A turn streams from now on, of which nothing has been written: said at the event, before anything that follows from it. */
  get turnBegan(): ISignal<this, FullTurn> {
    return this._turnBegan;
  }

  /** The user has begun to type. */
  async warm(): Promise<void> {
    await this.transport.attach({ load: true });
    if (this.transport.status === 'ready') {
      await this.transport.send({ type: 'Warm' });
      this.providers.listRules(); // a file may have changed
    }
  }

  // --- what the kernel says ----------------------------------------------------------------------------------------------

  private _onEvents(received: readonly Event[]): void {
    for (const event of received) {
      if (event.type === 'PromptRequested' && hasCellOf(this.notebook, event.prompt)) {
        void this._say(event.prompt, event.prompt.cells);
      } else if (event.type === 'CellsRequested') {
        void this.transport.send({ type: 'TellCells', request_id: event.request_id, cells: notebookCells(this.notebook) });
      }
    }
    const late = received.find(event => this._isLate(event));
    this._pass(received.filter(event => event !== late && !FOR_OTHERS.has(event.type)));
    if (late) {
      const { _late } = this;
      this._late = null;
      void _late?.say(); // now that it is taken in that the turn has ended
    }
  }

  private _pass(events: readonly Event[]): void {
    if (events.length === 0) {
      return;
    }
    const settling = this._cancelBuffer.stopped.size > 0;
    const taken = this._cancelBuffer.pass(events);
    if (taken && settling) {
      this._settle(taken);
    } else if (taken) {
      this._takeIn(taken);
    }
  }

  /** Whether words of this tab could not steer, as the turn had just ended, and were not stopped meanwhile. */
  private _isLate(event: Event): boolean {
    const steer = this._late?.turn_id ?? '';
    return event.type === 'Problem' && event.code === TURN_OVER && event.turn_id === steer && !this._cancelBuffer.stopped.has(steer);
  }

  private _takeIn(events: readonly Event[]): void {
    for (const event of events.filter(one => !isAnothersRefusal(one, this.person?.id))) {
      const before = this._applier.proposalsNow;
      this._reduce(event);
      if (event.type === 'Hello' && event.life !== this._life) {
        this._life = event.life;
        this.writer.life = event.life ?? '';
        this._greeted.emit();
      }
      if (event.type === 'CellsChanged') {
        this._applier.write(event.changes, before);
      } else {
        this._follow(event, before);
      }
    }
    this.store.emit();
  }

  private _reduce(event: Event): void {
    this.store.reduce(event);
    const turn = event.type === 'TurnStarted' || event.type === 'Snapshot' ? streamingTurn(this.store.state) : null;
    if (turn) {
      this._turnBegan.emit(turn);
    }
  }

  /** Take in what was held back, and write only what it comes to: mostly nothing. */
  private _settle(events: readonly Event[]): void {
    const before = this._applier.proposalsNow;
    events.forEach(event => this._reduce(event));
    const changes = events.flatMap(event => (event.type === 'CellsChanged' ? event.changes : []));
    this._applier.write(netChanges(changes, before.proposals, this.store.state.proposals), before);
    events.forEach(event => this._follow(event, before));
    this.store.emit();
  }

  /** Do what an event that the store has taken in means beyond it. */
  private _follow(event: Event, before: ProposalsBefore): void {
    if (event.type === 'ProposalChanged') {
      this.decisions.settle(event.proposal.cell_id);
    } else if (event.type === 'Mentions') {
      this.mentions.take(event);
    }
    this._applier.follow(event, before);
    this.moments.follow(event);
    if (this.isWriter && (event.type === 'Snapshot' || (event.type === 'Hello' && !before.writes))) {
      this._restoreKernel();
    } else if (event.type === 'RunRequested' && isOfDocument(this.store.state, turnOf(this.store.state, event.turn_id))) {
      void (this.isWriter ? this.decisions.onRunRequested(event.cell_id) : followElsewhere(this, event.cell_id));
    }
  }

  /** The user has changed a cell that has proposals. */
  private _onUserEdit(edited: CellEdited): void {
    if (this.store.state.hello?.writer && this._kernelRestore.knows(edited.cell_id)) {
      void this.transport.send(edited);
    }
  }

  /** Tell a kernel what it does not know. */
  private _restoreKernel(): void {
    const { hello, orphans } = this.store.state;
    if (hello?.writer && orphans.size > 0) {
      this.deep.restore(this.store.state);
      this._kernelRestore.restore();
    }
  }

  readonly notebook: ISharedNotebook;
  private readonly _userEdits: UserEdits;
  readonly recorder: Recorder;
  private readonly _document: DocumentApplier;
  private readonly _applier: EventApplier;
  private readonly _kernelRestore: KernelRestore;
  private readonly _participant: Participant;
  private readonly _cancelBuffer = new CancelBuffer();
  /** The last words that were to steer, and what is done with them where they come too late. */
  private _late: { readonly turn_id: string; readonly say: () => Promise<void> } | null = null;
  private readonly _greeted = new Signal<this, void>(this);
  private readonly _turnBegan = new Signal<this, FullTurn>(this);
  private _life: string | undefined;
  private _hasRecalled = false;
  private _policy: string;
  private _disposed = false;
}
