// One notebook's conversation: what the user decides goes to the kernel and into the document, what the kernel says goes into
// the store and, where this tab is the writer, into the document.

import type { DocumentRegistry } from '@jupyterlab/docregistry';
import type { INotebookModel } from '@jupyterlab/notebook';
import type { ISharedNotebook } from '@jupyter/ydoc';
import type { IDisposable } from '@lumino/disposable';
import { type ISignal, Signal } from '@lumino/signaling';
import { notebookCells } from './cells';
import { GO_ON, MOST_KEPT_PROPOSALS, MOST_KEPT_TURNS } from './constants';
import { Deepening } from './deep';
import { Hand } from './hand';
import { Holdback, settled } from './holdback';
import { newId } from './ids';
import { Keeper } from './keeper';
import type { CellChange, CellEdited, Event, Permission, Prompt, Proposal, ProposalChanged, Target } from './messages';
import { decidable, isDecidable, isOpen, isTakenBack, proposalsOf, streamingTurn, turnOf } from './selectors';
import { type FullProposal, fullProposal, type FullTurn, type State } from './state';
import { Providers } from './providers';
import { Recorder } from './recorder';
import { Reviewer } from './reviewer';
import { find } from './shared';
import { Store } from './store';
import { clientId } from './tab';
import { isClosed, Transport } from './transport';
import { LiveWriter } from './writer';

/** What a prompt may say beside its text. */
export interface PromptOptions {
  readonly target?: Target;
  /** The cell in which the user is. */
  readonly active?: string | null;
  readonly intent?: Prompt['intent'];
  readonly attempts?: Prompt['attempts'];
  /** The edit whose next edits are wanted. */
  readonly follows?: Prompt['follows'];
}

/** How a proposal is accepted. */
export interface Yes {
  readonly byRunning?: boolean;
  readonly confirmed?: boolean;
  readonly turnId?: string;
}

/** Milliseconds for which the kernel's word on a cell is waited for. It ends its own waiting sooner. */
const PATIENCE = 10_000;

/** Milliseconds for which what may be pointed at is waited for. */
const MENTIONS_PATIENCE = 2_000;

/** Events that change nothing in the store: they are taken up as they come, here or by who suggests or offers next edits. */
const FOR_OTHERS: ReadonlySet<Event['type']> = new Set(['Completed', 'NextEdits', 'PromptRequested']);

/** A cell is to be run now: somebody said so. */
export interface RunRequest {
  readonly cellId: string;
  /** Whether that was said here, and not by a magic or another front end. */
  readonly here: boolean;
}

/** What an event is compared with. */
interface Standings {
  readonly proposals: State['proposals'];
  readonly all: State['all'];
  /** Whether this tab was the writer. */
  readonly writes: boolean;
}

/** One notebook document and the Spark extension in its kernel. */
export class NotebookSession implements IDisposable {
  readonly store = new Store();
  readonly writer: LiveWriter;
  readonly transport: Transport;
  /** Who answers. */
  readonly providers = new Providers(this);
  readonly reviewer = new Reviewer(this);
  /** What is said to deep work. */
  readonly deep = new Deepening(this);

  constructor(readonly context: DocumentRegistry.IContext<INotebookModel>) {
    this.notebook = context.model.sharedModel;
    this.writer = new LiveWriter(this.notebook);
    this._keeper = new Keeper(this.notebook, this.store);
    this._recorder = new Recorder(this.notebook, this.store, () => this.isWriter);
    context.saveState.connect((_, state) => state === 'started' && this._recorder.flush());
    this._hand = new Hand(context.model, this.store, edited => this._onHand(edited));
    this.transport = new Transport({
      sessionContext: context.sessionContext,
      clientId: clientId(context.path),
      path: () => context.path
    });
    this.writer.dropped.connect((_, cellId) => this._onDropped(cellId));
    this.transport.received.connect((_, events) => this._onEvents(events));
    this.transport.lost.connect((_, reason) => {
      this._settle(this._holdback.release());
      this.writer.finishAll();
      this._unconfirmed.clear();
      this._taught.clear();
      const { asked } = this.store.state;
      this.store.dispatch({ type: 'KernelGone', reason });
      if (this.transport.isWaiting) {
        this.store.dispatch({ type: 'TurnAsked', asked }); // the next kernel is told
      }
    });
    this.transport.statusChanged.connect((_, status) => {
      if (status === 'ready') {
        this._holdback.stopped.forEach(turnId => this._sayCancel(turnId)); // it may have been lost with the connection
      } else if (isClosed(status)) {
        this.store.dispatch({ type: 'TurnAsked', asked: null });
      }
    });
    context.pathChanged.connect(() => this.transport.renamed());
  }

