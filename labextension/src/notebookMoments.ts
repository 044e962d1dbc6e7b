// Cells of the notebook at the kernel's moments, and their return.
//
// The kernel keeps variables and conversation; the page keeps what its notebook held when it was told of a moment. Cells change in one
// step for Undo.

import type { ISharedCell, ISharedCodeCell, ISharedNotebook, SharedCell } from '@jupyter/ydoc';
import { JSONExt, type JSONObject } from '@lumino/coreutils';
import { METADATA_KEY } from './constants';
import type { CameBack, Event, MomentsChanged } from './messages';
import { isProposed } from './proposalMark';
import { asUndoStep } from './sharedModel';
import type { Store } from './store';
import { t } from './translation';
import { isObject } from './validate';

type Cells = readonly SharedCell.Cell[];

/** Turns whose cells are remembered, as they may be accepted yet. */
const MOST_TURNS = 50;

/** What a return changes in the notebook: cells that are as they were then, that are there again, and that go. */
export interface CellChanges {
  readonly changed: number;
  readonly back: number;
  readonly gone: number;
}

/** One notebook's cells at the moments that this page was told of. */
export class NotebookMoments {
  private readonly _cells = new Map<number, Cells>();
  private readonly _turns = new Map<string, Cells>();
  /** Cells that wait for their run or run now, as they were before it. */
  private readonly _before = new Map<string, SharedCell.Cell>();
  /** Cells that have run, as they were before it, until the moment before that run is told: that may come after a short cell's end. */
  private readonly _ended = new Map<string, SharedCell.Cell>();
  private _known: ReadonlySet<number> = new Set();
  private _last: Cells = [];
  /** The life of the extension whose moments these are. */
  private _life = '';

  constructor(
    private readonly _notebook: ISharedNotebook,
    private readonly _store: Store,
    private readonly _writes: () => boolean
  ) {}

  /** A cell is to run: its output goes. */
  scheduled(cell: ISharedCell): void {
    if (!this._before.has(cell.id)) {
      this._before.set(cell.id, cell.toJSON());
    }
  }

  /** A cell has run. */
  executed(cellId: string): void {
    const before = this._before.get(cellId);
    if (before) {
      this._ended.set(cellId, before);
      this._before.delete(cellId);
    }
  }

  /** Do what an event that the store has taken in means for the cells. Events that come late are of cells that are no longer as they were. */
  follow(event: Event): void {
    const { hello } = this._store.state;
    const isLate = hello?.catching_up ?? false;
    if (hello && hello.life !== this._life) {
      this._life = hello.life;
      [this._cells, this._turns, this._before, this._ended].forEach(one => one.clear());
      this._known = new Set();
    }
    if (event.type === 'Snapshot') {
      this._keep(event.moments ?? { type: 'MomentsChanged' }, true);
    } else if (event.type === 'MomentsChanged') {
      this._keep(event, isLate);
    } else if (event.type === 'TurnStarted' && !isLate && !this._turns.has(event.turn.id)) {
      this._turns.set(event.turn.id, this._turns.get(event.turn.steers ?? '') ?? this._present(Infinity));
      [...this._turns.keys()].slice(0, -MOST_TURNS).forEach(id => this._turns.delete(id));
    } else if (event.type === 'CameBack' && !isLate && this._writes()) {
      this._bringBack(event);
    }
  }

  /** What a return to a moment would change here; null where this page does not know the cells of then. */
  changes(moment: number): CellChanges | null {
    const then = this._cells.get(moment);
    if (!then) {
      return null;
    }
    const { wanted, anew, gone } = this._plan(then);
    const back = wanted.filter(id => !this._notebook.cells.some(cell => cell.id === id)).length;
    return { changed: anew.size - back, back, gone: gone.length };
  }

  private _keep({ moments = [] }: MomentsChanged, isLate: boolean): void {
    const ids = new Set(moments.map(one => one.id));
    for (const { id, number = 0, turn_id = '' } of moments) {
      if (!isLate && !this._known.has(id)) {
        const cells = turn_id ? this._turns.get(turn_id) : this._present(number || Infinity);
        if (cells) {
          this._cells.set(id, cells);
        }
      }
    }
    const told = Math.max(0, ...moments.map(({ number = 0 }) => number));
    [...this._ended.keys()].filter(id => countOf(this._notebook, id) <= told).forEach(id => this._ended.delete(id));
    [...this._cells.keys()].filter(id => !ids.has(id)).forEach(id => this._cells.delete(id));
    this._known = ids;
  }

  /** The cells without what is proposed, before the run of that number: JupyterLab has cleared those that wait for theirs. */
  private _present(number: number): Cells {
    const known = new Map(this._last.map(cell => [cell.id as string, cell]));
    this._last = this._notebook.cells
      .filter(cell => !isProposed(cell))
      .map(cell => {
        const count = cell.cell_type === 'code' ? (cell as ISharedCodeCell).execution_count : null;
        const before = this._before.get(cell.id) ?? (count === null ? undefined : this._ended.get(cell.id));
        const now = before && (count === null || count >= number) ? { ...before, source: cell.source } : cell.toJSON();
        const last = known.get(cell.id);
        return last && isSame(last, now) ? last : now; // one copy for all moments between which it does not change
      });
    return this._last;
  }

