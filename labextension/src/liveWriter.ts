// Writes streamed cells into the notebook, once per frame.
//
// Changes are queued and written once per animation frame: appended, never set again, so that a cell of any length costs the same
// per frame and the editor keeps its highlighting. Where text comes fast, it is painted in each frame and written in batches of
// whole lines: a write costs the page a layout. Cells are found by their id at the moment of writing: in between the
// user may have moved them, and in JupyterLab a moved cell is a new object with the old id.

import type { CellChange as SharedChange, ISharedCell, ISharedNotebook, NotebookChange } from '@jupyter/ydoc';
import { type ISignal, Signal } from '@lumino/signaling';
import type { IDisposable } from '@lumino/disposable';
import type { CellChange, InsertCell } from './messages';
import { type Moment, WriteScheduler } from './writeScheduler';
import { lineBatch, StreamRate } from './streamRate';
import { asUndoStep, undoGroup, indexOf, removeCell, type UndoGroup } from './sharedModel';
import { StreamedText, StreamedTexts } from './handover';
import { keepIdsOfMoved, leaveOne } from './movedCells';
import { markProposed } from './proposalMark';

/** A cell has grown: its stream stands at `tail` (an offset in its source). */
export interface Grown {
  readonly cellId: string;
  readonly tail: number;
}

/** Shows text of a cell before it is written. */
export interface Painter {
  /** Show this behind the cell's text, and nothing else; false where it must be written at once. */
  paint(cellId: string, text: string): boolean;
  /** Show nothing any more. */
  clear(): void;
}

type Append = Extract<CellChange, { type: 'append' }>;

/** Frames after which text that is painted is written. */
const BATCH = 7;

/** A cell that is being written. */
interface Growth {
  readonly cellId: string;
  readonly cell: ISharedCell;
  readonly undo: UndoGroup;
  readonly onChange: (cell: ISharedCell, change: SharedChange) => void;
  tail: number;
  /** Whether somebody else has changed it: its text may go on behind the tail. */
  shared: boolean;
}

/** Writes proposals of new cells into one document. Edits of existing cells are not its business. */
export class LiveWriter implements IDisposable {
  /** The life of the extension whose cells are written. */
  life = '';
  /** The views of this document. */
  readonly painters = new Set<Painter>();
  private readonly _rate = new StreamRate();
  /** Frames in which text was painted since the last write, and writes until it is tried again where it can't be. */
  private _painted = 0;
  private _refused = 0;
  private _paints = false;
  private readonly _scheduler: WriteScheduler;
  private readonly _grown = new Signal<this, Grown>(this);
  private readonly _dropped = new Signal<this, string>(this);
  private readonly _growing = new Map<string, Growth>();
  private readonly _abandoned = new Set<string>();
  /** By cell: the cell above it when it was inserted. Followed upwards where that one has gone. */
  private readonly _above = new Map<string, string | null>();
  /** What streams into cells, also after its end. */
  private readonly _texts: StreamedTexts;
  private readonly _moves: IDisposable;
  private _queue: CellChange[] = [];
  private _writing = false;
  private _disposed = false;

  constructor(private readonly notebook: ISharedNotebook) {
    this._scheduler = new WriteScheduler(moment => this._work(moment));
    notebook.changed.connect(this._onNotebook, this);
    this._texts = new StreamedTexts(notebook, text => this._mend(text));
    this._moves = keepIdsOfMoved(notebook, this._texts);
  }

  /** After every write, once a cell. */
  get grown(): ISignal<this, Grown> {
    return this._grown;
  }

  /** The user took a growing cell away (deleted it, or undid all of it): nothing more is written there. */
  get dropped(): ISignal<this, string> {
    return this._dropped;
  }

  get isDisposed(): boolean {
    return this._disposed;
  }

  /** Whether the page does not keep up, so that less is done. What is painted is seldom written, and seen at the end of the text alone. */
  get slow(): boolean {
    return this._scheduler.slow && !this._paints;
  }

  set adaptive(value: boolean) {
    this._scheduler.adaptive = value;
  }

  /** Write these soon. */
  write(changes: readonly CellChange[]): void {
    this._queue.push(...changes);
    this._rate.arrived(changes);
    this._scheduler.request();
  }

  /** Write what waits now. */
  flush(): void {
    this._scheduler.flush();
    this._clear(); // a box without text is left where nothing waited
  }

  /** The cell will be written no more: its undo step ends. */
  finish(cellId: string): void {
    this.flush();
    const streamed = this._texts.get(cellId);
    if (streamed?.isAhead) {
      this._mend(streamed, { isOver: true });
    }
    this._release(cellId);
  }

  /** Write what waits now, and end every growing cell. */
  finishAll(): void {
    this._scheduler.flush();
    for (const cellId of [...this._growing.keys()]) {
      this.finish(cellId);
    }
  }

