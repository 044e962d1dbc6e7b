// Runs of proposals that a magic in a cell has asked for.
//
// JupyterLab sends all cells of Run All at once. What `%spark run` asks for would run behind them, the checks of it too, so the executor
// holds them here until it has run.

import type { Cell } from '@jupyterlab/cells';
import { cellKey } from './sharedModel';

/** A line that asks for a run. A prompt with that word is taken for one: then the cells below are sent when it has ended. */
const ASKS = /^[ \t]*%{1,2}spark\b.*\brun\b/m;

/** The runs that cells of one notebook have asked for, and the cells that wait for them. */
export class RequestedRuns {
  /** Whether the cells that were asked for last ran well; null where a cell that is asked for now need not wait for them. */
  get held(): Promise<boolean> | null {
    return this._held;
  }

  /** Let cells that are asked for from now on wait for these. */
  hold(cells: Promise<boolean>): void {
    this._held = cells;
    void cells.then(() => {
      this._held = this._held === cells ? null : this._held;
    });
  }

  /** Whether a cell asks for a run. */
  asks(cell: Cell): boolean {
    return cell.model.type === 'code' && ASKS.test(cell.model.sharedModel.getSource());
  }

  /** Whether a cell's run was asked for: it waits for nobody. */
  has(cell: Cell): boolean {
    return this._runs.has(cellKey(cell.model.id));
  }

  /** Run a cell that was asked for. */
  async follow(cellId: string, run: () => Promise<boolean>): Promise<void> {
    let end: (well: boolean) => void = () => undefined;
    const ran = new Promise<boolean>(resolve => (end = resolve));
    this._runs.set(cellId, ran);
    end(await run().catch(() => false));
    if (this._runs.get(cellId) === ran) {
      this._runs.delete(cellId);
    }
  }

  /** Whether all that was asked for ran well. The kernel has told of it before it told that the cell which asks has ended. */
  async done(): Promise<boolean> {
    return (await Promise.all(this._runs.values())).every(Boolean);
  }

  private _held: Promise<boolean> | null = null;
  /** Cells that run because that was asked for, and whether they ran well. */
  private readonly _runs = new Map<string, Promise<boolean>>();
}
