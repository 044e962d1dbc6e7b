// Reads the cursor context and user actions from a CodeMirror editor.

import type { Extension } from '@codemirror/state';
import { type EditorView, ViewPlugin, type ViewUpdate } from '@codemirror/view';
import type { ISharedCell } from '@jupyter/ydoc';
import { LONGEST_AROUND } from '../constants';
import type { CellType } from '../messages';
import { cellKey } from '../sharedModel';
import type { Move } from './suggestionMachine';
import type { SuggestionHost } from './suggestionHosts';
import type { Situation } from './cursorContext';

/** JupyterLab's completer is open over this editor. */
const COMPLETER_OPEN = 'jp-mod-completer-active';
/** Vim's keys are commands now, and no text. */
const VIM_COMMANDS = 'cm-vimMode';

/** Where the cursor stands; null where nothing may be shown: a selection, several cursors, a cell that can't be changed, an unfinished character. */
export function situationIn(view: EditorView, cell: ISharedCell, host: SuggestionHost): Situation | null {
  const { selection, readOnly, doc } = view.state;
  if (view.composing || isTaken(view) || readOnly || selection.ranges.length > 1 || !selection.main.empty || cell.cell_type === 'raw') {
    return null;
  }
  const { head } = selection.main;
  return {
    host: host.key,
    cellId: cellKey(cell.id),
    cellType: cell.cell_type as CellType,
    before: doc.sliceString(Math.max(0, head - LONGEST_AROUND), head).replace(/^[\udc00-\udfff]/, ''),
    after: doc.sliceString(head, head + LONGEST_AROUND).replace(/[\ud800-\udbff]$/, ''),
    context: host.context(cell)
  };
}

/** What the user did; null where it has nothing to do with the cursor. What others type and Undo brings back asks for nothing. */
export function moveOf(update: ViewUpdate): Move | null {
  const did = (event: string) => update.transactions.some(transaction => transaction.isUserEvent(event));
  if (update.docChanged) {
    return did('input') ? 'typed' : did('delete') ? 'deleted' : 'moved';
  }
  if (update.focusChanged && update.view.hasFocus) {
    return 'entered';
  }
  return update.selectionSet || update.focusChanged ? 'moved' : null;
}

/** Whether something else has the keys: JupyterLab's completer, or Vim's commands. */
function isTaken(view: EditorView): boolean {
  return view.scrollDOM.classList.contains(VIM_COMMANDS) || view.dom.parentElement?.classList.contains(COMPLETER_OPEN) === true;
}

/** Call `changed` when something else takes the keys, or gives them back: neither is a change of the editor's state. */
export function watchKeys(changed: (view: EditorView) => void): Extension {
  return ViewPlugin.define(view => {
    let taken = isTaken(view);
    const observer = new MutationObserver(() => {
      if (isTaken(view) !== taken) {
        taken = !taken;
        changed(view);
      }
    });
    const watched = { attributes: true, attributeFilter: ['class'] };
    observer.observe(view.scrollDOM, watched);
    view.dom.parentElement && observer.observe(view.dom.parentElement, watched);
    return { destroy: () => observer.disconnect() };
  });
}
