// Model of a proposal's footer, computed from the state.

import type { ISharedNotebook } from '@jupyter/ydoc';
import { REPAIRED } from '../constants';
import { contentHash } from '../hash';
import { toldSentences } from '../kernelTexts';
import type { Aside, Finding, Findings, Person, Surprise, TrialResult } from '../messages';
import { cutOf, isAnothers, isNew, trialOf, turnOf, wantsSecondYes } from '../selectors';
import type { FullProposal, State } from '../state';
import { outcomeOf } from './trialResult';
import { whyUntried } from './untried';
import { t } from '../translation';

/** What the footer can ask for, by the name in its buttons' `data-action`. */
export type Action =
  | 'accept'
  | 'continue'
  | 'fix'
  | 'run'
  | 'run-anyway'
  | 'dont-run'
  | 'diff'
  | 'try'
  | 'cancel-try'
  | 'reject'
  | 'stop'
  | HunkAction;

/** What can be done with one change of an edit. */
export type HunkAction = 'next-hunk' | 'previous-hunk' | 'accept-hunk' | 'reject-hunk';

/** State of the diff of an edit. */
export interface Hunks {
  readonly count: number;
  /** From 0. */
  readonly current: number;
  /** Whether a change of it was decided by itself. */
  readonly partly: boolean;
  /** Whether the diff is on the screen. */
  readonly shown: boolean;
  /** Whether the cell was changed after the edit began. */
  readonly stale: boolean;
  /** How many places the user changed that the edit changes too. */
  readonly conflicts: number;
}

/** Question that must be answered before a proposal is run or accepted. */
export type Confirmation = 'run' | 'accept';

/** All that a footer shows. */
export interface FooterModel {
  readonly state: FullProposal['state'];
  /** Whether the user has stopped the turn, and the kernel has not confirmed it yet. */
  readonly stopping: boolean;
  readonly kind: FullProposal['kind'];
  /** Whether its cell is new, also where this is an edit of what is not decided yet. */
  readonly isNew: boolean;
  readonly operation: FullProposal['operation'];
  readonly code: boolean;
  readonly findings: readonly Finding[];
  /** Remarks about its lines that are no findings. */
  readonly asides: readonly Aside[];
  /** Effects of its Try that come first; none where the text has changed since. */
  readonly surprises: readonly Surprise[];
  /** Whether the slower checks still look at it: Run waits for them. */
  readonly inspecting: boolean;
  readonly blocked: boolean;
  readonly cut: Findings | null;
  readonly hunks: Hunks | null;
  readonly trying: boolean;
  readonly trial: TrialResult | null;
  /** Whether what was tried is what would run now; null where nothing was tried. */
  readonly tried: 'same' | 'changed' | null;
  /** Why nobody tried it, in a sentence; empty where no other cell is the reason. */
  readonly untried: string;
  /** Why Try can't work; empty where it can. */
  readonly noTry: string;
  /** What is missing where it was stopped in the middle of a statement; empty where it is whole, or the user has changed it. */
  readonly unfinished: string;
  /** How often it was rewritten because it failed in a copy. */
  readonly repairs: number;
  readonly recalled: FullProposal['recalled'];
  /** The person who asked for it; null where that is the user, or not known. */
  readonly by: Person | null;
  /** The question that waits for an answer. */
  readonly question: Confirmation | null;
}

/** The footer's model for a proposal. `standing` gives the source that would run now. */
export function footerModel(state: State, proposal: FullProposal, hunks: Hunks | null, standing: () => string, notebook: ISharedNotebook, me?: Person | null): FooterModel {
  const { hello } = state;
  const turn = turnOf(state, proposal.turn_id);
  const trial = state.trials.get(proposal.cell_id) ?? null;
  const tried = trial?.source_hash ? (trial.source_hash === contentHash(standing()) ? 'same' : 'changed') : null;
  return {
    state: proposal.state,
    stopping: state.stopping.has(proposal.turn_id),
    kind: proposal.kind,
    isNew: isNew(state, proposal),
    operation: proposal.operation,
    code: proposal.cell_type === 'code',
    findings: proposal.findings,
    asides: proposal.asides,
    surprises: tried === 'changed' ? [] : proposal.surprises,
    inspecting: proposal.inspecting,
    blocked: wantsSecondYes(proposal),
    cut: cutOf(state, proposal.cell_id),
    hunks,
    trying: proposal.trying || state.trying.has(proposal.cell_id),
    trial,
    tried,
    untried: whyUntried(state, proposal, notebook),
    noTry: hello ? toldSentences(hello.try_unavailable ?? '') : t('The kernel that proposed this is gone.'),
    unfinished: proposal.unfinished && standing() === proposal.source ? toldSentences(proposal.unfinished) : '',
    repairs: proposal.repairs,
    recalled: proposal.recalled,
    by: turn && isAnothers(turn, me?.id) ? turn.by : null,
    question: null
  };
}

