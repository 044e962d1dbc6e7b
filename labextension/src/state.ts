// State of one notebook's conversation, as one frozen value.

import {
  DEFAULTS,
  type AttemptChanged,
  type CameBack,
  type ConsentChanged,
  type Conversations,
  type DeepBudget,
  type DeepStep,
  type DeepWork,
  type Findings,
  type Hello,
  type ImageSupport,
  type Meter,
  type ModelDownload,
  type ModelInfo,
  type ModelOffer,
  type MomentInfo,
  type MomentPreview,
  type Serving,
  type Problem,
  type OwnKeyChanged,
  type ProjectRules,
  type Proposal,
  type ProviderAnswered,
  type ProviderInfo,
  type ReviewChanged,
  type Spent,
  type TrialResult,
  type Turn
} from './messages';

/** What a state holds of turns: a Snapshot takes its place, and leaves all else as it was. */
export function ofTurns(state: State): Pick<State, (typeof OF_TURNS)[number]> {
  return Object.fromEntries(OF_TURNS.map(name => [name, state[name]])) as Pick<State, (typeof OF_TURNS)[number]>;
}

const OF_TURNS = [
  ...(['turns', 'forgotten', 'returned', 'stopping', 'all', 'proposals', 'orphans', 'meters'] as const),
  ...(['trials', 'trying', 'attempts', 'deep', 'handed', 'cuts'] as const)
];

/** A proposal with every default filled in. */
export interface FullProposal extends Required<Proposal> {
  /** Whether it was accepted by running it. */
  readonly byRunning?: boolean;
  /** It was read from the notebook, and no kernel has judged it since; whether the cell's text is the one that was proposed. */
  readonly recalled?: 'same' | 'changed';
}
/** A turn with every default filled in. */
export interface FullTurn extends Required<Turn> {
  /** It was read from the notebook: the life of the extension that proposed it, which knows it better where it still lives. */
  readonly life?: string;
}
/** A deep work with every default filled in. */
export interface FullDeepWork extends Required<DeepWork> {
  readonly steps: readonly Required<DeepStep>[];
  readonly budget: Required<DeepBudget>;
}
/** A greeting with every default filled in. On the wire defaults are left out, so what is missing is not unknown. */
export type FullHello = Required<Hello>;

/** All that is known of one notebook's turns and proposals. Values are replaced, never changed. */
export interface State {
  readonly hello: FullHello | null;
  /** What the kernel calls this notebook, see `Hello`. */
  readonly document: string;
  readonly turns: readonly FullTurn[];
  /** So many turns before these are not kept any more. */
  readonly forgotten: number;
  /** The conversation that goes on, its title where it was given one, and the turns that do not belong to it. */
  readonly conversation: { readonly id: string; readonly title: string; readonly others: ReadonlySet<string> };
  /** The conversations that are kept, as they were last listed. */
  readonly conversations: Conversations | null;
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
  /** At which tier it is served, and which there are. */
  readonly serving: Serving;
  /** Whether the model in use reads images; null where nobody has asked. */
  readonly imageSupport: ImageSupport | null;
  /** The files whose rules go along with prompts, and the skills; null where the kernel has not said. */
  readonly rules: ProjectRules | null;
  /** Ideas for a prompt. */
  readonly ideas: readonly string[];
  /** The providers that can be chosen; empty where nobody has asked. */
  readonly providers: readonly ProviderInfo[];
  /** The model files that can be run where the kernel is, by their paths. */
  readonly modelFiles: readonly string[];
  /** The models that can be downloaded, and how far each download is that was begun. */
  readonly offers: readonly ModelOffer[];
  readonly downloads: ReadonlyMap<string, ModelDownload>;
  /** What came of the last choice of a provider. */
  readonly answered: ProviderAnswered | null;
  /** Whether a key of this tab's person is kept for the provider in use; null where nobody has asked. */
  readonly ownKey: OwnKeyChanged | null;
  /** What was spent, as far as it was told. */
  readonly spent: Spent | null;
  /** The newest review of the notebook. */
  readonly review: ReviewChanged | null;
  /** The runs that agents wait for, and the grants. */
  readonly consent: ConsentChanged;
  /** The moments that can be gone back to, oldest first, and what a return to one would change, as far as it is known. */
  readonly moments: readonly MomentInfo[];
  readonly preview: MomentPreview | null;
  /** The last return. */
  readonly cameBack: CameBack | null;
}

export const EMPTY: State = {
  hello: null,
  document: '',
  turns: [],
  forgotten: 0,
  conversation: { id: '', title: '', others: new Set() },
  conversations: null,
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
  serving: {},
  imageSupport: null,
  rules: null,
  ideas: [],
  providers: [],
  modelFiles: [],
  offers: [],
  downloads: new Map(),
  answered: null,
  ownKey: null,
  spent: null,
  review: null,
  consent: { type: 'ConsentChanged' },
  moments: [],
  preview: null,
  cameBack: null
};

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
