// The state of one notebook's conversation, as a pure reducer over events. It is the one source of what is shown.

import { MOST_PROBLEMS } from './constants';
import {
  DEFAULTS,
  type AttemptChanged,
  type CellChange,
  type CellsChanged,
  type DeepBudget,
  type DeepStep,
  type DeepWork,
  type Event,
  type Finding,
  type Findings,
  type Hello,
  type Meter,
  type ModelInfo,
  type Problem,
  type Proposal,
  type ProposalState,
  type ProviderAnswered,
  type ProviderInfo,
  type ReviewChanged,
  type Snapshot,
  type Spent,
  type TrialResult,
  type Turn,
  type TurnEnded
} from './messages';

/** A proposal with every default filled in. */
export interface FullProposal extends Required<Proposal> {
  /** Whether it was accepted by running it. */
  readonly byRunning?: boolean;
  /** It was read from the notebook, and no kernel has judged it since; whether the cell's text is the one that was proposed. */
  readonly recalled?: 'same' | 'changed';
}
/** A turn with every default filled in. */
export type FullTurn = Required<Turn>;
/** A deep work with every default filled in. */
export interface FullDeepWork extends Required<DeepWork> {
  readonly steps: readonly Required<DeepStep>[];
  readonly budget: Required<DeepBudget>;
}
/** A greeting with every default filled in. On the wire defaults are left out, so what is missing is not unknown. */
export type FullHello = Required<Hello>;

/** The kernel is gone (restarted, shut down, replaced): what streamed from it has ended, what it proposed stays. */
export interface KernelGone {
  readonly type: 'KernelGone';
  readonly reason: string;
}

/** The user has read a problem and put it away. */
export interface ProblemDismissed {
  readonly type: 'ProblemDismissed';
  readonly problem: Problem;
}

/** A Try was asked for, and its result has not come. */
export interface TrialStarted {
  readonly type: 'TrialStarted';
  readonly cell_id: string;
}

/** The user has stopped a turn, and the kernel has not said so yet. */
export interface TurnStopping {
  readonly type: 'TurnStopping';
  readonly turn_id: string;
}

/** The user has asked for a turn that the kernel has said nothing of yet; null: nobody can take it. */
export interface TurnAsked {
  readonly type: 'TurnAsked';
  readonly asked: State['asked'];
}

/** The notebook was opened: what it keeps of its turns. No kernel knows them yet. */
export interface TurnsRecalled {
  readonly type: 'TurnsRecalled';
  readonly turns: readonly FullTurn[];
  readonly proposals: readonly FullProposal[];
  readonly deep?: readonly FullDeepWork[];
}

/** The user has read the review. */
export interface ReviewClosed {
  readonly type: 'ReviewClosed';
}

/** What the reducer takes: the kernel's events and what happens on this side. */
export type Input = Event | ReviewClosed | KernelGone | ProblemDismissed | TrialStarted | TurnAsked | TurnStopping | TurnsRecalled;

/** All that is known of one notebook's turns and proposals. Values are replaced, never changed. */
export interface State {
  readonly hello: FullHello | null;
  readonly turns: readonly FullTurn[];
  /** What was asked for last, until the kernel has said something of it. */
  readonly asked: { readonly turn_id: string; readonly prompt: string } | null;
  /** The words that the kernel has refused, so that they are not lost; as one that steers what has just ended. */
  readonly returned: string | null;
  /** Turns that the user has stopped and of which the kernel has not said that they ended. */
  readonly stopping: ReadonlySet<string>;
  /** In the order in which they were begun; several may be for one cell, each made on what the one before has left there. */
  readonly all: readonly FullProposal[];
  /** Of every cell the proposal that it is about, see `current`. */
  readonly proposals: ReadonlyMap<string, FullProposal>;
  /** Turns that the kernel does not know: what they propose is decided on this side alone. */
  readonly orphans: ReadonlySet<string>;
  readonly meters: ReadonlyMap<string, Meter>;
  readonly trials: ReadonlyMap<string, TrialResult>;
  /** Cells of which a Try runs now. */
  readonly trying: ReadonlySet<string>;
  readonly attempts: ReadonlyMap<string, readonly AttemptChanged[]>;
  /** Deep works by their ids, oldest first. */
  readonly deep: ReadonlyMap<string, FullDeepWork>;
  /** By turn: why its answer is offered to the deep gear. */
  readonly handed: ReadonlyMap<string, string>;
  /** What was cut from the stream because findings blocked it, in order. */
  readonly cuts: readonly Findings[];
  readonly problems: readonly Problem[];
  readonly models: readonly ModelInfo[];
  readonly model: string;
  /** What could be asked here. */
  readonly ideas: readonly string[];
  /** The providers that can be chosen; empty where nobody has asked. */
  readonly providers: readonly ProviderInfo[];
  /** What came of the last choice of a provider. */
  readonly answered: ProviderAnswered | null;
  /** What was spent, as far as it was told. */
  readonly spent: Spent | null;
  /** The newest review of the notebook. */
  readonly review: ReviewChanged | null;
}

