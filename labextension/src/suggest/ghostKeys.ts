// Keyboard handling while ghost text or a draft is shown.
//
// Their keys come before the editor's own: Tab takes the suggestion, and indents otherwise.

import { type Extension, Prec } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { CommandRegistry } from '@lumino/commands';
import { ghostIn } from './ghostText';

/** Have the shortcuts of its commands work while ghost text is shown. */
export function ghostKeys(commands: CommandRegistry): Extension {
  return editorKeys(commands, 'spark:suggestion-', view => ghostIn(view.state) !== null);
}

/** Have the shortcuts of the commands that begin with `ours` work while something `isShown`. They are in settings/plugin.json. */
export function editorKeys(commands: CommandRegistry, ours: string, isShown: (view: EditorView) => boolean): Extension {
  return Prec.highest(
    EditorView.domEventHandlers({
      keydown: (event, view) => {
        const command = isShown(view) ? commandFor(event, commands, ours) : null;
        if (!command) {
          return false;
        }
        void commands.execute(command);
        if (command === `${ours}hide` && hasVim(view)) {
          return false; // Esc leaves the insert mode, too
        }
        event.stopPropagation();
        return true;
      }
    })
  );
}

function commandFor(event: KeyboardEvent, commands: CommandRegistry, ours: string): string | null {
  const keys = CommandRegistry.keystrokeForKeydownEvent(event);
  const target = event.target as Element;
  const binding = commands.keyBindings.findLast(
    one => one.command.startsWith(ours) && one.keys.length === 1 && one.keys[0] === keys && target.closest(one.selector) !== null
  );
  return binding?.command ?? null;
}

/** Vim's keys for CodeMirror leave their state on the editor's view. */
function hasVim(view: EditorView): boolean {
  return (view as { cm?: { state?: { vim?: unknown } } }).cm?.state?.vim !== undefined;
}