  private _bringBack({ moment_id, variables = 'kept', left = [] }: CameBack): void {
    const then = this._cells.get(moment_id);
    if (!then) {
      this._forgetRuns(left);
      this._store.dispatch({
        type: 'Problem',
        code: 'cells_unknown',
        message: t('This page was not open at that moment, so the cells of the notebook stay as they are.'),
        remedy: t('Review the notebook to see whose output no longer belongs to the variables.')
      });
      return;
    }
    const at = this._store.state.moments.find(one => one.id === moment_id)?.at ?? 0;
    const { wanted, anew, gone } = this._plan(then);
    const order = this._notebook.cells.map(cell => cell.id); // within a transaction its cells are still the old ones
    const replace = () => {
      for (const id of [...gone, ...anew.keys()].filter(one => order.includes(one))) {
        this._notebook.deleteCell(order.indexOf(id));
        order.splice(order.indexOf(id), 1);
      }
      wanted.forEach((id, place) => {
        const cell = anew.get(id);
        if (cell) {
          this._notebook.insertCell(place, marked(variables === 'lost' ? withoutCounts(cell) : cell, at));
          order.splice(place, 0, id);
        }
      });
    };
    asUndoStep(this._notebook, () => this._notebook.transact(replace));
  }

  /** The order that the notebook gets, the cells of it that are put in again, and those that go. What is proposed or runs stays as it is. */
  private _plan(then: Cells): { wanted: string[]; anew: Map<string, SharedCell.Cell>; gone: string[] } {
    const { cells } = this._notebook;
    const stays = (cell: ISharedCell) => isProposed(cell) || this._before.has(cell.id);
    const staying = new Set(cells.filter(stays).map(cell => cell.id));
    const standing = new Map(cells.map(cell => [cell.id, cell]));
    const others = then.filter(cell => !staying.has(cell.id as string));
    const wanted = others.map(cell => cell.id as string);
    let last = -1;
    cells.forEach((cell, index) => {
      if (staying.has(cell.id)) {
        const above = cells.slice(0, index).findLast(one => wanted.includes(one.id));
        last = Math.max(above ? wanted.indexOf(above.id) + 1 : 0, last + 1);
        wanted.splice(last, 0, cell.id);
      }
    });
    const isOther = (cell: SharedCell.Cell) => {
      const now = standing.get(cell.id as string);
      return !now || !isSame(now.toJSON(), cell);
    };
    const anew = new Map(others.filter(isOther).map(cell => [cell.id as string, cell]));
    this._addMoved(wanted, staying, anew);
    return { wanted, anew, gone: [...standing.keys()].filter(id => !wanted.includes(id)) };
  }

  /** Cells that come to another place are put in again, too; not those that stay. */
  private _addMoved(wanted: readonly string[], staying: ReadonlySet<string>, anew: Map<string, SharedCell.Cell>): void {
    const kept = this._notebook.cells.filter(cell => wanted.includes(cell.id) && !anew.has(cell.id));
    let last = -1;
    kept.forEach((cell, index) => {
      const place = wanted.indexOf(cell.id);
      const next = kept.slice(index).find(one => staying.has(one.id));
      if (staying.has(cell.id) || (place > last && (!next || place < wanted.indexOf(next.id)))) {
        last = place;
      } else {
        anew.set(cell.id, cell.toJSON());
      }
    });
  }

  /** Have the cells of these runs look as if they had not run: their output no longer belongs to the variables. */
  private _forgetRuns(left: readonly number[]): void {
    for (const cell of this._notebook.cells.filter(one => one.cell_type === 'code') as ISharedCodeCell[]) {
      if (cell.execution_count !== null && left.includes(cell.execution_count) && !this._before.has(cell.id)) {
        cell.execution_count = null;
      }
    }
  }
}

/** The number of a cell's last run; 0 where it has none. */
function countOf({ cells }: ISharedNotebook, id: string): number {
  const cell = cells.find(one => one.id === id);
  return (cell?.cell_type === 'code' && (cell as ISharedCodeCell).execution_count) || 0;
}

/** Whether two cells are the same for a person: where one came back from is not looked at. */
function isSame(one: SharedCell.Cell, other: SharedCell.Cell): boolean {
  return JSONExt.deepEqual(unmarked(one), unmarked(other));
}

function unmarked(cell: SharedCell.Cell): JSONObject {
  const said = cell.metadata?.[METADATA_KEY] as unknown;
  if (!isObject(said) || !('came_back' in said)) {
    return cell as unknown as JSONObject;
  }
  const { came_back: _, ...rest } = said;
  return { ...cell, metadata: { ...cell.metadata, [METADATA_KEY]: rest } } as unknown as JSONObject;
}

/** The cell with a note of when it came back from, where it says that Spark wrote it. */
function marked(cell: SharedCell.Cell, at: number): SharedCell.Cell {
  const said = cell.metadata?.[METADATA_KEY] as unknown;
  if (!isObject(said) || typeof said.hash !== 'string') {
    return cell;
  }
  const came_back = new Date(at * 1000).toISOString().replace(/\.\d+Z$/, 'Z');
  return { ...cell, metadata: { ...cell.metadata, [METADATA_KEY]: { ...said, came_back } } } as SharedCell.Cell;
}

/** A cell as one that has not run: its variables did not come back. */
function withoutCounts(cell: SharedCell.Cell): SharedCell.Cell {
  return cell.cell_type === 'code' ? ({ ...cell, execution_count: null } as SharedCell.Cell) : cell;
}