export const EMPTY: State = {
  hello: null,
  turns: [],
  asked: null,
  returned: null,
  stopping: new Set(),
  all: [],
  proposals: new Map(),
  orphans: new Set(),
  meters: new Map(),
  trials: new Map(),
  trying: new Set(),
  attempts: new Map(),
  deep: new Map(),
  handed: new Map(),
  cuts: [],
  problems: [],
  models: [],
  model: '',
  ideas: [],
  providers: [],
  answered: null,
  spent: null,
  review: null
};

/** The state after `input`. */
export function reduce(state: State, input: Input): State {
  switch (input.type) {
    case 'Hello':
      return { ...state, hello: fullHello(input), model: input.model || state.model };
    case 'Snapshot':
      return restored(state, input);
    case 'TurnStarted':
      return started(answered(state, input.turn.id), fullTurn(input.turn));
    case 'ProposalChanged':
      return proposed(state, fullProposal(input.proposal));
    case 'CellsChanged':
      return written(state, input);
    case 'NotesAdded':
      return withTurn(state, input.turn_id, turn => ({ ...turn, notes: turn.notes + input.text }));
    case 'Findings':
      return found(state, input);
    case 'TrialResult':
      return tried(state, input);
    case 'TrialStarted':
      return { ...state, trying: new Set([...state.trying, input.cell_id]) };
    case 'AttemptChanged':
      return attempted(state, input);
    case 'Meter':
      return { ...state, meters: new Map(state.meters).set(input.turn_id, input) };
    case 'TurnEnded':
      return ended(state, input);
    case 'DeepChanged':
      return { ...state, deep: new Map(state.deep).set(input.work.id, fullDeepWork(input.work)), orphans: without(state.orphans, input.work.id) };
    case 'DeepOffered':
      return { ...state, handed: new Map(state.handed).set(input.turn_id, input.reason) };
    case 'TurnAsked':
      return { ...state, asked: input.asked, returned: null };
    case 'TurnsRecalled':
      return recalled(state, input);
    case 'TurnStopping':
      return { ...state, stopping: new Set([...state.stopping, input.turn_id]) };
    case 'RunRequested':
      return state;
    case 'Spent':
      return { ...state, spent: input };
    case 'Ideas':
      return { ...state, ideas: input.prompts };
    case 'Providers':
      return { ...state, providers: input.providers };
    case 'ProviderAnswered':
      return { ...state, answered: input, models: input.ok && !input.only_test ? [] : state.models };
    case 'Completed': // as Mentions
    case 'NextEdits': // as Mentions
    case 'PromptRequested': // the session sends it
    case 'Mentions': // the session gives it to who asked
      return state;
    case 'Models':
      // An empty list only says which one is selected.
      return { ...state, models: input.models.length > 0 ? input.models : state.models, model: input.selected };
    case 'ReviewChanged':
      return { ...state, review: input };
    case 'ReviewClosed':
      return { ...state, review: null };
    case 'Problem':
      return { ...refused(state, input.turn_id ?? ''), problems: [...state.problems, input].slice(-MOST_PROBLEMS) };
    case 'ProblemDismissed':
      return { ...state, problems: state.problems.filter(problem => problem !== input.problem) };
    case 'KernelGone':
      return abandoned(state, input.reason);
  }
}

/** A proposal with every default filled in. */
export function fullProposal(proposal: Proposal): FullProposal {
  return { ...DEFAULTS.Proposal, ...proposal };
}

/** A greeting with every default filled in. */
export function fullHello(hello: Hello): FullHello {
  return { ...DEFAULTS.Hello, ...hello };
}

