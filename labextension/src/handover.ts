// Text of a streaming cell that several tabs have written, made whole.
//
// Each tab writes the stream under an id of its own in the document, from a range in which nobody types. So what streams is told from what
// people type, and the writer can give the cell all of the stream once, whatever other tabs wrote before they knew of it.

import type { CellChange, ISharedCell, ISharedNotebook, YCodeCell, YNotebook } from '@jupyter/ydoc';
import type { IDisposable } from '@lumino/disposable';
import { diff } from '@codemirror/merge';

type Transaction = Parameters<Parameters<YNotebook['ydoc']['transact']>[0]>[0];
type Item = NonNullable<YCodeCell['ysource']['_start']>;

/** Yjs gives a tab a number below it, and pycrdt one that is mostly far above twice of it. */
const STREAMS = 2 ** 32;
/** Characters that must stand together to be the stream's own. */
const WINDOW = 24;
const LEAST = 4;
/** Characters at the end that are in the stream already tell that they are there twice, and not ahead of what is known here. */
const TELLING = 12;

/** The text that streams into cells of one document. */
export class StreamedTexts implements IDisposable {
  /** Whether other tabs have this document, too. */
  isShared = false;
  isDisposed = false;
  /** Whether another tab makes the change that is told of. */
  private _isRemote = false;
  private _isWriting = false;
  private readonly _id = STREAMS + Math.floor(Math.random() * STREAMS);
  /** None where the document is none that several tabs may have. */
  private readonly _doc: YNotebook['ydoc'] | undefined;
  private readonly _texts = new Map<string, StreamedText>();

  /** `doubled` is called where another tab has written what streams, too. */
  constructor(
    notebook: ISharedNotebook,
    private readonly _doubled: (text: StreamedText) => void
  ) {
    this._doc = (notebook as Partial<YNotebook>).ydoc;
    this._doc?.on('beforeObserverCalls', this._onTransaction);
  }

  get(cellId: string): StreamedText | undefined {
    return this._texts.get(cellId);
  }

  /** Look after the text of a cell, of which `source` has come. */
  follow(cell: ISharedCell, source: string): StreamedText {
    this.forget(cell.id);
    const text: StreamedText = new StreamedText(cell, source, this, change => {
      if (this._isRemote && text.takesIn(change)) {
        queueMicrotask(() => text.isDisposed || this._doubled(text));
      } else if (!this._isWriting && !this._isRemote) {
        text.leaveOut(change);
      }
    });
    this._texts.set(cell.id, text);
    return text;
  }

  forget(cellId: string): void {
    this._texts.get(cellId)?.dispose();
    this._texts.delete(cellId);
  }

  clear(): void {
    [...this._texts.keys()].forEach(cellId => this.forget(cellId));
  }

  /** Do what writes text of the stream in a cell. Those who look on run behind it, and find the tab's own id. */
  write(cell: ISharedCell, work: () => void): void {
    const doc = this._doc ?? { clientID: 0 };
    this.change(cell, () => {
      const own = doc.clientID;
      doc.clientID = this._id;
      try {
        work();
      } finally {
        doc.clientID = own;
      }
    });
  }

  /** Do what changes a cell, and nobody has typed. */
  change(cell: ISharedCell, work: () => void): void {
    const wasWriting = this._isWriting;
    this._isWriting = true;
    try {
      cell.transact(work);
    } finally {
      this._isWriting = wasWriting;
    }
  }

  dispose(): void {
    this.isDisposed = true;
    this._doc?.off('beforeObserverCalls', this._onTransaction);
    this.clear();
  }

  private readonly _onTransaction = (transaction: Transaction): void => {
    this._isRemote = !transaction.local;
    if (transaction.local) {
      return;
    }
    this.isShared = true;
    for (const text of this._texts.values()) {
      text.isBrought = this._hasBrought(transaction, text.cell);
      text.isContested ||= text.isBrought;
    }
  };

  /** Whether another tab has written text of the stream in a cell, be it deleted since then. */
  private _hasBrought({ beforeState, afterState, doc }: Transaction, cell: ISharedCell): boolean {
    const grown = [...afterState].filter(([id, clock]) => isStream(id) && id !== this._id && clock > (beforeState.get(id) ?? 0));
    return grown.some(([id]) => {
      const items = doc.store.clients.get(id) ?? [];
      const last = items.findLastIndex(item => item.id.clock + item.length <= (beforeState.get(id) ?? 0));
      return items.slice(last + 1).some(item => (item as Item).parent === (cell as YCodeCell).ysource);
    });
  }
}

/** The stream's text in a cell, of which `source` is known. */
export class StreamedText implements IDisposable {
  /** Whether other tabs have written while this one did. They may take text away that stands here once. */
  isContested = false;
  /** Whether another tab's change, the last one, has brought text of the stream. */
  isBrought = false;
  /** Whether more stands in the cell than has come here. */
  isAhead = false;
  /** Whether nothing more comes. */
  isOver = false;

  isDisposed = false;

  constructor(
    readonly cell: ISharedCell,
    public source: string,
    private readonly _texts: StreamedTexts,
    private readonly _changed: (change: CellChange) => void
  ) {
    const streamed = itemsOf(cell).filter(item => isStream(item.id.client));
    this.isContested = new Set(streamed.map(item => item.id.client)).size > 1 || streamed.some(item => item.deleted);
    cell.changed.connect(this._onChange, this);
  }

  dispose(): void {
    this.isDisposed = true;
    this.cell.changed.disconnect(this._onChange, this);
  }

