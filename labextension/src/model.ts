// The state of one notebook's conversation, as a pure reducer over events. It is the one source of what is shown.

import { MOST_PROBLEMS } from './constants';
import {
  DEFAULTS,
  type AttemptChanged,
  type CellChange,
  type Event,
  type Finding,
  type Findings,
  type Hello,
  type Meter,
  type ModelInfo,
  type Problem,
  type Proposal,
  type ProposalState,
  type Snapshot,
  type TrialResult,
  type Turn,
  type TurnEnded
} from './messages';

/** A proposal with every default filled in. */
export interface FullProposal extends Required<Proposal> {
  /** Whether it was accepted by running it. */
  readonly byRunning?: boolean;
}
/** A turn with every default filled in. */
export type FullTurn = Required<Turn>;
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

/** What the reducer takes: the kernel's events and what happens on this side. */
export type Input = Event | KernelGone | ProblemDismissed | TrialStarted | TurnAsked | TurnStopping;

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
  readonly proposals: ReadonlyMap<string, FullProposal>;
  /** Cells whose proposals the kernel no longer knows: they are decided on this side alone. */
  readonly orphans: ReadonlySet<string>;
  readonly meters: ReadonlyMap<string, Meter>;
  readonly trials: ReadonlyMap<string, TrialResult>;
  /** Cells of which a Try runs now. */
  readonly trying: ReadonlySet<string>;
  readonly attempts: ReadonlyMap<string, readonly AttemptChanged[]>;
  /** What was cut from the stream because findings blocked it, in order. */
  readonly cuts: readonly Findings[];
  readonly problems: readonly Problem[];
  readonly models: readonly ModelInfo[];
  readonly model: string;
}