/** A turn with every default filled in. */
export function fullTurn(turn: Turn): FullTurn {
  return { ...DEFAULTS.Turn, ...turn };
}

/** A deep work with every default filled in. */
export function fullDeepWork(work: DeepWork): FullDeepWork {
  return {
    ...DEFAULTS.DeepWork,
    ...work,
    steps: (work.steps ?? []).map(step => ({ ...DEFAULTS.DeepStep, ...step })),
    budget: { ...DEFAULTS.DeepBudget, ...work.budget }
  };
}

/** Whether nothing more comes of a deep work. */
export function isOver({ state }: Pick<FullDeepWork, 'state'>): boolean {
  return state === 'proposed' || state === 'gave-up' || state === 'cancelled';
}

/** Whether more comes of a review. */
export function isReviewing({ state }: ReviewChanged): boolean {
  return state === 'looking' || state === 'running';
}

// --- what is asked of a state -----------------------------------------------------------------------------------------

/** The turn that streams now: the last one that has neither ended nor been stopped. */
export function streamingTurn(state: State): FullTurn | null {
  return [...state.turns].reverse().find(turn => turn.outcome === null && !state.stopping.has(turn.id)) ?? null;
}

/** Of every cell the proposal that it is about: as `current` in spark_jupyter/wire/turnview.py. */
export function current(proposals: readonly FullProposal[]): ReadonlyMap<string, FullProposal> {
  const chosen = new Map<string, FullProposal>();
  for (const proposal of proposals) {
    const known = chosen.get(proposal.cell_id);
    if (!known || !isTakenBack(proposal) || isTakenBack(known)) {
      chosen.delete(proposal.cell_id);
      chosen.set(proposal.cell_id, proposal);
    }
  }
  return chosen;
}

/** The proposals for a cell, oldest first. */
export function proposalsFor(state: State, cellId: string): readonly FullProposal[] {
  return state.all.filter(proposal => proposal.cell_id === cellId);
}

/** Whether a proposal has left its cell as it was. */
export function isTakenBack({ state }: Pick<FullProposal, 'state'>): boolean {
  return state === 'rejected' || state === 'reverted';
}

/** Whether a proposal waits for the user (or is still being written). */
export function isOpen(proposal: Pick<FullProposal, 'state'>): boolean {
  return isOpenState(proposal.state);
}

function isOpenState(state: ProposalState): boolean {
  return state === 'streaming' || state === 'ready' || state === 'blocked';
}

/** Whether a proposal can be accepted or rejected now. */
export function isDecidable(proposal: Pick<FullProposal, 'state'>): boolean {
  return proposal.state === 'ready' || proposal.state === 'blocked';
}

/** Whether a finding stands between its proposal and Run: the reason to be shown. What it takes to run it is told: `may_run`. */
export function blocks(finding: Finding): boolean {
  return finding.severity === 'block' && (finding.allowed ?? null) === null;
}

/** Whether a finding is only a hint: shown folded below the cell, and not in the panel. */
export function isHint(finding: Finding): boolean {
  return finding.severity === 'hint';
}

/** What was cut from the stream of a cell last and does not stand in it again, null where nothing was. */
export function cutOf(state: State, cellId: string): Findings | null {
  const last = state.cuts.findLast(cut => cut.cell_id === cellId);
  const stands = new Set((state.proposals.get(cellId)?.source ?? '').split('\n').map(line => line.trim()));
  const cut = (last?.cut ?? '').split('\n').filter(line => !stands.has(line.trim())).join('\n');
  return last && cut.trim() ? { ...last, cut } : null;
}

/** A turn's proposals in the order in which they were begun. */
export function proposalsOf(state: State, turnId: string): readonly FullProposal[] {
  return state.all.filter(proposal => proposal.turn_id === turnId);
}

/** The proposals that can be decided, in order. */
export function decidable(state: State): readonly FullProposal[] {
  return [...state.proposals.values()].filter(isDecidable);
}

/** What of a turn runs by itself: its new code cells in order, up to the first that may not. Null: that is not known yet. */
export function runnable(state: State, turnId: string): readonly string[] | null {
  const turn = turnOf(state, turnId);
  const proposals = proposalsOf(state, turnId);
  if (turn?.outcome !== 'completed') {
    return turn?.outcome === null ? null : [];
  }
  if (proposals.some(proposal => proposal.inspecting)) {
    return null;
  }
  const end = proposals.findIndex(proposal => proposal.may_run !== 'freely');
  return proposals
    .slice(0, end < 0 ? undefined : end)
    .filter(({ kind, cell_type, state: standing }) => kind === 'insert' && cell_type === 'code' && standing === 'ready')
    .map(proposal => proposal.cell_id);
}

