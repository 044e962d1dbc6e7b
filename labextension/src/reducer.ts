// Reducer of a conversation's state over events.
//
// Its twin is spark_jupyter/protocol/turn_view.py; shared fixtures hold both to the same states.

import { MOST_PROBLEMS } from './constants';
import {
  DEFAULTS,
  type AttemptChanged,
  type CellChange,
  type CellsChanged,
  type ConversationChanged,
  type Event,
  type Findings,
  type Problem,
  type Snapshot,
  type TrialResult,
  type Turn,
  type TurnEnded
} from './messages';
import { pruneTurns } from './pruneTurns';
import { current, isOfDocument, isOpen, isOver, isReviewing, turnOf } from './selectors';
import { EMPTY, fullDeepWork, type FullDeepWork, type FullHello, fullHello, fullProposal, type FullProposal, fullTurn, type FullTurn, ofTurns, type State } from './state';

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

/** The user has begun a new conversation. */
export interface ConversationBegun {
  readonly type: 'ConversationBegun';
}

/** The user has read the review. */
export interface ReviewClosed {
  readonly type: 'ReviewClosed';
}

/** What the reducer takes: the kernel's events and what happens on this side. */
export type Input = Event | ConversationBegun | ReviewClosed | KernelGone | ProblemDismissed | TrialStarted | TurnAsked | TurnStopping | TurnsRecalled;

