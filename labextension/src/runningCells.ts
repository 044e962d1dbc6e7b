// Code cells that run now.

import type { ISharedCodeCell, ISharedNotebook } from '@jupyter/ydoc';
import type { NotebookSession } from './notebookSession';

/** Milliseconds for which running cells are waited for: longer than a library takes to be imported and a file to be read. */
const PATIENCE = 10_000;

type Session = Pick<NotebookSession, 'notebook' | 'store'>;

/** Whether a prompt waits for tables that running cells make: recipes know those alone that are there, where a model reads the cells. */
export function waitsForTables({ notebook, store }: Session): boolean {
  return store.state.hello?.offline === true && runningCells(notebook).length > 0;
}

/** Resolved when a prompt need not wait for that any more. */
export async function tablesMade(session: Session): Promise<void> {
  await (waitsForTables(session) && cellsEnded(session.notebook));
}

/** Resolved when no cell of the notebook runs any more, or after some seconds. */
export async function cellsEnded(notebook: ISharedNotebook): Promise<void> {
  const cells = runningCells(notebook);
  if (cells.length > 0) {
    await new Promise<void>(resolve => {
      const look = () => cells.some(({ executionState }) => executionState === 'running') || end();
      const timer = setTimeout(end, PATIENCE);
      function end(): void {
        clearTimeout(timer);
        cells.forEach(cell => cell.changed.disconnect(look));
        resolve();
      }
      cells.forEach(cell => cell.changed.connect(look));
    });
  }
}

function runningCells(notebook: ISharedNotebook): readonly ISharedCodeCell[] {
  return notebook.cells.filter((cell): cell is ISharedCodeCell => cell.cell_type === 'code' && (cell as ISharedCodeCell).executionState === 'running');
}
