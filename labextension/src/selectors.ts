// Selectors over the state of a conversation.

import { told, toldSentences } from './kernelTexts';
import { DEFAULTS, type Event, type Finding, type Findings, type MomentInfo, type ReviewChanged, type Skill, type TrialResult } from './messages';
import type { FullDeepWork, FullProposal, FullTurn, State } from './state';

/** The turn that streams now: the last one that has neither ended nor been stopped. */
export function streamingTurn(state: State): FullTurn | null {
  return [...state.turns].reverse().find(turn => turn.outcome === null && !state.stopping.has(turn.id)) ?? null;
}

/** Why administrators have switched something off; empty where they have not. */
export function switchedOff(state: Pick<State, 'hello'> | null, what: 'prompts' | 'agents' | 'auto_run' | 'rehearsal' | 'images'): string {
  return toldSentences(state?.hello?.policy?.off?.[what] ?? '');
}

/** Ideas for a prompt, in the user's language where a language model answers: recipes know English alone. */
export function ideasOf({ hello, ideas }: Pick<State, 'hello' | 'ideas'>): readonly string[] {
  return hello?.offline ? ideas : ideas.map(told);
}

/** Of every cell the proposal that it is about: as `current` in spark_jupyter/protocol/turn_view.py. */
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

/** What came of trying a proposal: its cell may have had another one since, whose result is another. */
export function trialOf({ trials }: Pick<State, 'trials'>, { cell_id, turn_id }: Pick<FullProposal, 'cell_id' | 'turn_id'>): TrialResult | undefined {
  const trial = trials.get(cell_id);
  return trial?.turn_id === turn_id ? trial : undefined;
}

/** Whether a proposal has left its cell as it was. */
export function isTakenBack({ state }: Pick<FullProposal, 'state'>): boolean {
  return state === 'rejected' || state === 'reverted';
}

/** Whether a proposal waits for the user (or is still being written). */
export function isOpen({ state }: Pick<FullProposal, 'state'>): boolean {
  return state === 'streaming' || state === 'ready' || state === 'blocked';
}

/** Whether the cell of a proposal is a new one on which nobody has decided, edited since or not. */
export function isNew({ all }: Pick<State, 'all'>, { kind, cell_id }: Pick<FullProposal, 'kind' | 'cell_id'>): boolean {
  return kind === 'insert' || all.some(one => one.kind === 'insert' && one.cell_id === cell_id && isOpen(one));
}

/** Whether a proposal changes or deletes text that stands in the notebook, which a diff shows. */
export function hasDiff({ kind, operation }: Pick<FullProposal, 'kind' | 'operation'>): boolean {
  return kind === 'edit' && (!operation || operation.kind === 'delete');
}

/**
 * The cell below which a moved or deleted one stood, null for the top. Where that one was itself moved or deleted since, it is the one
 * above it.
 */
export function formerAbove({ all }: Pick<State, 'all'>, { cell_id, operation }: FullProposal): string | null {
  const passed = new Set([cell_id]);
  let above = operation?.above ?? null;
  while (above !== null && !passed.has(above)) {
    const name = above;
    const away = all.findLast(one => one.cell_id === name && one.state === 'accepted' && (one.operation?.kind === 'move' || one.operation?.kind === 'delete'));
    if (!away) {
      return above;
    }
    passed.add(above);
    above = away.operation?.above ?? null;
  }
  return above === null ? null : operation?.above ?? null;
}

/** Whether a proposal can be accepted or rejected now. */
export function isDecidable(proposal: Pick<FullProposal, 'state'>): boolean {
  return proposal.state === 'ready' || proposal.state === 'blocked';
}

/** Whether nothing is said against a proposal, so that it goes along with all others. The session says so; until it has, nothing does. */
export function isFree({ may_run, recalled }: Pick<FullProposal, 'may_run' | 'recalled'>): boolean {
  return recalled === undefined && may_run === 'freely';
}

