// Open proposals in notebook metadata: written, and validated when read.
//
// Notebooks of before have all turns with their words there: these are read, and gone with the next save.
// A notebook may come from anybody. What is read back is checked field by field and bounded; nothing in it is executed, or lets anything
// run: a pending proposal is judged again by the kernel, and needs confirmation until then.

import { isCellId, isObject, isTurnId, oneOf, sparse, targetFrom, textUpTo } from './validate';
import { MOST_KEPT_CHARACTERS, MOST_KEPT_PROPOSALS, MOST_KEPT_TURNS } from './constants';
import { storedDeepWorks, deepWorksFrom } from './deepWorkRecord';
import { contentHash } from './hash';
import type { CellOperation, DeepWork, Finding, Proposal, Turn } from './messages';
import { isOfDocument, isOpen, isTakenBack, turnOf } from './selectors';
import { type FullDeepWork, type FullProposal, fullProposal, type FullTurn, fullTurn, type State } from './state';

/** Goes up when what is kept changes in a way that an older version would misread. */
const VERSION = 1;
/** One text: a prompt, notes, a source. */
const isText = textUpTo(50_000);
const MOST_FINDINGS = 30;

/**
 * A proposal as it is kept: what is found out about it again is not. The source of a new cell is the cell's; `hash` is of what was
 * proposed.
 */
interface KeptProposal extends Proposal {
  readonly hash: string;
}

/** What stands under the key `spark` of a notebook's metadata. */
export interface Kept {
  readonly version: number;
  readonly turns: readonly Turn[];
  readonly proposals: readonly KeptProposal[];
  readonly deep?: readonly DeepWork[];
}

/** What was read: what is left out is not a record of ours. */
export interface Recalled {
  readonly turns: readonly FullTurn[];
  readonly proposals: readonly FullProposal[];
  readonly deep: readonly FullDeepWork[];
  /** Whether something could not be believed. */
  readonly broken: boolean;
}

// --- writing ------------------------------------------------------------------------------------------------------------

/**
 * What a notebook is to keep of a state; null where there is nothing. Open proposals, the youngest as far as they fit, with the ids of their
 * turns and not a word of these. Deep work that is not over has its plan.
 */
export function toRecord(state: State): Kept | null {
  let room = MOST_KEPT_CHARACTERS;
  const fits = (one: KeptProposal) => (room -= JSON.stringify(one).length) >= 0;
  const isHere = (one: FullProposal) => isOpen(one) && isOfDocument(state, turnOf(state, one.turn_id));
  const open = state.all.filter(isHere).slice(-MOST_KEPT_PROPOSALS).map(keptProposal).reverse();
  const proposals = open.filter(fits).reverse();
  const turns = state.turns
    .filter(turn => proposals.some(one => one.turn_id === turn.id))
    .map(({ id, model, target, outcome }) => ({ ...(sparse('Turn', { id, prompt: '', model, target, outcome }) as Turn), ...lifeOf(state, id) }));
  const deep = storedDeepWorks(state);
  return turns.length > 0 || deep.length > 0 ? { version: VERSION, turns, proposals, ...(deep.length > 0 ? { deep } : {}) } : null;
}

/** The life of the extension that knows a turn: as long as that lives, it knows it better than the notebook does. */
function lifeOf({ hello, orphans }: State, turnId: string): { life?: string } {
  return hello?.life && !orphans.has(turnId) ? { life: hello.life } : {};
}

function keptProposal(proposal: FullProposal): KeptProposal {
  const { cell_id, turn_id, kind, cell_type, state, may_run, base, source, operation } = proposal;
  const isNew = kind === 'insert';
  const kept = { cell_id, turn_id, kind, cell_type, state, may_run, base, operation, ...(isNew ? {} : { source }) };
  const hashed = isNew && state === 'streaming' ? '' : contentHash(source);
  return { ...(sparse('Proposal', kept) as Proposal), hash: hashed };
}

/** Without any of them metadata is another's word, such as the author's rules. */
const FIELDS: readonly (keyof Kept)[] = ['version', 'turns', 'proposals', 'deep'];

// --- reading ------------------------------------------------------------------------------------------------------------

