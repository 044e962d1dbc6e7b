// Inserts an accepted suggestion as one undo step.
//
// The cell's metadata counts how many characters were suggested.

import type { ISharedCell } from '@jupyter/ydoc';
import type { EditorView } from '@codemirror/view';
import { METADATA_KEY } from '../constants';
import { withSuggested } from '../provenance';
import { undoGroup } from '../sharedModel';

/** Put text at the cursor as the user's own. */
export function take(view: EditorView, cell: ISharedCell, text: string): void {
  const { head } = view.state.selection.main;
  const group = undoGroup(cell);
  view.dispatch({
    changes: { from: head, insert: text },
    selection: { anchor: head + text.length },
    userEvent: 'input.complete',
    scrollIntoView: true
  });
  const said = withSuggested(cell.getMetadata(METADATA_KEY), text.length, cell.source.length);
  cell.setMetadata(METADATA_KEY, said as Parameters<ISharedCell['setMetadata']>[1]);
  group.end();
}
