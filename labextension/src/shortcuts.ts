// Current keyboard shortcut of a command, for tooltips.

import { CommandRegistry } from '@lumino/commands';

/** The keys of a command as a person reads them, those that work everywhere before those of one place; empty where it has none. */
export function keysOf(commands: Pick<CommandRegistry, 'keyBindings'>, command: string): string {
  const bindings = commands.keyBindings.filter(one => one.command === command);
  const binding = bindings.find(one => !one.selector.includes(':focus')) ?? bindings[0];
  return binding ? CommandRegistry.formatKeystroke([...binding.keys]) : '';
}
