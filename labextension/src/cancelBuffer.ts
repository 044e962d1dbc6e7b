// Buffer for events of a cancelled turn until its end is confirmed.
//
// A cancelled turn stands still at once, and the kernel hears of it a moment later. Its events wait here, all of them and in order; then
// they are taken in together, and the document gets the net change.

import type { CellChange, Event } from './messages';

/** Holds events back from the moment at which a turn is stopped to the kernel's word that it has ended. */
export class CancelBuffer {
  private readonly _stopped = new Set<string>();
  private _held: Event[] = [];

  /** The turns of which the end is awaited. */
  get stopped(): ReadonlySet<string> {
    return this._stopped;
  }

  /** The user has stopped a turn. */
  stop(turnId: string): void {
    this._stopped.add(turnId);
  }

  /** The events to take in now; null where they have to wait. */
  pass(events: readonly Event[]): readonly Event[] | null {
    this._held.push(...events);
    for (const event of events) {
      if (event.type === 'TurnEnded' || (event.type === 'Problem' && event.turn_id)) {
        this._stopped.delete(event.turn_id ?? '');
      } else if (event.type === 'Snapshot') {
        this._stopped.clear(); // a Snapshot says what stands
      }
    }
    return this._stopped.size > 0 ? null : this.release();
  }

  /** Everything that waits. Nothing is waited for any more. */
  release(): readonly Event[] {
    const events = this._held;
    this._held = [];
    this._stopped.clear();
    return events;
  }
}

type Sources = ReadonlyMap<string, { readonly source: string }>;

/** The least that takes cells from where they stood `before` to where they stand `after`. `changes` led from one to the other. */
export function netChanges(changes: readonly CellChange[], before: Sources, after: Sources): CellChange[] {
  const cells = [...new Set(changes.map(change => change.cell_id))];
  return cells.flatMap(cellId => difference(cellId, changes, before.get(cellId)?.source, after.get(cellId)?.source));
}

function difference(cell_id: string, changes: readonly CellChange[], was: string | undefined, is: string | undefined): CellChange[] {
  if (is === was) {
    return [];
  }
  if (is === undefined) {
    return [{ type: 'delete', cell_id }];
  }
  const insert = changes.find(change => change.type === 'insert' && change.cell_id === cell_id);
  if (was === undefined && insert?.type === 'insert') {
    return [{ ...insert, source: is }];
  }
  const stood = was ?? '';
  return [is.startsWith(stood) ? { type: 'append', cell_id, text: is.slice(stood.length) } : { type: 'replace', cell_id, source: is }];
}