/** The turn of that id, null where there is none. */
export function turnOf(state: State, turnId: string): FullTurn | null {
  return state.turns.find(turn => turn.id === turnId) ?? null;
}

// --- inside -----------------------------------------------------------------------------------------------------------

/** With other proposals. */
function proposing(state: State, all: readonly FullProposal[]): State {
  return { ...state, all, proposals: current(all) };
}

/** What a turn proposes for a cell. */
function proposalOf(state: State, turnId: string, cellId: string): FullProposal | undefined {
  return state.all.findLast(one => one.turn_id === turnId && one.cell_id === cellId);
}

/** With another value of a proposal that there is. */
function replaced(state: State, known: FullProposal, changes: Partial<FullProposal>): State {
  return proposing(state, state.all.map(one => (one === known ? { ...one, ...changes } : one)));
}

/** What the kernel knows takes the place of what was known of it. What one before it knew comes first. */
function restored(state: State, snapshot: Snapshot): State {
  const turns = (snapshot.turns ?? []).map(fullTurn);
  const before = state.orphans.size > 0 ? leftBehind(state, new Set(turns.map(turn => turn.id))) : EMPTY;
  const known: State = {
    ...before,
    hello: state.hello,
    models: state.models,
    problems: state.problems,
    asked: state.asked,
    ideas: state.ideas,
    providers: state.providers,
    answered: state.answered,
    spent: state.spent,
    review: state.review && isReviewing(state.review) ? null : state.review, // how far it is now is said next
    model: snapshot.model || state.model,
    deep: new Map([...before.deep, ...(snapshot.deep ?? []).map(work => [work.id, fullDeepWork(work)] as const)]),
    handed: new Map((snapshot.handed ?? []).map(({ turn_id, reason }) => [turn_id, reason])),
    turns: [...before.turns, ...turns]
  };
  const proposals = (snapshot.proposals ?? []).map(fullProposal);
  const kept = before.all.filter(one => !one.recalled || proposals.every(other => other.cell_id !== one.cell_id));
  const proposed = proposing(known, [...kept, ...proposals]);
  return (snapshot.attempts ?? []).reduce(attempted, turns.reduce((state, turn) => answered(state, turn.id), proposed));
}

/** What is known already is known better. */
function recalled(state: State, { turns, proposals, deep = [] }: TurnsRecalled): State {
  const fresh = turns.filter(turn => !turnOf(state, turn.id));
  const ids = new Set(fresh.map(turn => turn.id));
  const works = deep.filter(work => !state.deep.has(work.id));
  const orphans = new Set([...state.orphans, ...ids, ...works.map(work => work.id)]);
  const known = new Map([...works.map(work => [work.id, work] as const), ...state.deep]);
  return proposing({ ...state, deep: known, turns: [...fresh, ...state.turns], orphans }, [...proposals.filter(one => ids.has(one.turn_id)), ...state.all]);
}

/** What a kernel that went knew: its turns, and what is shown with them; but not those of `others`. */
function leftBehind(state: State, others: ReadonlySet<string>): State {
  const orphans = new Set([...state.orphans].filter(id => !others.has(id)));
  const { meters, trials, cuts, attempts } = state;
  const turns = state.turns.filter(turn => orphans.has(turn.id));
  const deep = new Map([...state.deep].filter(([id]) => orphans.has(id)));
  return proposing({ ...EMPTY, deep, turns, orphans, meters, trials, cuts, attempts }, state.all.filter(one => orphans.has(one.turn_id)));
}

/** The kernel has said something of a turn. */
function answered(state: State, turnId: string): State {
  return state.asked?.turn_id === turnId ? { ...state, asked: null } : state;
}

/** A turn begins, or more is known of one that has begun. */
function started(before: State, turn: FullTurn): State {
  const state = { ...before, orphans: without(before.orphans, turn.id) };
  const known = turnOf(state, turn.id);
  const turns = known
    ? state.turns.map(one => (one.id === turn.id ? { ...turn, notes: one.notes } : one))
    : [...state.turns, turn];
  if (known || turn.steers === null) {
    return { ...state, turns };
  }
  return proposing({ ...state, turns }, state.all.map(one => (one.turn_id === turn.steers ? { ...one, turn_id: turn.id } : one)));
}