/** What metadata says of turns; `sourceOf` gives what a cell of the notebook holds, null where there is none. */
export function fromRecord(metadata: unknown, sourceOf: (cellId: string) => string | null): Recalled {
  if (metadata === undefined || metadata === null || (isObject(metadata) && !FIELDS.some(field => field in metadata))) {
    return { turns: [], proposals: [], deep: [], broken: false };
  }
  const { version, turns, proposals, deep } = isObject(metadata) ? metadata : {};
  if (version !== VERSION || !Array.isArray(turns) || !Array.isArray(proposals)) {
    return { turns: [], proposals: [], deep: [], broken: true };
  }
  const known = turns.slice(-MOST_KEPT_TURNS).map(turnFrom).filter(turn => turn !== null);
  const ids = new Set(known.map(turn => turn.id));
  const read = proposals.slice(-MOST_KEPT_PROPOSALS).map(one => proposalFrom(one, sourceOf));
  const mine = read.filter(one => one !== null && ids.has(one.turn_id)) as FullProposal[];
  const broken = ids.size < turns.length || mine.length < proposals.length;
  return { turns: known.filter((turn, index) => known.findIndex(one => one.id === turn.id) === index), proposals: mine, deep: deepWorksFrom(deep), broken };
}

function turnFrom(value: unknown): FullTurn | null {
  if (!isObject(value) || !isTurnId(value.id) || !isText(value.prompt)) {
    return null;
  }
  const { id, prompt, model, started_at, target, steers, outcome, reason, notes, withheld, life } = value;
  const turn = fullTurn({
    id,
    prompt,
    model: isText(model) ? model : '',
    started_at: typeof started_at === 'number' ? started_at : 0,
    target: targetFrom(target),
    steers: isTurnId(steers) ? steers : null,
    outcome: oneOf(outcome, ['completed', 'cancelled', 'superseded', 'failed']) ?? 'failed',
    reason: isText(reason) ? reason : outcome === undefined || outcome === null ? 'The page or the kernel went away while it was written.' : '',
    notes: isText(notes) ? notes : '',
    withheld: Array.isArray(withheld) ? withheld.filter(isText).slice(0, 50) : []
  });
  return { ...turn, life: isText(life) ? life : '' };
}

/** A proposal that was kept. What waits must be judged again; a draft whose hash is another one's is not believed. */
function proposalFrom(value: unknown, sourceOf: (cellId: string) => string | null): FullProposal | null {
  const kind = isObject(value) ? oneOf(value.kind ?? 'insert', ['insert', 'edit']) : null;
  const state = isObject(value) ? oneOf(value.state ?? 'streaming', ['streaming', 'ready', 'blocked', 'accepted', 'rejected', 'reverted']) : null;
  const cell_type = isObject(value) ? oneOf(value.cell_type ?? 'code', ['code', 'markdown', 'raw']) : null;
  if (!isObject(value) || !kind || !state || !cell_type || !isCellId(value.cell_id) || !isTurnId(value.turn_id)) {
    return null;
  }
  const { cell_id, turn_id, base = '', source, hash } = value;
  const taken = isTakenBack({ state });
  const standing = kind === 'insert' ? sourceOf(cell_id) ?? '' : source === undefined ? '' : null;
  const text = isText(source) ? source : standing;
  if (text === null || !isText(base) || typeof hash !== 'string') {
    return null;
  }
  const same = contentHash(text) === hash;
  const operation = operationFrom(value.operation);
  if (kind === 'edit' && (!same || operation === undefined)) {
    return null;
  }
  const isProposed = !taken && state !== 'accepted';
  return {
    ...fullProposal({ cell_id, turn_id, kind, cell_type, base, source: text, operation: (kind === 'edit' && operation) || null, findings: findingsFrom(value.findings) }),
    state: state === 'streaming' ? 'ready' : state,
    may_run: oneOf(value.may_run, ['when-asked', 'when-confirmed']) ?? 'freely',
    ...(isProposed ? { recalled: same ? 'same' : 'changed' } : {})
  };
}

/** What is done with the cell; null where its text is changed, undefined where it can't be read. */
function operationFrom(value: unknown): CellOperation | null | undefined {
  const kind = isObject(value) ? oneOf(value.kind, ['delete', 'move', 'run']) : null;
  if (!isObject(value) || !kind) {
    return value === undefined || value === null ? null : undefined;
  }
  const named = Object.entries(value).filter(([key, id]) => ['below', 'above'].includes(key) && isCellId(id));
  return { kind, ...Object.fromEntries(named) };
}

function findingsFrom(value: unknown): Finding[] {
  const findings = Array.isArray(value) ? value.slice(0, MOST_FINDINGS) : [];
  return findings.flatMap(one => {
    const severity = isObject(one) ? oneOf(one.severity, ['block', 'warn', 'hint']) : null;
    if (!isObject(one) || !severity || !isText(one.rule) || !isText(one.message) || typeof one.line !== 'number') {
      return [];
    }
    const { rule, message, line, remedy, column } = one;
    return [{ rule, message, line, severity, remedy: isText(remedy) ? remedy : '', column: typeof column === 'number' ? column : 0 } as Finding];
  });
}
