// Cell executor that asks for consent before a proposal runs.
//
// Every gesture goes through it: Shift-Enter, Run All, the Run menu, the debugger.

import { Notification } from '@jupyterlab/apputils';
import { type Cell, CodeCell } from '@jupyterlab/cells';
import { type INotebookCellExecutor, runCell } from '@jupyterlab/notebook';
import { t } from './translation';

/** What must be settled before a cell runs: a question that says whether it is to; null where nothing must. */
export type Consent = (cell: Cell) => (() => Promise<boolean>) | null;

/** Cells that were asked for at once. */
interface Gesture {
  cells: number;
  /** Whether each waits for the one before: from the first on of which something must be settled. */
  inTurn: boolean;
  /** Whether all cells so far ran, and ran well. */
  done: Promise<boolean>;
}

/** Another executor, behind a question. What is below a cell that is not run, or that fails, is not run either. */
export class ConsentingExecutor implements INotebookCellExecutor {
  /** Looked at for every cell. */
  consent: Consent = () => null;
  private _gesture: Gesture | null = null;

  constructor(private readonly _run: INotebookCellExecutor['runCell'] = runCell) {}

  runCell(options: INotebookCellExecutor.IRunCellOptions): Promise<boolean> {
    const gesture = this._current();
    gesture.cells += 1;
    gesture.inTurn ||= this.consent(options.cell) !== null;
    const run = gesture.inTurn ? this._runInTurn(options, gesture, gesture.cells, gesture.done) : this._run(options);
    gesture.done = Promise.all([gesture.done, run]).then(ran => ran.every(Boolean), () => false);
    return run;
  }

  private async _runInTurn(options: INotebookCellExecutor.IRunCellOptions, gesture: Gesture, place: number, before: Promise<boolean>): Promise<boolean> {
    if (!(await before)) {
      return false;
    }
    const ask = this.consent(options.cell);
    if (ask && !(await ask())) {
      sayWhereItStopped(gesture.cells - place);
      return false;
    }
    return options.cell.isDisposed || this._run(options); // Markdown that was accepted is another cell, and shown
  }

  /** JupyterLab asks for all cells of a gesture in one go. */
  private _current(): Gesture {
    if (!this._gesture) {
      this._gesture = { cells: 0, inTurn: false, done: Promise.resolve(true) };
      queueMicrotask(() => {
        this._gesture = null;
      });
    }
    return this._gesture;
  }
}

/**
 * Have `consent` asked before any cell runs, whoever provides the executor. One that can't be changed is JupyterLab's own, which runs code
 * by `CodeCell.execute`.
 */
export function confirmBeforeRunning(executor: INotebookCellExecutor | null, consent: Consent): void {
  if (executor instanceof ConsentingExecutor) {
    executor.consent = consent;
  } else if (executor && !Object.isFrozen(executor)) {
    const own = new ConsentingExecutor(executor.runCell.bind(executor));
    own.consent = consent;
    executor.runCell = options => own.runCell(options);
  } else {
    confirmBeforeExecuting(consent);
  }
}

type Execution = INotebookCellExecutor.IRunCellOptions & { execute(): ReturnType<typeof CodeCell.execute>; reply?: Awaited<ReturnType<typeof CodeCell.execute>> };

/** What is not run is left as JupyterLab leaves a cell whose request was cancelled: without an error, and what is below it waits. */
function confirmBeforeExecuting(consent: Consent): void {
  const { execute } = CodeCell;
  const own = new ConsentingExecutor(async options => {
    const execution = options as Execution;
    execution.reply = await execution.execute();
    return execution.reply?.content.status !== 'error';
  });
  own.consent = consent;
  CodeCell.execute = async (cell, context, metadata) => {
    const execution = { cell, execute: () => execute(cell, context, metadata) } as unknown as Execution;
    if (!(await own.runCell(execution)) && !execution.reply) {
      throw new Error('Canceled: the proposal in this cell was not run.');
    }
    return execution.reply;
  };
}

function sayWhereItStopped(below: number): void {
  if (below > 0) {
    const cells = below === 1 ? t('The cell') : t('The %1 cells', below);
    Notification.warning(t('Stopped at a proposal that was not run. %1 after it did not run either.', cells), { autoClose: 8000 });
  }
}
