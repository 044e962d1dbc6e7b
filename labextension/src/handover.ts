// Text of a streaming cell that several tabs have written, made whole.
//
// Each tab writes the stream under an id of its own in the document, from a range in which nobody types. So what streams is told from what
// people type, and the writer can give the cell all of the stream once, whatever other tabs wrote before they knew of it.

import type { CellChange, ISharedCell, ISharedNotebook, YCodeCell, YNotebook } from '@jupyter/ydoc';
import type { IDisposable } from '@lumino/disposable';
import { diff } from '@codemirror/merge';

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
  private readonly _id = STREAMS + Math.floor(Math.random() * STREAMS);
  private readonly _doc: YNotebook['ydoc'];
  private readonly _texts = new Map<string, StreamedText>();

  /** `doubled` is called where another tab has written what streams, too. */
  constructor(
    notebook: ISharedNotebook,
    private readonly _doubled: (text: StreamedText) => void
  ) {
    this._doc = (notebook as YNotebook).ydoc;
    this._doc.on('beforeObserverCalls', this._onTransaction);
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

  /** Do what writes text of the stream. */
  write(work: () => void): void {
    const own = this._doc.clientID;
    this._doc.clientID = this._id;
    try {
      work();
    } finally {
      this._doc.clientID = own;
    }
  }

  dispose(): void {
    this.isDisposed = true;
    this._doc.off('beforeObserverCalls', this._onTransaction);
    this.clear();
  }

  private readonly _onTransaction = ({ local }: { readonly local: boolean }): void => {
    this._isRemote = !local;
    this.isShared ||= !local;
  };
}

/** The stream's text in a cell, of which `source` is known. */
export class StreamedText implements IDisposable {
  /** Whether other tabs have written the same. */
  isContested = false;
  /** Whether nothing more comes. */
  isOver = false;

  isDisposed = false;

  constructor(
    readonly cell: ISharedCell,
    public source: string,
    private readonly _texts: StreamedTexts,
    private readonly _changed: (change: CellChange) => void
  ) {
    cell.changed.connect(this._onChange, this);
  }

  dispose(): void {
    this.isDisposed = true;
    this.cell.changed.disconnect(this._onChange, this);
  }

  append(text: string): void {
    this.source += text;
  }

  /** Nothing more comes. Whether that was not known, and other tabs have written, too. */
  end(): boolean {
    const isNew = !this.isOver;
    this.isOver = true;
    return isNew && this.isContested;
  }

  /** Whether another tab's change is to be looked at: it may have brought text of the stream, or taken some. What people make of a whole text is theirs. */
  takesIn({ sourceChange }: CellChange): boolean {
    const ids = idsOf(this.cell);
    let at = 0;
    let isIn = false;
    for (const { retain = 0, insert = '' } of sourceChange ?? []) {
      at += retain;
      isIn ||= ids.slice(at, at + insert.length).some(isStream);
      at += insert.length;
    }
    this.isContested ||= isIn;
    return isIn || (this.isContested && !this.isOver && sourceChange !== undefined);
  }

  private _onChange(_: ISharedCell, change: CellChange): void {
    this._changed(change);
  }

  /** Have the cell hold all of the stream, and once. Where it ends then. */
  mend(): number {
    const { cell, source } = this;
    const places = placesIn(cell, source);
    const text = places.map(place => cell.source[place]).join('');
    const same = common(text, source);
    const rest = text.slice(same);
    const isAhead = same === source.length && !this.isOver && !source.includes(rest.slice(0, TELLING));
    const changes = isAhead ? [] : diff(rest, source.slice(same));
    for (const { fromA, toA, fromB, toB } of [...changes].reverse()) {
      const place = (places[same + fromA - 1] ?? -1) + 1;
      this._remove(places.slice(same + fromA, same + toA));
      this._texts.write(() => cell.updateSource(place, place, source.slice(same + fromB, same + toB)));
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
      this.cell.updateSource(places[last], to, '');
    }
  }
}

/** Where characters of the stream stand in a cell. What it begins with as the stream does is the stream's in a copy of the cell, too. */
function placesIn(cell: ISharedCell, source: string): number[] {
  const begun = common(cell.source, source);
  return idsOf(cell).flatMap((id, place) => (place < begun || isStream(id) ? [place] : []));
}

/** By character of a cell: who has written it. */
function idsOf(cell: ISharedCell): number[] {
  const ids: number[] = [];
  for (let item = (cell as YCodeCell).ysource._start; item; item = item.right) {
    if (!item.deleted && item.countable) {
      ids.push(...Array<number>(item.length).fill(item.id.client));
    }
  }
  return ids;
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

/** Whether nothing tells the stream's text from what is typed: a cell that somebody has moved, or that comes from a file. */
export function isCopy(cell: ISharedCell): boolean {
  return cell.source !== '' && !idsOf(cell).some(isStream);
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
