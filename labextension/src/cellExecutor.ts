// Cell executor that asks for consent before a proposal runs.
//
// Every gesture goes through it: Shift-Enter, Run All, the Run menu, the debugger. Cells below one with `%spark run` are sent to the kernel
// when the proposal has run.

import { Notification } from '@jupyterlab/apputils';
import { type Cell, CodeCell, type ICodeCellModel } from '@jupyterlab/cells';
import { type INotebookCellExecutor, runCell } from '@jupyterlab/notebook';
import type { RequestedRuns } from './requestedRuns';
import { t } from './translation';

/** What holds of the cells that are run. */
export interface RunRules {
  /** What must be settled before a cell runs: a question that says whether it is to; null where nothing must. */
  consent(cell: Cell): (() => Promise<boolean>) | null;
  /** The runs that cells of its notebook ask for; null where Spark is not in it. */
  requested(cell: Cell): RequestedRuns | null;
}

/** Cells that were asked for at once. */
interface Gesture {
  cells: number;
  /** Whether each waits for the one before: from the first on of which something must be settled. */
  inTurn: boolean;
  /** Whether cells of later gestures wait for these, as they would in the kernel: from the first cell on that asks for a run. */
  holds: boolean;
  /** Whether all cells so far ran, and ran well. */
  done: Promise<boolean>;
}

/** Another executor, behind a question. What is below a cell that is not run, or that fails, is not run either. */
export class ConsentingExecutor implements INotebookCellExecutor {
  /** Looked at for every cell. */
  rules: RunRules = { consent: () => null, requested: () => null };
  private _gesture: Gesture | null = null;

  constructor(private readonly _run: INotebookCellExecutor['runCell'] = runCell) {}

  runCell(options: INotebookCellExecutor.IRunCellOptions): Promise<boolean> {
    const { cell } = options;
    const requested = this.rules.requested(cell);
    const mayFail = isMeantToFail(cell); // it may be gone when it has run
    const gesture = this._current(requested?.has(cell) ? null : (requested?.held ?? null));
    gesture.cells += 1;
    gesture.inTurn ||= this.rules.consent(cell) !== null;
    const run = gesture.inTurn ? this._runInTurn(options, gesture, gesture.cells, gesture.done) : this._run(options);
    let ran = run.catch(() => mayFail);
    if (requested?.asks(cell)) {
      gesture.inTurn = gesture.holds = true;
      ran = ran.then(well => well && requested.done());
    }
    gesture.done = Promise.all([gesture.done, ran]).then(all => all.every(Boolean));
    if (gesture.holds) {
      requested?.hold(gesture.done);
    }
    return run;
  }

  private async _runInTurn(options: INotebookCellExecutor.IRunCellOptions, gesture: Gesture, place: number, before: Promise<boolean>): Promise<boolean> {
    const { cell } = options;
    if (gesture.holds) {
      show(cell, 'running');
    }
    if (!(await before)) {
      show(cell, 'idle');
      return false;
    }
    const ask = this.rules.consent(cell);
    if (ask && !(await ask())) {
      show(cell, 'idle');
      sayWhereItStopped(gesture.cells - place);
      return false;
    }
    return cell.isDisposed || this._run(options); // Markdown that was accepted is another cell, and shown
  }

  /** JupyterLab asks for all cells of a gesture in one go. */
  private _current(held: Promise<boolean> | null): Gesture {
    if (!this._gesture) {
      this._gesture = { cells: 0, inTurn: held !== null, holds: held !== null, done: held ?? Promise.resolve(true) };
      queueMicrotask(() => {
        this._gesture = null;
      });
    }
    return this._gesture;
  }
}

/**
 * Have the `rules` looked at before any cell runs, whoever provides the executor. One that can't be changed is JupyterLab's own, which runs code
 * by `CodeCell.execute`.
 */
export function confirmBeforeRunning(executor: INotebookCellExecutor | null, rules: RunRules): void {
  if (executor instanceof ConsentingExecutor) {
    executor.rules = rules;
  } else if (executor && !Object.isFrozen(executor)) {
    const own = new ConsentingExecutor(executor.runCell.bind(executor));
    own.rules = rules;
    executor.runCell = options => own.runCell(options);
  } else {
    confirmBeforeExecuting(rules);
  }
}

type Execution = INotebookCellExecutor.IRunCellOptions & { execute(): ReturnType<typeof CodeCell.execute>; reply?: Awaited<ReturnType<typeof CodeCell.execute>> };

/** What is not run is left as JupyterLab leaves a cell whose request was cancelled: without an error, and what is below it waits. */
function confirmBeforeExecuting(rules: RunRules): void {
  const { execute } = CodeCell;
  const own = new ConsentingExecutor(async options => {
    const execution = options as Execution;
    execution.reply = await execution.execute();
    return execution.reply?.content.status !== 'error';
  });
  own.rules = rules;
  CodeCell.execute = async (cell, context, metadata) => {
    const execution = { cell, execute: () => execute(cell, context, metadata) } as unknown as Execution;
    if (!(await own.runCell(execution)) && !execution.reply) {
      throw new Error('Canceled: the proposal in this cell was not run.');
    }
    return execution.reply;
  };
}

/** Whether a cell that fails is meant to, and the cells below it run all the same. */
function isMeantToFail(cell: Cell): boolean {
  const tags: unknown = cell.model.getMetadata('tags');
  return Array.isArray(tags) && tags.includes('raises-exception');
}

/** Show a cell that waits here as one that waits in the kernel, or no longer. */
function show(cell: Cell, state: ICodeCellModel['executionState']): void {
  if (!cell.isDisposed && cell.model.type === 'code') {
    (cell.model as ICodeCellModel).executionState = state;
  }
}

function sayWhereItStopped(below: number): void {
  if (below > 0) {
    const cells = below === 1 ? t('The cell') : t('The %1 cells', below);
    Notification.warning(t('Stopped at a proposal that was not run. %1 after it did not run either.', cells), { autoClose: 8000 });
  }
}
