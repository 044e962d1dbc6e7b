import type { ISharedNotebook } from '@jupyter/ydoc';
import { Signal } from '@lumino/signaling';
import { expect, test, vi } from 'vitest';
import { cellsEnded, tablesMade, waitsForTables } from '../src/runningCells';

class Cell {
  readonly cell_type = 'code';
  executionState = 'running';
  readonly changed = new Signal<this, void>(this);

  end(): void {
    this.executionState = 'idle';
    this.changed.emit();
  }
}

const notebook = (...cells: Cell[]) => ({ cells }) as unknown as ISharedNotebook;

test('cells that run are waited for, until the last of them has ended', async () => {
  const [one, two] = [new Cell(), new Cell()];
  const all = notebook(one, two);
  let ended = false;
  const waiting = cellsEnded(all).then(() => (ended = true));
  one.end();
  await Promise.resolve();
  expect(ended).toBe(false);
  two.end();
  await waiting;
  await cellsEnded(all);
});

test('a cell that does not end is not waited for without end', async () => {
  vi.useFakeTimers();
  const waiting = cellsEnded(notebook(new Cell()));
  await vi.advanceTimersByTimeAsync(10_000);
  await waiting;
  vi.useRealTimers();
});

test('only recipes need what a running cell makes', async () => {
  const session = (offline: boolean) => ({ notebook: notebook(new Cell()), store: { state: { hello: { offline } } } }) as unknown as Parameters<typeof tablesMade>[0];
  expect([waitsForTables(session(true)), waitsForTables(session(false))]).toEqual([true, false]);
  await tablesMade(session(false));
});
