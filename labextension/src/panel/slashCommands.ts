// Slash commands of the prompt box, as one table.

import type { QuickPrompts } from './quickPrompts';
import type { Race } from './resolveInput';
import { t } from '../translation';

/** What commands can do; the panel's model does it. */
export interface CommandActions {
  readonly quick: Pick<QuickPrompts, 'fix' | 'explain' | 'look' | 'hint' | 'why' | 'deepen'>;
  retry(): Promise<void>;
  newConversation(words: string): Promise<void>;
  selectModel(name: string): void;
  tryProposal(): Promise<void>;
}

/** What a command's availability depends on. */
export interface CommandContext {
  /** The active cell failed. */
  readonly canFix: boolean;
  /** A proposal is open. */
  readonly canTry: boolean;
  /** Something was asked before. */
  readonly hasTurns: boolean;
}

/** How a prompt is meant, beside its text. */
export interface Wishes {
  /** The active cell is to be edited. */
  readonly editing: boolean;
  /** New cells are wanted. */
  readonly asNew: boolean;
  /** The deep model is to do it, in the background. */
  readonly deep: boolean;
}

/** A command. It either runs something, or sends its words as a prompt that is meant in a certain way. */
export interface SlashCommand {
  readonly id: string;
  /** What may follow it, in words; empty where nothing may. */
  readonly takes: string;
  readonly help: string;
  /** The sentence for a command without words that needs some; empty where it needs none. */
  readonly needsWords: string;
  /** Why it can't be used now; empty where it can. */
  available(context: CommandContext): string;
  readonly run?: (actions: CommandActions, words: string) => Promise<void> | void;
  readonly wishes?: Partial<Wishes>;
  /** What its words say of attempts, and the prompt that is left; a sentence where they are not such. */
  readonly attempts?: (words: string) => { readonly race: Pick<Race, 'count'>; readonly text: string } | string;
}

const always = (): string => '';
const afterATurn = ({ hasTurns }: CommandContext): string => (hasTurns ? '' : t('There was no prompt yet.'));

export const SLASH_COMMANDS: readonly SlashCommand[] = [
  {
    id: 'fix',
    takes: t('what you know about the error'),
    help: t('repair the active cell, which failed'),
    needsWords: '',
    available: ({ canFix }) => (canFix ? '' : t('The active cell did not fail, so there is nothing to fix.')),
    run: (actions, words) => actions.quick.fix(words)
  },
  { id: 'explain', takes: t('your question'), help: t('explain the active cell'), needsWords: '', available: always, run: (actions, words) => actions.quick.explain(words) },
  { id: 'look', takes: t('what to look at'), help: t('compare the last figure with the prompt'), needsWords: '', available: always, run: (actions, words) => actions.quick.look(words) },
  { id: 'hint', takes: t('your question; nothing for the next hint'), help: t('a hint instead of code, a step at a time'), needsWords: '', available: always, run: (actions, words) => actions.quick.hint(words) },
  { id: 'why', takes: '', help: t('run the checks of the active cell in a copy, and explain the first difference'), needsWords: '', available: always, run: actions => actions.quick.why() },
  { id: 'edit', takes: t('what should change'), help: t('propose a change of the active cell'), needsWords: t('/edit needs an instruction.'), available: always, wishes: { editing: true } },
  { id: 'new', takes: t('a prompt'), help: t('begin a new conversation'), needsWords: '', available: always, run: (actions, words) => actions.newConversation(words) },
  {
    id: 'try',
    takes: '',
    help: t('run the proposal in a copy of the kernel'),
    needsWords: '',
    available: ({ canTry }) => (canTry ? '' : t('There is no proposal to try.')),
    run: actions => actions.tryProposal()
  },
  {
    id: 'attempts',
    takes: t('how many, then the prompt'),
    help: t('write and try several answers at once'),
    needsWords: '',
    available: always,
    attempts: words => attemptsOf(words) ?? t('/attempts needs a number from 1 to 8 and a prompt: /attempts 3 sort the table.')
  },
  { id: 'model', takes: t('its name'), help: t('choose another model'), needsWords: t('/model needs a name.'), available: always, run: (actions, words) => actions.selectModel(words) },
  {
    id: 'deep',
    takes: t('a task'),
    help: t('have the deep model plan, write and run it in a copy, in the background'),
    needsWords: t('/deep needs a task.'),
    available: always,
    wishes: { deep: true }
  },
  { id: 'deepen', takes: t('what is wrong with it'), help: t('hand the last answer to the deep model'), needsWords: '', available: afterATurn, run: (actions, words) => actions.quick.deepen(words) },
  { id: 'again', takes: '', help: t('ask the last prompt again'), needsWords: '', available: afterATurn, run: actions => actions.retry() }
];

/** What was typed, taken apart. */
export type Typed =
  | { readonly kind: 'prompt'; readonly text: string }
  | { readonly kind: 'command'; readonly command: SlashCommand; readonly words: string }
  | { readonly kind: 'unknown'; readonly name: string; readonly near: string | null };

/** Take apart what was typed. A path such as /data/a.csv is no command. One of the `skills` is a prompt: the kernel knows what it says. */
export function parseTyped(text: string, skills: readonly string[] = []): Typed {
  const found = /^\/([A-Za-z0-9-]+)(?:\s+|$)/.exec(text);
  if (!found) {
    return { kind: 'prompt', text };
  }
  const name = found[1].toLowerCase();
  const command = SLASH_COMMANDS.find(({ id }) => id === name);
  if (!command && skills.includes(found[1])) {
    return { kind: 'prompt', text };
  }
  return command
    ? { kind: 'command', command, words: text.slice(found[0].length).trim() }
    : { kind: 'unknown', name, near: SLASH_COMMANDS.find(({ id }) => id.startsWith(name[0]))?.id ?? null };
}

function attemptsOf(words: string): { race: Pick<Race, 'count'>; text: string } | null {
  const found = /^(\d)\s+(\S[\s\S]*)$/.exec(words);
  const count = Number(found?.[1]);
  return found && count >= 1 && count <= 8 ? { race: { count }, text: found[2] } : null;
}

/** What can be completed at the end of `text`. */
export type Completable = { readonly kind: 'slash' | 'mention' | 'model'; readonly begun: string };

/** What is being typed at the end of `text` that can be completed; null where nothing is. */
export function completable(text: string): Completable | null {
  const slash = /^\/([A-Za-z0-9-]*)$/.exec(text);
  if (slash) {
    return { kind: 'slash', begun: slash[1] };
  }
  const model = /^\/model\s+(\S*)$/.exec(text);
  if (model) {
    return { kind: 'model', begun: model[1] };
  }
  const mention = /(?:^|[^\w.@])@([\w.~/-]*)$/.exec(text);
  return mention ? { kind: 'mention', begun: mention[1] } : null;
}