  append(text: string): void {
    this.source += text;
  }

  /** What somebody deletes is no part of the stream any more. */
  leaveOut({ sourceChange }: CellChange): void {
    const deleted = (sourceChange ?? []).reduce((sum, part) => sum + (part.delete ?? 0), 0);
    if (deleted > 0 && !this.isAhead) {
      const text = textAt(this.cell, placesIn(this.cell, this.source));
      this.source = text.length >= this.source.length - deleted ? text : this.source; // in a copy not all of it is found
    }
  }

  /** Nothing more comes. Whether that was not known, and other tabs have written, too. */
  end(): boolean {
    const isNew = !this.isOver;
    this.isOver = true;
    return isNew && (this.isContested || this.isAhead);
  }

  /** Whether another tab's change is to be looked at: it may have brought text of the stream, or taken some. What people make of a whole text is theirs. */
  takesIn({ sourceChange }: CellChange): boolean {
    return sourceChange !== undefined && (this.isBrought || (this.isContested && !this.isOver));
  }

  private _onChange(_: ISharedCell, change: CellChange): void {
    this._changed(change);
  }

  /** Have the cell hold all of the stream, and once. Where it ends then. */
  mend(): number {
    const { cell, source } = this;
    const places = placesIn(cell, source);
    const text = textAt(cell, places);
    const same = common(text, source);
    const rest = text.slice(same);
    this.isAhead = same === source.length && !this.isOver && !source.includes(rest.slice(0, TELLING));
    const changes = this.isAhead ? [] : diff(rest, source.slice(same));
    this.isContested ||= changes.some(({ fromA, toA }) => fromA < toA);
    for (const { fromA, toA, fromB, toB } of [...changes].reverse()) {
      const place = (places[same + fromA - 1] ?? -1) + 1;
      this._remove(places.slice(same + fromA, same + toA));
      this._texts.write(cell, () => cell.updateSource(place, place, source.slice(same + fromB, same + toB)));
    }
    return source ? (placesIn(cell, source)[source.length - 1] ?? -1) + 1 : 0;
  }

  /** What somebody has typed between these places stays. */
  private _remove(places: readonly number[]): void {
    for (let last = places.length - 1; last >= 0; last--) {
      const to = places[last] + 1;
      while (last > 0 && places[last - 1] === places[last] - 1) {
        last -= 1;
      }
      this._texts.change(this.cell, () => this.cell.updateSource(places[last], to, ''));
    }
  }
}

/** Where characters of the stream stand in a cell. What it begins with as the stream does is the stream's in a copy of the cell, too. */
function placesIn(cell: ISharedCell, source: string): number[] {
  const ids = idsOf(cell);
  const first = ids.findIndex(isStream);
  const begun = common(first < 0 ? cell.source : cell.source.slice(0, first), source);
  return ids.flatMap((id, place) => (place < begun || isStream(id) ? [place] : []));
}

function textAt(cell: ISharedCell, places: readonly number[]): string {
  const { source } = cell;
  return places.map(place => source[place]).join('');
}

/** By character of a cell: who has written it. */
function idsOf(cell: ISharedCell): number[] {
  const ids: number[] = [];
  for (const item of itemsOf(cell)) {
    for (let n = item.deleted || !item.countable ? 0 : item.length; n > 0; n--) {
      ids.push(item.id.client);
    }
  }
  return ids;
}

/** What was written in a cell, in pieces, with what is deleted. */
function itemsOf(cell: ISharedCell): Item[] {
  const items: Item[] = [];
  for (let item = (cell as Partial<YCodeCell>).ysource?._start ?? null; item; item = item.right) {
    items.push(item);
  }
  return items;
}

function isStream(id: number): boolean {
  return id >= STREAMS && id < 2 * STREAMS;
}

/** How many characters two texts begin with together; no half of one, which Yjs can't keep. */
function common(text: string, other: string): number {
  let length = 0;
  while (length < text.length && text[length] === other[length]) {
    length += 1;
  }
  return length - (/[\uD800-\uDBFF]/.test(text.charAt(length - 1)) ? 1 : 0);
}

/**
 * Whether what has come of `source` is not told from what is typed: in a cell that somebody has moved, or that comes from a file. Streamed
 * on, it has the end of the stream only.
 */
export function isCopy(cell: ISharedCell, source: string): boolean {
  const first = idsOf(cell).findIndex(isStream);
  if (first < 0) {
    return cell.source !== '';
  }
  const streamed = textAt(cell, placesIn(cell, ''));
  const isBegun = common(streamed, source) >= Math.min(TELLING, streamed.length, source.length);
  return !isBegun && !source.startsWith(cell.source.slice(0, first));
}

/** How much of `source`, which streams, stands in a cell that somebody may have typed in, and where that ends; null where nothing is found. */
export function standingPart(text: string, source: string): { readonly written: number; readonly tail: number } | null {
  if (source.startsWith(text)) {
    return { written: text.length, tail: text.length };
  }
  const ends = new Map<string, number>();
  for (let end = WINDOW; end <= text.length; end++) {
    ends.set(text.slice(end - WINDOW, end), end);
  }
  for (let written = source.length; written >= LEAST; written--) {
    const last = source.slice(Math.max(0, written - WINDOW), written);
    const at = written < WINDOW ? text.lastIndexOf(last) : -1;
    const tail = at >= 0 ? at + last.length : ends.get(last);
    if (tail !== undefined) {
      return { written, tail };
    }
  }
  return null;
}
