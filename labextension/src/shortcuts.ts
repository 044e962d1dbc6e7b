// Current keyboard shortcut of a command, for tooltips.

import { CommandRegistry } from '@lumino/commands';

/** The keys of a command that work everywhere, as a person reads them; empty where it has none. */
export function keysOf(commands: Pick<CommandRegistry, 'keyBindings'>, command: string): string {
  const binding = commands.keyBindings.find(one => one.command === command && !one.selector.includes(':focus'));
  return binding ? CommandRegistry.formatKeystroke([...binding.keys]) : '';
}