export const EMPTY: State = {
  hello: null,
  turns: [],
  asked: null,
  returned: null,
  stopping: new Set(),
  proposals: new Map(),
  orphans: new Set(),
  meters: new Map(),
  trials: new Map(),
  trying: new Set(),
  attempts: new Map(),
  cuts: [],
  problems: [],
  models: [],
  model: ''
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
      return { ...state, proposals: written(state.proposals, input.changes) };
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
    case 'TurnAsked':
      return { ...state, asked: input.asked, returned: null };
    case 'TurnStopping':
      return { ...state, stopping: new Set([...state.stopping, input.turn_id]) };
    case 'RunRequested':
      return state;
    case 'Mentions': // the session gives it to who asked
      return state;
    case 'Models':
      // An empty list only says which one is selected.
      return { ...state, models: input.models.length > 0 ? input.models : state.models, model: input.selected };
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

// --- what is asked of a state -----------------------------------------------------------------------------------------

/** The turn that streams now: the last one that has neither ended nor been stopped. */
export function streamingTurn(state: State): FullTurn | null {
  return [...state.turns].reverse().find(turn => turn.outcome === null && !state.stopping.has(turn.id)) ?? null;
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
  return [...state.proposals.values()].filter(proposal => proposal.turn_id === turnId);
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

/** What the kernel knows takes the place of what was known of it. What one before it has left undecided stays, with its turns. */
function restored(state: State, snapshot: Snapshot): State {
  const before = state.orphans.size > 0 ? leftBehind(state) : EMPTY;
  const turns = (snapshot.turns ?? []).map(fullTurn);
  const proposals = (snapshot.proposals ?? []).map(fullProposal);
  const known: State = {
    ...before,
    hello: state.hello,
    models: state.models,
    problems: state.problems,
    asked: state.asked,
    model: snapshot.model || state.model,
    turns: [...before.turns.filter(old => !turns.some(turn => turn.id === old.id)), ...turns],
    proposals: new Map([...before.proposals, ...proposals.map(proposal => [proposal.cell_id, proposal] as const)])
  };
  return (snapshot.attempts ?? []).reduce(attempted, turns.reduce((state, turn) => answered(state, turn.id), known));
}

/** What a kernel that went has left: proposals that wait for the user, and what is shown with them. */
function leftBehind(state: State): State {
  const proposals = new Map([...state.proposals].filter(([cellId, proposal]) => state.orphans.has(cellId) && isOpen(proposal)));
  const of = new Set([...proposals.values()].map(proposal => proposal.turn_id));
  const turns = state.turns.filter(turn => of.has(turn.id));
  const { meters, trials, cuts, attempts } = state;
  return { ...EMPTY, turns, proposals, orphans: new Set(proposals.keys()), meters, trials, cuts, attempts };
}

/** The kernel has said something of a turn. */
function answered(state: State, turnId: string): State {
  return state.asked?.turn_id === turnId ? { ...state, asked: null } : state;
}

/** A turn begins, or more is known of one that has begun. */
function started(state: State, turn: FullTurn): State {
  const known = turnOf(state, turn.id);
  const turns = known
    ? state.turns.map(one => (one.id === turn.id ? { ...turn, notes: one.notes } : one))
    : [...state.turns, turn];
  if (known || turn.steers === null) {
    return { ...state, turns };
  }
  const proposals = new Map<string, FullProposal>();
  for (const [id, proposal] of state.proposals) {
    proposals.set(id, proposal.turn_id === turn.steers ? { ...proposal, turn_id: turn.id } : proposal);
  }
  return { ...state, turns, proposals };
}

function ended(state: State, { turn_id, outcome, reason = '' }: TurnEnded): State {
  const stopping = without(state.stopping, turn_id);
  return { ...withTurn(state, turn_id, turn => ({ ...turn, outcome, reason })), stopping };
}

function proposed(state: State, proposal: FullProposal): State {
  const known = state.proposals.get(proposal.cell_id);
  const proposals = new Map(state.proposals);
  if (known?.turn_id === proposal.turn_id) {
    const source = proposal.state === 'accepted' ? proposal.source : known.source;
    proposals.set(proposal.cell_id, { byRunning: known.byRunning, ...proposal, source });
    return { ...state, proposals };
  }
  // A newer proposal for a cell takes the place of the older one, and comes last.
  proposals.delete(proposal.cell_id);
  proposals.set(proposal.cell_id, proposal);
  const trials = new Map(state.trials);
  trials.delete(proposal.cell_id);
  const cuts = state.cuts.filter(cut => cut.cell_id !== proposal.cell_id);
  return { ...state, proposals, trials, cuts, orphans: without(state.orphans, proposal.cell_id) };
}

function written(
  before: ReadonlyMap<string, FullProposal>,
  changes: readonly CellChange[]
): ReadonlyMap<string, FullProposal> {
  const proposals = new Map(before);
  for (const change of changes) {
    const proposal = proposals.get(change.cell_id);
    if (!proposal) {
      continue;
    }
    if (change.type === 'delete') {
      proposals.delete(change.cell_id);
    } else {
      proposals.set(change.cell_id, { ...proposal, source: sourceAfter(proposal.source, change) });
    }
  }
  return proposals;
}

function sourceAfter(source: string, change: Exclude<CellChange, { type: 'delete' }>): string {
  return change.type === 'append' ? source + change.text : change.source ?? '';
}

function found(state: State, event: Findings): State {
  const proposal = state.proposals.get(event.cell_id);
  if (!proposal) {
    return state;
  }
  const { findings, may_run = DEFAULTS.Findings.may_run } = event;
  const proposals = new Map(state.proposals).set(event.cell_id, { ...proposal, findings, may_run });
  return { ...state, proposals, cuts: event.cut ? [...state.cuts, event] : state.cuts };
}

function tried(state: State, result: TrialResult): State {
  const proposal = state.proposals.get(result.cell_id);
  const proposals = proposal
    ? new Map(state.proposals).set(result.cell_id, { ...proposal, tried: result.source_hash || proposal.tried, trying: false })
    : state.proposals;
  return {
    ...state,
    proposals,
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
  const proposals = new Map<string, FullProposal>();
  for (const [id, proposal] of state.proposals) {
    const stopped = proposal.may_run === 'when-confirmed' ? 'blocked' : 'ready';
    proposals.set(id, { ...proposal, inspecting: false, ...(proposal.state === 'streaming' ? { state: stopped } : {}) });
  }
  return {
    ...state,
    hello: null,
    asked: null,
    stopping: new Set(),
    proposals,
    orphans: new Set(proposals.keys()),
    trying: new Set(),
    turns: state.turns.map(turn => (turn.outcome === null ? { ...turn, outcome: 'failed', reason } : turn))
  };
}

function without(set: ReadonlySet<string>, item: string): ReadonlySet<string> {
  return set.has(item) ? new Set([...set].filter(other => other !== item)) : set;
}