  /** A cell is to be run now. */
  get runRequested(): ISignal<this, RunRequest> {
    return this._runRequested;
  }

  /** Whether this tab writes into the document. Without a kernel it is the only one that can. */
  get isWriter(): boolean {
    return this.store.state.hello?.writer ?? true;
  }

  get isDisposed(): boolean {
    return this._disposed;
  }

  dispose(): void {
    if (!this._disposed) {
      this._disposed = true;
      this.transport.dispose();
      this._hand.dispose();
      this._recorder.dispose();
      this.writer.dispose();
      Signal.clearData(this);
    }
  }

  // --- what the user says ------------------------------------------------------------------------------------------------

  /** Start a turn; returns its id. */
  async prompt(text: string, options: PromptOptions = {}): Promise<string> {
    const { target = {}, active = null, intent = 'generate', attempts = {}, follows = null } = options;
    const turn_id = newId('t');
    await this._say({ turn_id, text, target, active, intent, attempts, follows });
    return turn_id;
  }

  /** Send a prompt with the notebook as it is now. */
  private async _say(prompt: Omit<Prompt, 'type' | 'cells'>): Promise<void> {
    const { turn_id, text } = prompt;
    this.store.dispatch({ type: 'TurnAsked', asked: { turn_id, prompt: text } });
    await this.transport.send({ ...prompt, type: 'Prompt', cells: notebookCells(this.notebook) });
  }

  /** Redirect the turn that streams. */
  async steer(text: string): Promise<void> {
    await this._steer(streamingTurn(this.store.state), text);
  }

  /** Have the last answer written on that the provider has cut for its length. */
  async resume(): Promise<void> {
    const turn = this.store.state.turns.at(-1);
    await this._steer(turn?.may_go_on ? turn : null, GO_ON);
  }

  private async _steer(turn: FullTurn | null, text: string): Promise<void> {
    if (turn) {
      const turn_id = newId('t');
      this.store.dispatch({ type: 'TurnAsked', asked: { turn_id, prompt: text } });
      await this.transport.send({ type: 'Steer', turn_id, steers: turn.id, text });
    }
  }