function ended(state: State, { turn_id, outcome, reason = '', may_go_on = false }: TurnEnded): State {
  const stopping = without(state.stopping, turn_id);
  return { ...withTurn(state, turn_id, turn => ({ ...turn, outcome, reason, may_go_on })), stopping };
}

function proposed(before: State, proposal: FullProposal): State {
  const state = { ...before, orphans: without(before.orphans, proposal.turn_id) };
  const known = proposalOf(state, proposal.turn_id, proposal.cell_id);
  if (known) {
    return replaced(state, known, { recalled: undefined, ...proposal, source: proposal.state === 'accepted' ? proposal.source : known.source });
  }
  const trials = new Map(state.trials);
  trials.delete(proposal.cell_id);
  const cuts = state.cuts.filter(cut => cut.cell_id !== proposal.cell_id);
  return proposing({ ...state, trials, cuts }, [...state.all, proposal]);
}

function written(before: State, { turn_id, changes }: CellsChanged): State {
  return changes.reduce((state, change) => {
    const proposal = proposalOf(state, turn_id, change.cell_id);
    if (!proposal) {
      return state;
    }
    return change.type === 'delete'
      ? proposing(state, state.all.filter(one => one !== proposal))
      : replaced(state, proposal, { source: sourceAfter(proposal.source, change) });
  }, before);
}

function sourceAfter(source: string, change: Exclude<CellChange, { type: 'delete' }>): string {
  return change.type === 'append' ? source + change.text : change.source ?? '';
}

function found(state: State, event: Findings): State {
  const proposal = proposalOf(state, event.turn_id, event.cell_id);
  if (!proposal) {
    return state;
  }
  const { findings, may_run = DEFAULTS.Findings.may_run } = event;
  return { ...replaced(state, proposal, { findings, may_run }), cuts: event.cut ? [...state.cuts, event] : state.cuts };
}

function tried(state: State, result: TrialResult): State {
  const proposal = proposalOf(state, result.turn_id, result.cell_id);
  return {
    ...(proposal ? replaced(state, proposal, { tried: result.source_hash || proposal.tried, trying: false }) : state),
    trying: without(state.trying, result.cell_id),
    trials: new Map(state.trials).set(result.cell_id, result)
  };
}

function attempted(state: State, event: AttemptChanged): State {
  const others = (state.attempts.get(event.turn_id) ?? []).filter(attempt => attempt.index !== event.index);
  const attempts = [...others, event].sort((a, b) => a.index - b.index);
  return { ...state, attempts: new Map(state.attempts).set(event.turn_id, attempts) };
}

function withTurn(state: State, id: string, change: (turn: FullTurn) => FullTurn): State {
  return { ...state, turns: state.turns.map(turn => (turn.id === id ? change(turn) : turn)) };
}

/** What was asked did not become a turn. */
function refused(state: State, turnId: string): State {
  return state.asked?.turn_id === turnId ? { ...state, asked: null, returned: state.asked.prompt } : state;
}

function abandoned(state: State, reason: string): State {
  const stopped = state.all.map(one => {
    const standing = one.state === 'streaming' ? (one.may_run === 'when-confirmed' ? 'blocked' : 'ready') : one.state;
    return { ...one, inspecting: false, trying: false, state: standing } as const;
  });
  return {
    ...proposing(state, stopped),
    hello: null,
    asked: null,
    review: state.review && isReviewing(state.review) ? { ...state.review, state: 'cancelled' } : state.review,
    stopping: new Set(),
    orphans: new Set([...state.turns.map(turn => turn.id), ...state.deep.keys()]),
    deep: new Map([...state.deep].map(([id, work]) => [id, leftOff(work, reason)])),
    trying: new Set(),
    turns: state.turns.map(turn => (turn.outcome === null ? { ...turn, outcome: 'failed', reason } : turn))
  };
}

/** A deep work whose kernel went: its plan is there. */
function leftOff(work: FullDeepWork, reason: string): FullDeepWork {
  return isOver(work) ? work : { ...work, state: 'paused', running: false, lost: reason };
}

function without(set: ReadonlySet<string>, item: string): ReadonlySet<string> {
  return set.has(item) ? new Set([...set].filter(other => other !== item)) : set;
}