/** Whether a person's second yes is wanted before it runs: the session says so, or has not judged it yet. */
export function wantsSecondYes({ may_run, recalled }: Pick<FullProposal, 'may_run' | 'recalled'>): boolean {
  return recalled !== undefined || may_run === 'when-confirmed';
}

/** Whether who has seen one proposal has seen what another would do. The text of a new cell that was read from the notebook stands there, and is its reader's. */
export function isSameText(seen: FullProposal | undefined, now: FullProposal): boolean {
  const same = seen?.kind === now.kind && seen.operation?.kind === now.operation?.kind;
  return same && (seen.source === now.source || (seen.kind === 'insert' && seen.recalled !== undefined));
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
  const end = proposals.findIndex(proposal => !isFree(proposal));
  return proposals
    .slice(0, end < 0 ? undefined : end)
    .filter(({ kind, cell_type, state: standing }) => kind === 'insert' && cell_type === 'code' && standing === 'ready')
    .map(proposal => proposal.cell_id);
}

/** The turns of the conversation that goes on. */
export function conversationTurns(state: State): readonly FullTurn[] {
  return state.turns.filter(turn => !state.conversation.others.has(turn.id));
}

/** The turns that were left, each with the youngest moment that brings it back. Those that wait for a decision stay in sight. */
export function branchesOf(state: State): ReadonlyMap<string, MomentInfo> {
  const left = state.moments.flatMap(moment => (moment.brings ?? []).map(id => [id, moment] as const));
  return new Map(left.filter(([id]) => !proposalsOf(state, id).some(isDecidable)));
}

/** The turns of the conversation that the model knows: not those that were left. */
export function knownTurns(state: State): readonly FullTurn[] {
  const branches = branchesOf(state);
  return conversationTurns(state).filter(turn => !branches.has(turn.id));
}

/** The last prompt and what steered it since, in their order, and the turns in which that was begun and ended; null where there is none. */
export function askedLast(state: State): { prompts: readonly string[]; first: FullTurn; last: FullTurn } | null {
  const turns = knownTurns(state);
  const last = turns.at(-1);
  if (!last) {
    return null;
  }
  const chain = [last];
  // A turn steers one before it. What a notebook brings along may say that it steers itself.
  for (let at = turns.length - 2; at >= 0; at--) {
    if (turns[at].id === chain[0].steers) {
      chain.unshift(turns[at]);
    }
  }
  return { prompts: chain.map(turn => turn.prompt), first: chain[0], last };
}

/** The turn of that id, null where there is none. */
export function turnOf(state: State, turnId: string): FullTurn | null {
  return state.turns.find(turn => turn.id === turnId) ?? null;
}

/** Whether what a turn proposes is for the notebook of this state: another one on the same kernel has its own. */
export function isOfDocument(state: State, turn: FullTurn | null): boolean {
  return !turn?.document || turn.document === state.document;
}

/** Whether a turn is another person's than `me`. Nobody knows whose those are that a magic or an agent began. */
export function isAnothers({ by }: Pick<FullTurn, 'by'>, me: string | undefined): boolean {
  return by !== null && by.id !== me;
}

/** Whether an event tells of a command of somebody other than `me` that was refused. */
export function isAnothersRefusal(event: Event, me: string | undefined): boolean {
  return event.type === 'Problem' && Boolean(event.by) && event.by?.id !== me;
}

/** Whether nothing more comes of a deep work. */
export function isOver({ state }: Pick<FullDeepWork, 'state'>): boolean {
  return state === 'proposed' || state === 'gave-up' || state === 'cancelled';
}

/** The skills that a prompt may begin with. */
export function skillsOf({ rules }: State): readonly Required<Skill>[] {
  return (rules?.skills ?? []).map(skill => ({ ...DEFAULTS.Skill, ...skill }));
}

/** Whether more comes of a review. */
export function isReviewing({ state }: ReviewChanged): boolean {
  return state === 'looking' || state === 'running';
}