  /**
   * Stop the turn that streams, or was asked for last. The screen stands still from now on: what waits to be written is written, and
   * what still comes is held back until the kernel has said what stands.
   */
  cancel(): void {
    const turnId = this.store.state.asked?.turn_id ?? streamingTurn(this.store.state)?.id;
    if (turnId !== undefined && !this._holdback.stopped.has(turnId)) {
      this.writer.flush();
      this._sayCancel(turnId);
      this._holdback.stop(turnId);
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

  /**
   * Keep a proposal. `source` is what an edited cell is to hold; without it, all that is proposed. `confirmed` is the second yes that a
   * cell needs which does not parse; who runs a cell has given it. Of several for the cell it is the one of `turnId`.
   */
  accept(cellId: string, source?: string, { byRunning = false, confirmed = byRunning, turnId }: Yes = {}): void {
    const decidable = this._decidable(cellId, turnId);
    if (!decidable) {
      return;
    }
    const proposal = { ...decidable, byRunning };
    const kept = source ?? this._standing(proposal);
    const known = this._known(cellId);
    const before = (this.isWriter ? this._keeper.held(cellId) : null) ?? proposal.base;
    if (this.isWriter) {
      const base = proposal.kind === 'edit' ? before : proposal.base;
      this._keeper.keep(proposal, kept, { asked: true });
      this.store.dispatch({ type: 'ProposalChanged', proposal: { ...proposal, base, source: kept, state: 'accepted' } });
    }
    if (known) {
      this._unconfirmed.add(cellId);
      void this.transport.send({ type: 'Accept', cell_id: cellId, source: kept, before, confirmed, turn_id: turnId ?? null });
    }
  }

  /** Whether the kernel has yet to say what is kept of a cell: credentials come back into its code then. */
  isUnconfirmed(cellId: string): boolean {
    return this._unconfirmed.has(cellId);
  }

  /** Resolved when what a cell is to hold is in the document. False where the kernel does not say it. */
  async confirmed(cellId: string): Promise<boolean> {
    await this.store.until(() => !this.isUnconfirmed(cellId), PATIENCE);
    this.writer.flush();
    if (this.isUnconfirmed(cellId)) {
      const message = `The kernel did not say within ${PATIENCE / 1000} seconds what is kept of a cell, so the cell was not run.`;
      this.store.dispatch({ type: 'Problem', code: 'no_answer', message, remedy: 'Run it again.' });
      return false;
    }
    return true;
  }

  /** Discard a proposal. */
  reject(cellId: string): void {
    const proposal = this._decidable(cellId);
    if (!proposal) {
      return;
    }
    const known = this._known(cellId);
    if (this.isWriter) {
      this._keeper.takeBack(proposal);
      this.store.dispatch({ type: 'ProposalChanged', proposal: { ...proposal, state: 'rejected' } });
    }
    if (known) {
      void this.transport.send({ type: 'Reject', cell_id: cellId });
    }
  }

  /**
   * Resolved when a cell's proposal has been judged, by the slower checks too: then it is known what blocks it. One that was read from
   * the notebook is judged by the kernel where there is one; where there is none, it asks for a second yes.
   */
  async inspected(cellId: string): Promise<void> {
    if (this.store.state.proposals.get(cellId)?.recalled) {
      await this.transport.attach({ load: true });
      if (this.transport.status === 'ready') {
        await this.store.until(({ proposals }) => !proposals.get(cellId)?.recalled, PATIENCE);
      }
    }
    await this.store.until(({ proposals }) => !proposals.get(cellId)?.inspecting, PATIENCE);
  }

  /** Keep a proposal and run it. `confirmed` is the second yes that a blocking finding needs. */
  run(cellId: string, { confirmed = false, source }: { confirmed?: boolean; source?: string } = {}): void {
    const known = this._known(cellId);
    this.accept(cellId, source, { confirmed });
    if (known) {
      this._runs.add(cellId);
      void this.transport.send({ type: 'Run', cell_id: cellId, confirmed });
    } else {
      this._runRequested.emit({ cellId, here: true });
    }
  }

  /** Look for cells that say that they are proposals and of which nothing is known: copies, for instance. */
  findStrays(): void {
    this._recorder.findStrays(this.notebook.cells);
  }

  /** Run a proposal in a copy of the kernel. `source` as in `accept`; what is in `allow` it may do outside the copy. */
  tryOut(cellId: string, { source, allow = [] }: { source?: string; allow?: readonly Permission[] } = {}): void {
    const proposal = this.store.state.proposals.get(cellId);
    if (proposal) {
      this.store.dispatch({ type: 'TrialStarted', cell_id: cellId });
      void this.transport.send({ type: 'Try', cell_id: cellId, source: source ?? this._standing(proposal), allow });
    }
  }

  /** End the Try of a proposal; that it was cancelled comes as its result. */
  cancelTry(cellId: string): void {
    void this.transport.send({ type: 'CancelTry', cell_id: cellId });
  }

  /** Propose another attempt of a race. */
  chooseAttempt(turnId: string, index: number): void {
    void this.transport.send({ type: 'ChooseAttempt', turn_id: turnId, index });
  }

  /** Take back a whole turn. */
  revert(turnId: string): void {
    if (!this.store.state.orphans.has(turnId)) {
      this._hand.flush(); // what the user changed since stays
      void this.transport.send({ type: 'Revert', turn_id: turnId });
      return;
    }
    const standing = proposalsOf(this.store.state, turnId).filter(one => !isTakenBack(one));
    for (const proposal of standing.reverse()) {
      this._keeper.takeBack(proposal);
      const state = proposal.state === 'accepted' ? 'reverted' : 'rejected';
      this.store.dispatch({ type: 'ProposalChanged', proposal: { ...proposal, state } });
      this._keeper.mark(proposal.cell_id, { anew: false });
    }
  }

  rejectAll(): void {
    decidable(this.store.state).forEach(proposal => this.reject(proposal.cell_id));
  }

  /** What may be pointed at with an `@` that begins so; nothing where the kernel does not say it soon. */
  async mentions(prefix: string): Promise<readonly string[]> {
    if (this.transport.status !== 'ready') {
      return [];
    }
    const answer = new Promise<readonly string[]>(resolve => {
      this._mentions = { prefix, resolve };
      window.setTimeout(() => resolve([]), MENTIONS_PATIENCE);
    });
    await this.transport.send({ type: 'ListMentions', prefix });
    return answer;
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

  /** The user has begun to type. */
  async warm(): Promise<void> {
    await this.transport.attach({ load: true });
    if (this.transport.status === 'ready') {
      await this.transport.send({ type: 'Warm' });
    }
  }

  // --- what the kernel says ----------------------------------------------------------------------------------------------

  private _onEvents(received: readonly Event[]): void {
    received.forEach(event => event.type === 'PromptRequested' && this._say(event.prompt));
    const events = received.filter(event => !FOR_OTHERS.has(event.type));
    if (events.length === 0) {
      return;
    }
    const settling = this._holdback.stopped.size > 0;
    const taken = this._holdback.pass(events);
    if (taken && settling) {
      this._settle(taken);
    } else if (taken) {
      this._takeIn(taken);
    }
  }

  private _takeIn(events: readonly Event[]): void {
    for (const event of events) {
      const before = this._standings();
      this.store.reduce(event);
      if (event.type === 'Hello' && event.life !== this._life) {
        this._life = event.life;
        this._greeted.emit();
      }
      if (event.type === 'CellsChanged') {
        this._write(event.changes, before);
      } else {
        this._follow(event, before);
      }
    }
    this.store.emit();
  }

  /** Take in what was held back, and write only what it comes to: mostly nothing. */
  private _settle(events: readonly Event[]): void {
    const before = this._standings();
    events.forEach(event => this.store.reduce(event));
    const changes = events.flatMap(event => (event.type === 'CellsChanged' ? event.changes : []));
    this._write(settled(changes, before.proposals, this.store.state.proposals), before);
    events.forEach(event => this._follow(event, before));
    this.store.emit();
  }

  /** How things stood before an event. */
  private _standings(): Standings {
    const { all, hello, proposals } = this.store.state;
    return { all, proposals, writes: hello?.writer ?? false };
  }

  /** Only new cells are written; the draft of an edit is kept in the store until it is accepted. */
  private _write(changes: readonly CellChange[], before: Standings): void {
    const { proposals } = this.store.state;
    const ofEdit = (cellId: string) => (proposals.get(cellId) ?? before.proposals.get(cellId))?.kind === 'edit';
    if (this.isWriter) {
      this.writer.write(changes.filter(change => !ofEdit(change.cell_id)));
    }
  }

  /** Do what an event that the store has taken in means for the document. */
  private _follow(event: Event, before: Standings): void {
    if (event.type === 'ProposalChanged') {
      this._unconfirmed.delete(event.proposal.cell_id);
    }
    if (event.type === 'Mentions' && event.prefix === this._mentions?.prefix) {
      this._mentions.resolve(event.items);
    }
    if (!this.isWriter) {
      return;
    }
    if (event.type === 'Snapshot' || (event.type === 'Hello' && !before.writes)) {
      this._restore();
      this._teach();
    } else if (event.type === 'ProposalChanged') {
      this._onProposal(event, before.all.find(one => isSame(one, event.proposal)));
    } else if (event.type === 'RunRequested') {
      this.writer.finish(event.cell_id);
      this._runRequested.emit({ cellId: event.cell_id, here: this._runs.delete(event.cell_id) });
    }
  }

  private _onProposal(event: ProposalChanged, before: FullProposal | undefined): void {
    const proposal = fullProposal(event.proposal);
    const { cell_id: cellId, state } = proposal;
    if (state === 'streaming') {
      return;
    }
    if (before?.state !== state || state === 'accepted') {
      this.writer.finish(cellId);
    }
    if (before?.state !== state) {
      this._decide(proposal, before, event.held ?? false);
    }
    if (!isOpen(proposal)) {
      this._keeper.mark(cellId, { anew: state === 'accepted' && !event.held });
    }
  }

  /** Bring into the document what became of a proposal, unless it is `held` so already. */
  private _decide(proposal: FullProposal, before: FullProposal | undefined, held: boolean): void {
    const { cell_id: cellId, state } = proposal;
    if (state === 'accepted' && !held) {
      const base = this._keeper.held(cellId);
      this._keeper.keep(proposal, proposal.source, { asked: false });
      if (proposal.kind === 'edit' && base !== null && base !== proposal.source) {
        this.store.reduce({ type: 'ProposalChanged', proposal: { ...proposal, base } });
      }
    } else if (isTakenBack(proposal) && !held) {
      this._keeper.takeBack(before ?? proposal);
    } else if (isDecidable(proposal) && this._discarded.has(cellId)) {
      this.reject(cellId);
    }
  }

  /** The user has changed a cell that has proposals. */
  private _onHand(edited: CellEdited): void {
    if (this.store.state.hello?.writer && this._known(edited.cell_id)) {
      void this.transport.send(edited);
    }
  }

  /** The user deleted the cell while it grew. A proposal can't be rejected before it is whole, so that waits. */
  private _onDropped(cellId: string): void {
    this._discarded.add(cellId);
    const proposal = this.store.state.proposals.get(cellId);
    if (proposal && isDecidable(proposal)) {
      this.reject(cellId);
    } else if (proposal && isOpen(proposal)) {
      this.cancel(); // nobody would see what comes
    }
  }

  /** Bring the document up to the store, as after a reload: cells that are missing come back, beginnings are completed. */
  private _restore(): void {
    const { proposals, turns } = this.store.state;
    for (const turn of turns) {
      const { edit, reuse, after } = turn.target;
      let above = edit ?? reuse ?? after ?? this.notebook.cells.at(-1)?.id ?? null;
      for (const proposal of proposalsOf(this.store.state, turn.id)) {
        if (proposal.kind === 'edit') {
          continue;
        }
        const { cell_id, cell_type } = proposal;
        if (isOpen(proposal) && this._known(cell_id) && !this._discarded.has(cell_id)) {
          this.writer.restore({ type: 'insert', cell_id, cell_type, after: above }, proposal.source);
        }
        above = find(this.notebook, cell_id) ? cell_id : above;
      }
    }
    for (const proposal of proposals.values()) {
      if (proposal.state !== 'streaming') {
        this.writer.finish(proposal.cell_id);
      }
    }
  }

  /** Tell the kernel of the turns that it does not know. */
  private _teach(): void {
    const { all, hello, orphans, turns } = this.store.state;
    if (hello?.writer && orphans.size > 0) {
      this.deep.teach(this.store.state);
      const old = turns.filter(turn => orphans.has(turn.id)).slice(-MOST_KEPT_TURNS);
      const mine = all.filter(one => old.some(turn => turn.id === one.turn_id)).slice(-MOST_KEPT_PROPOSALS);
      const proposals = mine.map(({ byRunning, recalled, ...proposal }) => proposal);
      old.forEach(turn => this._taught.add(turn.id));
      void this.transport.send({ type: 'Restore', turns: old, proposals, cells: notebookCells(this.notebook) });
    }
  }

  // --- inside --------------------------------------------------------------------------------------------------------------

  /** Only the tab that writes has in its document what is proposed. */
  private _standing(proposal: FullProposal): string {
    return this.isWriter ? this._keeper.standing(proposal) : proposal.source;
  }

  private _decidable(cellId: string, turnId?: string): FullProposal | null {
    const { all, proposals } = this.store.state;
    const proposal = turnId === undefined ? proposals.get(cellId) : all.find(one => one.cell_id === cellId && one.turn_id === turnId);
    return proposal && isDecidable(proposal) ? proposal : null;
  }

  /** Whether the kernel knows of the cell's proposal when it hears what is said now: it was told, or is being told. */
  private _known(cellId: string): boolean {
    const { orphans, proposals } = this.store.state;
    const turnId = proposals.get(cellId)?.turn_id ?? '';
    return !orphans.has(turnId) || this._taught.has(turnId);
  }

  readonly notebook: ISharedNotebook;
  private readonly _keeper: Keeper;
  private readonly _hand: Hand;
  private readonly _recorder: Recorder;
  private readonly _greeted = new Signal<this, void>(this);
  private _life: string | undefined;
  private readonly _runRequested = new Signal<this, RunRequest>(this);
  /** Cells that were asked here to be run. */
  private readonly _runs = new Set<string>();
  /** Who waits for what may be pointed at. */
  private _mentions: { readonly prefix: string; readonly resolve: (items: readonly string[]) => void } | null = null;
  /** Cells that were accepted, of which the kernel has not said what is kept. */
  private readonly _unconfirmed = new Set<string>();
  private readonly _holdback = new Holdback();
  /** Cells that the user deleted while they grew. */
  private readonly _discarded = new Set<string>();
  /** Turns that this kernel was told of, and may not have answered for yet. */
  private readonly _taught = new Set<string>();
  private _disposed = false;
}

/** Whether both are what one turn proposes for one cell. */
function isSame(one: FullProposal, other: Proposal): boolean {
  return one.turn_id === other.turn_id && one.cell_id === other.cell_id;
}