/** The state after `input`. */
export function reduce(state: State, input: Input): State {
  switch (input.type) {
    case 'Hello':
      return greeted(state, fullHello(input));
    case 'Snapshot':
      return restored(state, input);
    case 'TurnStarted':
      return pruneTurns(started(answered(state, input.turn.id), fullTurn(input.turn)));
    case 'ProposalChanged':
      return proposed(state, fullProposal(input.proposal));
    case 'CellsChanged':
      return written(state, input);
    case 'NotesAdded':
      return withTurn(state, input.turn_id, turn => ({
        ...turn,
        notes: input.replaces ? input.text : turn.notes + input.text
      }));
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
      return { ...state, providers: input.providers, modelFiles: input.files ?? [], offers: input.offers ?? [] };
    case 'ModelDownload':
      return { ...state, downloads: new Map([...state.downloads, [input.name, input]]) };
    case 'ProviderAnswered':
      return { ...state, answered: input, models: input.ok && !input.only_test ? [] : state.models };
    case 'OwnKeyChanged':
      return { ...state, ownKey: input };
    case 'Completed': // as Mentions
    case 'NextEdits': // as Mentions
    case 'Drafted': // as Mentions
    case 'Refined': // a view shows it
    case 'PromptRequested': // the session sends it
    case 'CellsRequested': // as PromptRequested
    case 'Inquired': // an agent's
    case 'Mentions': // the session gives it to who asked
      return state;
    case 'MomentsChanged': {
      const moments = input.moments ?? [];
      return { ...state, moments, preview: moments.at(-1)?.id === state.moments.at(-1)?.id ? state.preview : null };
    }
    case 'MomentPreview':
      return { ...state, preview: input };
    case 'CameBack': // the session brings the cells back
      return { ...state, preview: null, cameBack: input };
    case 'Models':
      // An empty list only says which one is selected.
      return { ...state, models: input.models.length > 0 ? input.models : state.models, model: input.selected, serving: input.serving ?? {} };
    case 'ImageSupport':
      return { ...state, imageSupport: input };
    case 'ProjectRules':
      return { ...state, rules: input };
    case 'ConsentChanged':
      return { ...state, consent: input };
    case 'ReviewChanged':
      return { ...state, review: input };
    case 'ConversationBegun':
      return { ...state, conversation: { id: '', title: '', others: new Set(state.turns.map(turn => turn.id)) } };
    case 'ConversationChanged':
      return { ...state, conversation: conversing(state, input, id => state.orphans.has(id)) };
    case 'Conversations':
      return { ...state, conversations: input };
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
  const turns = (snapshot.turns ?? []).map(turn => ({ ...fullTurn(turn), reason: whyItFailed(state, turn) }));
  const told = new Set(turns.map(turn => turn.id));
  const proposals = (snapshot.proposals ?? []).map(fullProposal);
  const decided = new Set(proposals.map(one => one.cell_id));
  const waiting = new Set(state.all.filter(one => isOpen(one) && !decided.has(one.cell_id)).map(one => one.turn_id));
  const isKnown = ({ id, life }: FullTurn) => (told.has(id) && !waiting.has(id)) || (life && life === state.hello?.life);
  const before = state.orphans.size > 0 ? leftBehind(state, new Set([...state.turns.filter(isKnown), ...(snapshot.deep ?? [])].map(one => one.id))) : EMPTY;
  const kept = before.all.filter(one => !one.recalled || !decided.has(one.cell_id));
  const isEmpty = ({ id, life }: FullTurn) => life !== undefined && before.all.some(one => one.turn_id === id) && kept.every(one => one.turn_id !== id);
  const known: State = {
    ...state,
    ...ofTurns(before),
    review: snapshot.review ?? (state.review && isReviewing(state.review) ? null : state.review), // one of an earlier kernel stays
    consent: snapshot.consent ?? EMPTY.consent,
    model: snapshot.model || state.model,
    moments: snapshot.moments?.moments ?? [],
    deep: new Map([...before.deep, ...(snapshot.deep ?? []).map(work => [work.id, fullDeepWork(work)] as const)]),
    handed: new Map((snapshot.handed ?? []).map(({ turn_id, reason }) => [turn_id, reason])),
    trials: new Map([...before.trials, ...(snapshot.trials ?? []).map(trial => [trial.cell_id, trial] as const)]),
    conversation: snapshot.conversation ? conversing(state, snapshot.conversation, id => !told.has(id)) : state.conversation,
    turns: [...before.turns.filter(turn => !told.has(turn.id) && !isEmpty(turn)), ...turns]
  };
  const proposed = proposing(known, [...kept, ...proposals]);
  return (snapshot.attempts ?? []).reduce(attempted, turns.reduce((state, turn) => answered(state, turn.id), proposed));
}

/** Who saw a kernel go knows better why a turn ended than the next kernel, which found it cut. */
function whyItFailed(state: State, { id, outcome, reason = '' }: Turn): string {
  return (outcome === 'failed' && state.orphans.has(id) && turnOf(state, id)?.reason) || reason;
}

/** The conversation that a kernel speaks of; of turns that it does not know what was known of them. */
function conversing(state: State, { id, title = '', others = [] }: ConversationChanged, isUnknown: (turnId: string) => boolean): State['conversation'] {
  return { id, title, others: new Set([...others, ...[...state.conversation.others].filter(isUnknown)]) };
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

/** A provider that takes another's place and names no model has its own: not that of the one before. */
function greeted(state: State, hello: FullHello): State {
  const another = hello.provider !== '' && hello.provider !== state.hello?.provider;
  return { ...state, hello, document: hello.document, model: hello.model || (another ? '' : state.model), serving: hello.serving };
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

function abandoned(before: State, reason: string): State {
  // What is another notebook's, that one has: each tells the next kernel its own.
  const others = new Set(before.turns.filter(turn => !isOfDocument(before, turn)).map(turn => turn.id));
  const state = { ...before, turns: before.turns.filter(turn => !others.has(turn.id)).map(turn => ({ ...turn, document: '' })) };
  const stopped = before.all.filter(one => !others.has(one.turn_id)).map(one => {
    const standing = one.state === 'streaming' ? (one.may_run === 'when-confirmed' ? 'blocked' : 'ready') : one.state;
    return { ...one, inspecting: false, trying: false, state: standing } as const;
  });
  return {
    ...proposing(state, stopped),
    hello: null,
    asked: null,
    moments: [],
    preview: null,
    consent: EMPTY.consent,
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