  /**
   * Make a cell hold `source`, inserting it below `after` where it is missing, as after a reload, or where another tab has written until
   * now. A cell that holds something else than a beginning of `source` was changed by the user: one that `streams` is written on where
   * the stream's own text ends, any other stays.
   */
  restore(insert: InsertCell, source: string, { streams = false } = {}): void {
    const { cell_id } = insert;
    this._scheduler.flush(); // what waits is a part of `source`
    const cell = leaveOne(this.notebook, cell_id);
    this._above.set(cell_id, insert.after ?? null);
    if (!cell) {
      this._write([{ ...insert, source }]);
    } else if (!this._abandoned.has(cell_id) && (streams || source.startsWith(cell.source) || new StreamedText(cell, source, this._texts).isKnown)) {
      this._complete(cell, source);
      this._grown.emit({ cellId: cell_id, tail: this._growing.get(cell_id)?.tail ?? 0 });
    }
  }

  /** Another tab writes from now on: what waits here is written there. */
  release(): void {
    this._scheduler.cancel();
    this._queue = [];
    this._clear();
    [...this._growing.keys()].forEach(cellId => this._release(cellId));
    this._above.clear();
    this._texts.clear();
  }

  /** Have a cell hold all of `source`, whatever is typed in it. */
  private _complete(cell: ISharedCell, source: string): void {
    const growth = this._growthOf(cell.id, cell);
    this._mend(this._texts.follow(cell, source));
    growth.shared ||= growth.tail < cell.source.length;
  }

  /** Nothing is written in a cell any more, nor may something come late. */
  forget(cellId: string): void {
    this._texts.forget(cellId);
  }

  /** Have a cell hold its text once, after another tab has written some of it, too. */
  private _mend(text: StreamedText, options = {}): void {
    const tail = this._written(() => text.mend(options));
    const growth = this._growing.get(text.cell.id);
    if (growth?.cell === text.cell) {
      growth.tail = tail;
    }
  }

  dispose(): void {
    this._disposed = true;
    this.notebook.changed.disconnect(this._onNotebook, this);
    this._texts.dispose();
    this._moves.dispose();
    this._scheduler.cancel();
    this._clear();
    for (const cellId of [...this._growing.keys()]) {
      this._release(cellId);
    }
    Signal.clearData(this);
  }

  // --- one frame -----------------------------------------------------------------------------------------------------------

  /** Paint or write what waits. Whether something was written. */
  private _work(moment: Moment): boolean {
    const queue = (this._queue = merged(this._queue));
    const last = queue.at(-1);
    const fast = this._rate.frame(performance.now()) && moment !== 'all' && this._refused === 0 && last?.type === 'append' ? last : null;
    if (queue.length === 1 && fast && this._painted < BATCH && this._paint(fast)) {
      this._painted += 1;
      return false;
    }
    if (moment === 'rest') {
      return false;
    }
    this._painted = 0;
    this._paints = fast !== null;
    this._refused = Math.max(0, this._refused - 1);
    const [lines, rest] = fast ? lineBatch(fast.text) : ['', ''];
    this._queue = fast && rest ? [{ ...fast, text: rest }] : [];
    this._write(fast ? [...queue.slice(0, -1), { ...fast, text: lines }] : queue);
    if (!fast) {
      this._clear();
    } else if (!this._paint({ ...fast, text: rest })) {
      this._refused = BATCH;
      this._write(this._queue.splice(0));
      this._clear();
    } else if (rest) {
      this._scheduler.request();
    }
    return true;
  }

  /** Paint a cell's text instead of writing it; false where that is not possible. */
  private _paint({ cell_id, text }: Append): boolean {
    const growth = this._growing.get(cell_id);
    return !!growth && !growth.shared && this.painters.size > 0 && [...this.painters].every(painter => painter.paint(cell_id, text));
  }

  private _clear(): void {
    this.painters.forEach(painter => painter.clear());
  }

  private _write(changes: readonly CellChange[]): void {
    const touched = new Set<string>();
    for (const change of changes) {
      if (!this._abandoned.has(change.cell_id)) {
        this._apply(change);
        touched.add(change.cell_id);
      }
    }
    for (const cellId of touched) {
      const growth = this._growing.get(cellId);
      if (growth) {
        this._grown.emit({ cellId, tail: growth.tail });
      }
    }
  }

  private _apply(change: CellChange): void {
    if (change.type === 'insert') {
      this._insert(change);
      return;
    }
    const cell = leaveOne(this.notebook, change.cell_id);
    if (!cell) {
      this._abandon(change.cell_id);
      return;
    }
    switch (change.type) {
      case 'append':
        this._edit(change.cell_id, cell, growth => {
          const streamed = this._texts.get(change.cell_id) ?? this._texts.follow(cell, cell.source);
          growth.tail = streamed.append(change.text, growth.tail);
        });
        return;
      case 'replace':
        this._edit(change.cell_id, cell, growth => {
          growth.tail = (this._texts.get(change.cell_id) ?? this._texts.follow(cell, '')).replace(change.source);
        });
        return;
      case 'delete':
        this._release(change.cell_id);
        removeCell(this.notebook, change.cell_id);
    }
  }

