// Where the next message goes: decided before it is sent, and said.

import { FOLLOW_UP } from '../constants';
import type { Prompt, Target } from '../messages';
import { proposalsOf, streamingTurn, isTakenBack } from '../selectors';
import type { FullProposal, State } from '../state';
import { nameOf } from '../proposalFooter';
import { cellKey, find, indexOf } from '../sharedModel';
import type { NotebookView } from '../notebookView';
import { parseTyped, SLASH_COMMANDS } from './slashCommands';

/** Where the next message goes. */
export interface Destination {
  readonly kind: 'none' | 'steer' | 'edit' | 'new' | 'command' | 'deep';
  /** The same in words. */
  readonly label: string;
  readonly target: Target;
}

/** What the user has said about it beside the words. */
export interface Wishes {
  /** The active cell is to be edited. */
  readonly editing: boolean;
  /** New cells are wanted, even if the words seem to go on from the last answer. */
  readonly asNew: boolean;
  /** A slower model is to do it, in the background. */
  readonly deep: boolean;
}

/** The words say it all. */
export const NO_WISHES: Wishes = { editing: false, asNew: false, deep: false };

const GOES_ON = new RegExp(FOLLOW_UP, 'i');

/** Where `draft` goes. */
export function destinationOf(view: NotebookView | null, draft: string, wishes: Wishes): Destination {
  if (!view) {
    return { kind: 'none', label: 'Open a notebook to begin.', target: {} };
  }
  const typed = parseTyped(draft.trim());
  const command = typed.kind === 'command' ? SLASH_COMMANDS.find(one => one.name === typed.name) : undefined;
  if (command?.name === 'deep' || (wishes.deep && !command)) {
    const { target } = atTheActiveCell(view, '', false);
    return { kind: 'deep', label: 'Deep work, in the background; it is proposed when it is done', target };
  }
  if (command && !['edit', 'new', 'attempts'].includes(command.name)) {
    return { kind: 'command', label: `/${command.name}: ${command.what}`, target: {} };
  }
  const name = view.session.context.localPath.split('/').at(-1) ?? '';
  const { state } = view.session.store;
  if (streamingTurn(state)) {
    return { kind: 'steer', label: `Steers the answer that is being written in ${name}`, target: {} };
  }
  const editing = (wishes.editing && !wishes.asNew) || command?.name === 'edit';
  const amended = editing || command || wishes.asNew ? null : amendedBy(draft, state, view);
  return amended ? goingOn(amended) : atTheActiveCell(view, name, editing);
}

/** What a turn of this kind is asked for. */
export function intentOf({ kind }: Destination): NonNullable<Prompt['intent']> {
  return kind === 'edit' ? 'edit' : 'generate';
}

function goingOn(proposal: FullProposal): Destination {
  const first = nameOf(proposal.source).trim();
  const label = `Changes “${first.length > 40 ? `${first.slice(0, 39)}…` : first}”, the last answer. Alt-Enter: new cells instead`;
  return { kind: 'edit', label, target: { edit: proposal.cell_id } };
}

function atTheActiveCell(view: NotebookView, name: string, editing: boolean): Destination {
  const { activeCell, activeCellIndex } = view.panel.content;
  if (!activeCell) {
    return { kind: 'new', label: `New cells at the end of ${name}`, target: {} };
  }
  const id = cellKey(activeCell.model.id);
  const where = `cell ${activeCellIndex + 1} of ${name}`;
  const source = activeCell.model.sharedModel.source;
  if (editing && source.trim()) {
    return { kind: 'edit', label: `Edits ${where}; nothing changes before you accept. Alt-Enter: new cells instead`, target: { edit: id } };
  }
  if (!source.trim() && activeCell.model.type === 'code') {
    return { kind: 'new', label: `Written into the empty ${where}`, target: { after: id, reuse: id } };
  }
  const below = view.placeBelow;
  if (below !== null) {
    const number = indexOf(view.session.notebook, below) + 1;
    return { kind: 'new', label: `New cells below cell ${number} of ${name}, after the last answer`, target: { after: below } };
  }
  return { kind: 'new', label: `New cells below ${where}`, target: { after: id } };
}

/**
 * The last answer's last cell of code, where the words read as if they went on from it and it still stands. What was answered in words alone,
 * a No too, takes nobody's place.
 */
function amendedBy(draft: string, state: State, view: NotebookView): FullProposal | null {
  const turn = state.turns.findLast(({ id }) => proposalsOf(state, id).length > 0);
  if (!turn || !GOES_ON.test(draft.trim().split('\n', 1)[0])) {
    return null;
  }
  const kept = proposalsOf(state, turn.id).filter(one => one.cell_type === 'code' && !isTakenBack(one) && one.state !== 'streaming');
  const last = kept.at(-1);
  return last && find(view.session.notebook, last.cell_id) ? last : null;
}
