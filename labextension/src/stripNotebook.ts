// Removal of Spark's records from a notebook.

import { METADATA_KEY } from './constants';
import type { NotebookSession } from './notebookSession';
import { markDecided } from './proposalMark';
import { isOpen, proposalsFor } from './selectors';
import { cellKey } from './sharedModel';

/** Take away what a notebook keeps of turns and of where its cells came from; proposals that are open stay. */
export function stripNotebook({ notebook, recorder, store }: NotebookSession): void {
  const decided = notebook.cells.filter(cell => cell.getMetadata(METADATA_KEY) !== undefined && !proposalsFor(store.state, cellKey(cell.id)).some(isOpen));
  notebook.transact(() => {
    decided.forEach(cell => {
      markDecided(cell);
      cell.deleteMetadata(METADATA_KEY);
    });
  });
  recorder.flush();
}
