// Destination of the next message, shown before it is sent.

import type { NotebookView } from '../notebookView';
import type { Prompt, Target } from '../messages';
import { streamingTurn, switchedOff } from '../selectors';
import { cellKey, indexOf, promptPolicy } from '../sharedModel';
import { parseTyped, type Wishes } from './slashCommands';
import { t } from '../translation';

/** Where the next message goes. */
export interface Destination {
  readonly kind: 'none' | 'steer' | 'edit' | 'new' | 'hint' | 'command' | 'deep';
  /** The same in words. */
  readonly label: string;
  /** What else is to be known of it. */
  readonly hint: string;
  readonly target: Target;
}

/** A prompt that is meant in no particular way. */
export const NO_WISHES: Wishes = { editing: false, asNew: false, deep: false };

/** Where `draft` goes. Only what the user chose decides, never the words of the prompt. */
export function destinationOf(view: NotebookView | null, draft: string, chosen: Wishes): Destination {
  if (!view) {
    return { kind: 'none', label: t('Open a notebook to begin.'), hint: '', target: {} };
  }
  const policy = promptPolicy(view.session.notebook);
  if (policy === 'off' || switchedOff(view.session.store.state, 'prompts')) {
    return { kind: 'none', label: t('Prompts are off in this notebook.'), hint: '', target: {} };
  }
  const typed = parseTyped(draft.trim());
  const command = typed.kind === 'command' ? typed.command : null;
  if (command?.run) {
    return { kind: 'command', label: `/${command.id}: ${command.help}`, hint: '', target: {} };
  }
  const wishes = command ? { ...NO_WISHES, ...command.wishes } : chosen;
  const name = view.session.context.localPath.split('/').at(-1) ?? '';
  if (wishes.deep) {
    const { target } = atTheActiveCell(view, name, false);
    return { kind: 'deep', label: t('Deep work in the background'), hint: t('It is proposed when it is done'), target };
  }
  if (streamingTurn(view.session.store.state)) {
    return { kind: 'steer', label: t('Steer the answer being written'), hint: t('In %1', name), target: {} };
  }
  if (policy === 'hints') {
    return { ...atTheActiveCell(view, name, false), kind: 'hint', label: t('Ask for a hint') };
  }
  return atTheActiveCell(view, name, wishes.editing && !(chosen.asNew && !command));
}

/** The intent of a turn that goes there. */
export function intentOf({ kind }: Destination): NonNullable<Prompt['intent']> {
  return kind === 'edit' ? 'edit' : 'generate';
}

function atTheActiveCell(view: NotebookView, name: string, editing: boolean): Destination {
  const { activeCell, activeCellIndex } = view.panel.content;
  const hint = t('In %1', name);
  if (!activeCell) {
    return { kind: 'new', label: t('Insert at the end'), hint, target: {} };
  }
  const id = cellKey(activeCell.model.id);
  const number = activeCellIndex + 1;
  const source = activeCell.model.sharedModel.source;
  if (editing && source.trim()) {
    return { kind: 'edit', label: t('Edit cell %1', number), hint: t('%1. Nothing changes before you accept. Alt-Enter: new cells instead', hint), target: { edit: id } };
  }
  if (!source.trim() && activeCell.model.type === 'code') {
    return { kind: 'new', label: t('Fill empty cell %1', number), hint, target: { after: id, reuse: id } };
  }
  const below = view.placeBelow;
  if (below !== null) {
    const last = indexOf(view.session.notebook, below) + 1;
    return { kind: 'new', label: t('Insert below cell %1', last), hint: t('%1, after the last answer', hint), target: { after: below } };
  }
  return { kind: 'new', label: t('Insert below cell %1', number), hint, target: { after: id } };
}
