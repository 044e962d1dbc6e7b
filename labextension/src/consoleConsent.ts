// Consent before a command sends a cell's text to a console.
//
// Such commands bypass the notebook's cell executor.

import type { CommandRegistry } from '@lumino/commands';

/** "Run Selected Text or Current Line in Console", of JupyterLab's notebook extension. */
const SENDING = new Set(['notebook:run-in-console']);

/**
 * Have `settle` asked before such a command, for the cell that it is about: whether it may. Menus, shortcuts, the palette and other
 * extensions all execute a command by the registry.
 */
export function confirmBeforeSending(commands: CommandRegistry, settle: () => (() => Promise<boolean>) | null): void {
  const execute = commands.execute.bind(commands);
  commands.execute = async (id, args) => {
    const ask = SENDING.has(id) ? settle() : null;
    return ask === null || (await ask()) ? execute(id, args) : undefined;
  };
}