  private _insert(change: InsertCell): void {
    const after = change.after ?? null;
    this._above.set(change.cell_id, after);
    const known = leaveOne(this.notebook, change.cell_id);
    if (known) {
      markProposed(known, this.life);
    } else {
      const cell = {
        id: change.cell_id,
        // Markdown that nobody accepted is text, in the file too: rendered, here or elsewhere, it could load images from anywhere.
        cell_type: change.cell_type === 'markdown' ? ('raw' as const) : change.cell_type ?? 'code',
        metadata: { trusted: false },
        source: ''
      };
      const insert = (): void => markProposed(this.notebook.insertCell(this._indexBelow(after), cell), this.life);
      const id = this._texts.cellId(1);
      asUndoStep(this.notebook, () => this.notebook.transact(() => this._texts.writeAs(id, insert))); // at once: no tab has it without its mark
    }
    const cell = leaveOne(this.notebook, change.cell_id);
    if (cell) {
      this._complete(cell, change.source ?? '');
    }
  }

  /** The index below a cell; where it has gone, below the one that it stood under; at the end where all have gone. */
  private _indexBelow(after: string | null): number {
    for (let id: string | null | undefined = after; id; id = this._above.get(id)) {
      const index = indexOf(this.notebook, id);
      if (index >= 0) {
        return index + 1;
      }
    }
    return after === null ? 0 : this.notebook.cells.length;
  }

  private _edit(cellId: string, cell: ISharedCell, edit: (growth: Growth) => void): void {
    const streamed = this._texts.get(cellId);
    if (streamed && streamed.cell !== cell) {
      this._complete(cell, streamed.source); // another tab has put its own in the place of this one's, or somebody has moved it
    }
    const growth = this._growthOf(cellId, cell);
    this._written(() => edit(growth));
  }

  private _written<T>(work: () => T): T {
    this._writing = true;
    try {
      return work();
    } finally {
      this._writing = false;
    }
  }

  private _growthOf(cellId: string, cell: ISharedCell): Growth {
    const known = this._growing.get(cellId);
    if (known?.cell === cell) {
      return known;
    }
    this._release(cellId); // a moved cell is a new object: its undo history has begun anew, so the step does too
    const growth: Growth = {
      cellId,
      cell,
      shared: false,
      tail: cell.source.length,
      undo: undoGroup(cell),
      onChange: (_, change) => this._onForeignChange(growth, change)
    };
    cell.changed.connect(growth.onChange);
    this._growing.set(cellId, growth);
    return growth;
  }

  /** A tab that was offline, or wrote until now, may have inserted a cell that is here already. */
  private _onNotebook(_: ISharedNotebook, { cellsChange }: NotebookChange): void {
    const inserted = cellsChange?.flatMap(({ insert = [] }) => insert).filter(({ id }) => this._above.has(id)) ?? [];
    for (const { id } of inserted) {
      queueMicrotask(() => this._join(id));
    }
  }

  /** Have another cell hold all of the stream where another tab has put it in the place of this one's. */
  private _join(cellId: string): void {
    const text = this._texts.get(cellId);
    const cell = text && leaveOne(this.notebook, cellId);
    const grows = this._growing.has(cellId);
    if (cell && cell !== text.cell && (grows || new StreamedText(cell, text.source, this._texts).isKnown)) {
      this._complete(cell, text.source);
      if (!grows) {
        this._release(cellId);
      }
    }
  }

  // --- what the user does meanwhile ------------------------------------------------------------------------------------

  /** Keep the tail where the stream's own text ends: what the user types at or behind it stays behind it. */
  private _onForeignChange(growth: Growth, change: SharedChange): void {
    if (this._writing || !change.sourceChange) {
      return;
    }
    growth.shared = true;
    let at = 0;
    for (const part of change.sourceChange) {
      if (part.retain !== undefined) {
        at += part.retain;
      } else if (part.insert !== undefined) {
        growth.tail += at < growth.tail ? part.insert.length : 0;
        at += part.insert.length;
      } else if (part.delete !== undefined) {
        growth.tail -= Math.max(0, Math.min(part.delete, growth.tail - at));
      }
    }
    const isEmptied = growth.cell.source === '' && change.sourceChange.some(part => part.delete !== undefined);
    if (isEmptied && !this._texts.get(growth.cellId)?.isReplaced) {
      this._abandon(growth.cellId);
    }
  }

  private _abandon(cellId: string): void {
    this._abandoned.add(cellId);
    this._release(cellId);
    this._dropped.emit(cellId);
  }

  private _release(cellId: string): void {
    const growth = this._growing.get(cellId);
    this._growing.delete(cellId);
    if (growth) {
      growth.cell.changed.disconnect(growth.onChange);
      growth.undo.end();
    }
  }
}

/** The same in fewer changes, as `merge` in spark_jupyter/protocol/notebook_changes.py gives it: text for one cell that came in pieces is joined. */
export function merged(changes: readonly CellChange[]): CellChange[] {
  const result: CellChange[] = [];
  for (const change of changes) {
    const last = result.at(-1);
    if (change.type === 'append' && change.text === '') {
      continue;
    }
    if (change.type === 'append' && last?.type === 'append' && last.cell_id === change.cell_id) {
      result[result.length - 1] = { ...last, text: last.text + change.text };
    } else {
      result.push(change);
    }
  }
  return result;
}