/** The trial of the text as it is now; null where there is none. */
export function currentTrial({ trial, tried }: Pick<FooterModel, 'trial' | 'tried'>): TrialResult | null {
  return tried === 'changed' ? null : trial;
}

/** What the state suggests to do; null where a surprise is to be read first, or a new cell is still being tried. */
export function primaryAction(model: Pick<FooterModel, 'state' | 'isNew' | 'operation' | 'code' | 'blocked' | 'unfinished' | 'surprises' | 'trying' | 'trial' | 'tried'>): Action | null {
  const trial = currentTrial(model);
  const outcome = trial && outcomeOf(trial);
  if (model.state === 'streaming') {
    return 'stop';
  }
  if (model.unfinished) {
    return 'continue';
  }
  if (model.blocked) {
    return 'run';
  }
  if (outcome === 'failed') {
    return 'fix';
  }
  const isNewCode = model.isNew && model.code;
  if (model.surprises.length > 0 || (isNewCode && model.trying)) {
    return null;
  }
  const runs = model.operation?.kind === 'run' || (isNewCode && outcome === 'tested');
  return runs ? 'run' : 'accept';
}

/** The same for a proposal whose cell is not looked at: a result counts for the text as it was proposed. */
export function suggestedAction(state: State, proposal: FullProposal, trying = proposal.trying): Action | null {
  const trial = trialOf(state, proposal);
  const tried = trial?.source_hash && trial.source_hash !== contentHash(proposal.source) ? 'changed' : 'same';
  return primaryAction({ ...proposal, isNew: isNew(state, proposal), code: proposal.cell_type === 'code', blocked: wantsSecondYes(proposal), trying, trial: trial ?? null, tried });
}

/** The command that does what a button does: for its shortcut. */
export function commandOf(action: Action | 'deepen'): string {
  const named: Partial<Record<typeof action, string>> = { stop: 'cancel', fix: 'fix-proposal' };
  return `spark:${named[action] ?? action}`;
}

/** Whether it is an edit that makes one change: to decide that by itself is to decide all. */
export function isOneChange({ hunks }: Pick<FooterModel, 'hunks'>): boolean {
  return hunks?.count === 1 && !hunks.partly;
}

/** The label of a state, in the footer, in the panel and for screen readers. */
export function stateLabel(model: Pick<FullProposal, 'state' | 'kind' | 'operation' | 'byRunning' | 'repairs'>, stopping = false): string {
  switch (model.state) {
    case 'streaming':
      return stopping ? t('Stopping…') : model.kind === 'edit' ? t('Editing…') : t('Writing…');
    case 'blocked':
      return `${t('Blocked')}${repaired(model.repairs)}`;
    case 'accepted':
      return model.byRunning ? t('Accepted by running it') : t('Accepted');
    case 'rejected':
      return t('Rejected');
    case 'reverted':
      return t('Reverted');
    case 'ready':
      return `${proposedLabel(model)}${repaired(model.repairs)}`;
  }
}

function proposedLabel({ kind, operation }: Pick<FullProposal, 'kind' | 'operation'>): string {
  switch (operation?.kind) {
    case 'delete':
      return t('Proposed deletion');
    case 'move':
      return t('Proposed move');
    case 'run':
      return t('Proposed run');
    case undefined:
      return kind === 'edit' ? t('Proposed edit') : t('Proposed');
  }
}

function repaired(repairs: number): string {
  const words = REPAIRED[Math.min(repairs, REPAIRED.length - 1)];
  return words ? `, ${t(words)}` : '';
}
