// What may stand at the beginning of the prompt box instead of a prompt: /fix, /edit …, /model …. Pure.

/** A command that can be typed. */
export interface SlashCommand {
  readonly name: string;
  /** What may stand behind it, in words; empty where nothing may. */
  readonly takes: string;
  readonly what: string;
}

export const SLASH_COMMANDS: readonly SlashCommand[] = [
  { name: 'fix', takes: 'what you know of it', what: 'repair the active cell, which failed' },
  { name: 'explain', takes: 'what you want to know', what: 'explain the active cell' },
  { name: 'edit', takes: 'what should change', what: 'propose a change of the active cell' },
  { name: 'new', takes: 'what the cells should do', what: 'write new cells, even if the words seem to go on' },
  { name: 'try', takes: '', what: 'run the proposal in a copy of the kernel' },
  { name: 'attempts', takes: 'how many, then the prompt', what: 'have several answers written and tried at once' },
  { name: 'model', takes: 'its name', what: 'let another model answer' },
  { name: 'deep', takes: 'a task', what: 'have a slower model plan, write and run it in a copy, in the background' },
  { name: 'deepen', takes: 'what is wrong with it', what: 'hand the last answer to the slower model' },
  { name: 'again', takes: '', what: 'ask the last prompt once more' }
];

/** What was typed, taken apart. */
export type Typed =
  | { readonly kind: 'prompt'; readonly text: string }
  | { readonly kind: 'command'; readonly name: string; readonly rest: string }
  | { readonly kind: 'unknown'; readonly name: string; readonly near: string | null };

/** Take apart what was typed. A path such as /data/a.csv is no command. */
export function parseTyped(text: string): Typed {
  const found = /^\/([A-Za-z-]+)(?:\s+|$)/.exec(text);
  if (!found) {
    return { kind: 'prompt', text };
  }
  const name = found[1].toLowerCase();
  if (SLASH_COMMANDS.some(command => command.name === name)) {
    return { kind: 'command', name, rest: text.slice(found[0].length).trim() };
  }
  return { kind: 'unknown', name, near: SLASH_COMMANDS.find(command => command.name.startsWith(name[0]))?.name ?? null };
}

/** The number and the prompt behind /attempts; null where they are not such. */
export function attemptsOf(rest: string): { count: number; text: string } | null {
  const found = /^(\d)\s+(\S[\s\S]*)$/.exec(rest);
  const count = Number(found?.[1]);
  return found && count >= 1 && count <= 8 ? { count, text: found[2] } : null;
}

/** What can be completed at the end of `text`. */
export type Completable = { readonly kind: 'slash' | 'mention' | 'model'; readonly begun: string };

/** What is being typed at the end of `text` that can be completed; null where nothing is. */
export function completable(text: string): Completable | null {
  const slash = /^\/([A-Za-z-]*)$/.exec(text);
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
