// Spark as a participant of a shared document, with its cursor.
//
// The state stands in the document's awareness beside that of the page, under one id for all pages. The notebook's writer keeps it; another
// page's writer goes on with it, so that there is one participant, whoever writes. Where nobody renews it, it ends by itself (y-protocols).

import type { ISharedCell, ISharedNotebook } from '@jupyter/ydoc';
import type { IDisposable } from '@lumino/disposable';
import { find } from './sharedModel';

/** Id of the participant in each document: a number as Yjs gives each page one by chance. */
export const PARTICIPANT = 0x5b_a2_c0_de;
/** Milliseconds: half the time after which y-protocols forgets who says nothing. */
const RENEWAL = 15_000;
/** As Jupyter Server describes users, so that the collaboration extension shows it as one. */
export const USER = { username: 'spark-jupyter', name: 'Spark', display_name: 'Spark', initials: 'S', color: 'var(--jp-brand-color1)' };

/** What is used of Yjs: a text, and the awareness of its document. */
interface Text {
  readonly _item: { readonly id: object } | null;
}
interface Awareness {
  readonly states: Map<number, object>;
  readonly meta: Map<number, { clock: number; lastUpdated: number }>;
  emit(name: 'change' | 'update', args: [Record<'added' | 'updated' | 'removed', number[]>, 'local']): void;
}

/** Shows Spark to all who have one document open. */
export class Participant implements IDisposable {
  private _timer: number | undefined;
  private _cellId = '';

  constructor(private readonly _notebook: ISharedNotebook) {}

  /** Whether this page shows it. */
  get isShown(): boolean {
    return this._timer !== undefined;
  }

  get isDisposed(): boolean {
    return this._disposed;
  }

  /** Be shown by this page. */
  show(): void {
    if (!this.isShown && !this._disposed) {
      this._timer = window.setInterval(() => this._say(), RENEWAL);
      this._say();
    }
  }

  /** Be shown by another page, or, where it has `gone`, by none. */
  hide({ gone }: { gone: boolean }): void {
    if (this.isShown) {
      window.clearInterval(this._timer);
      this._timer = undefined;
      this._cellId = '';
      if (gone) {
        this._set(null, 1);
      }
    }
  }

  /** The cell in which it writes now, at the end; empty: none. */
  writeIn(cellId: string): void {
    if (this.isShown && cellId !== this._cellId) {
      this._cellId = cellId;
      this._say();
    }
  }

  dispose(): void {
    this.hide({ gone: true });
    this._disposed = true;
  }

  private _say(): void {
    const cell = this._cellId ? (find(this._notebook, this._cellId) as (ISharedCell & { readonly ysource: Text }) | null) : null;
    const id = cell?.ysource._item?.id;
    const end = { type: id, tname: null, item: null, assoc: 0 }; // Yjs' relative position behind all text
    this._set({ user: USER, cursors: id ? [{ anchor: end, head: end, primary: true, empty: true }] : [] }, 2);
  }

  /** What is said counts for more than another page's farewell before: hence a step of two. */
  private _set(state: object | null, step: number): void {
    const awareness = this._notebook.awareness as unknown as Awareness;
    const isNew = !awareness.states.has(PARTICIPANT);
    const clock = (awareness.meta.get(PARTICIPANT)?.clock ?? 0) + step;
    awareness.meta.set(PARTICIPANT, { clock, lastUpdated: Date.now() });
    if (state) {
      awareness.states.set(PARTICIPANT, state);
    } else {
      awareness.states.delete(PARTICIPANT);
    }
    const change = { added: state && isNew ? [PARTICIPANT] : [], updated: state && !isNew ? [PARTICIPANT] : [], removed: state ? [] : [PARTICIPANT] };
    awareness.emit('change', [change, 'local']);
    awareness.emit('update', [change, 'local']);
  }

  private _disposed = false;
}
