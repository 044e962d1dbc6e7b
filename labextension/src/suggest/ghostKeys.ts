// Keyboard handling while ghost text is shown.
//
// Its keys come before the editor's own: Tab takes the suggestion, and indents otherwise.

import { type Extension, Prec } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { CommandRegistry } from '@lumino/commands';
import { ghostIn } from './ghostText';

/** What our commands begin with; their keys are in settings/plugin.json, and can be changed there. */
const OURS = 'spark:suggestion-';
const HIDE = 'spark:suggestion-hide';

/** Have the shortcuts of our commands work while ghost text is shown. */
export function ghostKeys(commands: CommandRegistry): Extension {
  return Prec.highest(
    EditorView.domEventHandlers({
      keydown: (event, view) => {
        const command = ghostIn(view.state) && commandFor(event, commands);
        if (!command) {
          return false;
        }
        void commands.execute(command);
        if (command === HIDE && hasVim(view)) {
          return false; // Esc leaves the insert mode, too
        }
        event.stopPropagation();
        return true;
      }
    })
  );
}

function commandFor(event: KeyboardEvent, commands: CommandRegistry): string | null {
  const keys = CommandRegistry.keystrokeForKeydownEvent(event);
  const target = event.target as Element;
  const binding = commands.keyBindings.findLast(
    one => one.command.startsWith(OURS) && one.keys.length === 1 && one.keys[0] === keys && target.closest(one.selector) !== null
  );
  return binding?.command ?? null;
}

/** Vim's keys for CodeMirror leave their state on the editor's view. */
function hasVim(view: EditorView): boolean {
  return (view as { cm?: { state?: { vim?: unknown } } }).cm?.state?.vim !== undefined;
}
