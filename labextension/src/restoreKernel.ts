// Tells a new kernel the turns that the notebook remembers.

import type { ISharedNotebook } from '@jupyter/ydoc';
import { notebookCells } from './notebookCells';
import { MOST_KEPT_PROPOSALS, MOST_KEPT_TURNS } from './constants';
import type { Restore } from './messages';
import type { Store } from './store';

/** What the kernel of one notebook was taught. */
export class KernelRestore {
  constructor(
    private readonly _notebook: ISharedNotebook,
    private readonly _store: Store,
    private readonly _send: (command: Restore) => void
  ) {}

  /** Whether the kernel knows of the cell's proposal when it hears what is said now: it was told, or is being told. */
  knows(cellId: string): boolean {
    const { orphans, proposals } = this._store.state;
    const turnId = proposals.get(cellId)?.turn_id ?? '';
    return !orphans.has(turnId) || this._restored.has(turnId);
  }

  /** Tell the kernel of the turns that it does not know. */
  restore(): void {
    const { all, orphans, turns } = this._store.state;
    const old = turns.filter(turn => orphans.has(turn.id)).slice(-MOST_KEPT_TURNS);
    const mine = all.filter(one => old.some(turn => turn.id === one.turn_id)).slice(-MOST_KEPT_PROPOSALS);
    const proposals = mine.map(({ byRunning, recalled, ...proposal }) => proposal);
    old.forEach(turn => this._restored.add(turn.id));
    const told = old.map(({ life, ...turn }) => turn);
    this._send({ type: 'Restore', turns: told, proposals, cells: notebookCells(this._notebook) });
  }

  /** The kernel that was taught is gone. */
  forget(): void {
    this._restored.clear();
  }

  /** Turns that this kernel was told of, and may not have answered for yet. */
  private readonly _restored = new Set<string>();
}
