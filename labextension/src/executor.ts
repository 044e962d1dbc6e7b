// The way to the kernel of every cell, whatever the gesture: Shift-Enter, Run All, the Run menu, the debugger. A cell that nobody has
// decided on is decided on first.

import { Notification } from '@jupyterlab/apputils';
import type { Cell } from '@jupyterlab/cells';
import { type INotebookCellExecutor, type INotebookModel, runCell } from '@jupyterlab/notebook';

/** Says whether a cell is to be run; null where there is nothing to say about it. */
export type Consent = (notebook: INotebookModel, cell: Cell) => Promise<boolean> | null;

/** Cells that were asked for at once. What is below one that is not run, or that fails, is not run either. */
interface Gesture {
  cells: number;
  /** Whether it goes on below the cells that were looked at so far; null while it never had to wait. */
  goesOn: Promise<boolean> | null;
  failed: boolean;
}

/** Another executor, behind a question. */
export class ConsentingExecutor implements INotebookCellExecutor {
  /** Asked for every cell. */
  consent: Consent = () => null;
  private _gesture: Gesture | null = null;

  constructor(private readonly _run: INotebookCellExecutor['runCell'] = runCell) {}

  async runCell(options: INotebookCellExecutor.IRunCellOptions): Promise<boolean> {
    const gesture = this._current();
    const place = (gesture.cells += 1);
    const before = gesture.goesOn;
    const decision = before ? null : this.consent(options.notebook, options.cell);
    if (before || decision) {
      const decided = before ? before.then(yes => yes && !gesture.failed && (this.consent(options.notebook, options.cell) ?? true)) : decision;
      gesture.goesOn = decided;
      if (!(await decided)) {
        if (await (before ?? true)) {
          sayWhereItStopped(gesture.cells - place);
        }
        return false;
      }
    }
    if (options.cell.isDisposed) {
      return true; // Markdown, which is another cell from now on
    }
    try {
      return await this._run(options);
    } catch (error) {
      gesture.failed = true; // the kernel forgets what it was asked for already, but not what comes now
      throw error;
    }
  }

  /** JupyterLab asks for all cells of a gesture in one go. */
  private _current(): Gesture {
    if (!this._gesture) {
      this._gesture = { cells: 0, goesOn: null, failed: false };
      queueMicrotask(() => {
        this._gesture = null;
      });
    }
    return this._gesture;
  }
}

/** Have `consent` asked before any cell runs, whoever provides the executor. False where that one can't be changed. */
export function askBeforeRunning(executor: INotebookCellExecutor | null, consent: Consent): boolean {
  if (executor instanceof ConsentingExecutor) {
    executor.consent = consent;
    return true;
  }
  if (!executor || Object.isFrozen(executor)) {
    return false;
  }
  const own = new ConsentingExecutor(executor.runCell.bind(executor));
  own.consent = consent;
  executor.runCell = options => own.runCell(options);
  return true;
}

function sayWhereItStopped(below: number): void {
  if (below > 0) {
    const cells = below === 1 ? 'The cell' : `The ${below} cells`;
    Notification.warning(`Stopped at a proposal that was not run. ${cells} after it did not run either.`, { autoClose: 8000 });
  }
}
