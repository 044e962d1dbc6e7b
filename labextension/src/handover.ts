// Text of a streaming cell that several tabs have written, made whole.
//
// Each piece of the stream is written under an id of its own in the document, from a range in which nobody types. The id says at which
// character of the stream the piece begins, and Yjs counts on, also past what is deleted. So every tab knows by the document alone which
// characters of the stream have been written, whatever other tabs wrote before they knew of it, and whatever people type or delete.

import type { ISharedCell, ISharedNotebook, YCodeCell, YNotebook } from '@jupyter/ydoc';
import type { IDisposable } from '@lumino/disposable';

type Transaction = Parameters<Parameters<YNotebook['ydoc']['transact']>[0]>[0];
type Item = NonNullable<YCodeCell['ysource']['_start']>;

/**
 * An id: these bits, and how often the text was replaced, where the piece begins, a random number. Yjs gives a tab less than 2^32, and pycrdt
 * any number below 2^53.
 */
const STREAMS = 2 ** 52;
const REPLACEMENTS = 2 ** 6;
const BEGINNINGS = 2 ** 27;
const RANDOM = 2 ** 18;
/** Where a piece begins that only says that the text was replaced by none. */
export const NOTHING = BEGINNINGS - 1;
/** Characters that must stand together to be the stream's own in a copy. */
const WINDOW = 24;
const LEAST = 4;
/** Characters of a copy that are compared one by one. */
const MOST = 1000;

/** A piece of the stream: how often its text was replaced before, and where it begins. */
export interface Piece {
  readonly age: number;
  readonly from: number;
  /** Whether it only says that the text was replaced by none. */
  readonly isMark?: boolean;
}

/** The text that streams into cells of one document. */
export class StreamedTexts implements IDisposable {
  isDisposed = false;
  /** None where the document is none that several tabs may have. */
  private readonly _doc: YNotebook['ydoc'] | undefined;
  private readonly _texts = new Map<string, StreamedText>();

  /** `brought` is called where another tab has written what streams, too. */
  constructor(
    notebook: ISharedNotebook,
    private readonly _brought: (text: StreamedText) => void
  ) {
    this._doc = (notebook as Partial<YNotebook>).ydoc;
    this._doc?.on('beforeObserverCalls', this._onTransaction);
  }

  get(cellId: string): StreamedText | undefined {
    return this._texts.get(cellId);
  }

  /** Look after the text of a cell, of which `source` has come. */
  follow(cell: ISharedCell, source: string): StreamedText {
    const text = new StreamedText(cell, source, this);
    this._texts.set(cell.id, text);
    return text;
  }

  forget(cellId: string): void {
    this._texts.delete(cellId);
  }

  clear(): void {
    this._texts.clear();
  }

  /** An id for a piece that nobody writes under; the tab's own one where its place is too far for one. */
  newId({ age, from }: Piece): number {
    return age >= REPLACEMENTS || from > NOTHING ? this._doc?.clientID ?? 0 : this._unused(age * BEGINNINGS + from);
  }

  /** An id for a cell of that rank. */
  cellId(rank: number): number {
    return this._unused(REPLACEMENTS * BEGINNINGS + Math.min(rank, BEGINNINGS));
  }

  private _unused(bits: number): number {
    for (;;) {
      const id = STREAMS + bits * RANDOM + Math.floor(Math.random() * RANDOM);
      if (!this._doc?.store.clients.has(id)) {
        return id;
      }
    }
  }

  /** Write text of the stream, in a transaction: those who look on run behind it, and find the tab's own id. */
  writeAs(id: number, work: () => void): void {
    const doc = this._doc ?? { clientID: 0 };
    const own = doc.clientID;
    doc.clientID = id;
    try {
      work();
    } finally {
      doc.clientID = own;
    }
  }

  dispose(): void {
    this.isDisposed = true;
    this._doc?.off('beforeObserverCalls', this._onTransaction);
    this.clear();
  }

  private readonly _onTransaction = ({ local, beforeState, afterState }: Transaction): void => {
    const texts = local ? [] : [...this._texts.values()];
    if (texts.length > 0 && [...afterState].some(([id, clock]) => pieceOf(id) && clock > (beforeState.get(id) ?? 0))) {
      queueMicrotask(() => texts.filter(text => this._texts.get(text.cell.id) === text).forEach(text => this._brought(text)));
    }
  };
}

/** What stands of a stream in a cell. */
interface Standing {
  /** Characters of the stream that have been written, also those that are deleted. */
  readonly written: number;
  /** Where they end in the cell. */
  readonly tail: number;
  /** Places of characters that stand there twice, or were replaced. */
  readonly surplus: readonly number[];
  /** The first character that the stream has otherwise. */
  readonly wrong: number;
  /** The first character that is told from what people type. */
  readonly known: number;
  /** Whether none of what was written stands there any more. */
  readonly isGone: boolean;
}

/** The stream's text in a cell, of which `source` has come. */
export class StreamedText {
  private _written = 0;
  /** How often the text was replaced, and from which character on the last time. */
  private _age = 0;
  private _newFrom = Infinity;
  /** Where this tab writes on, and under which id. */
  private _piece: { readonly id: number; readonly age: number; end: number } | null = null;

  constructor(
    readonly cell: ISharedCell,
    public source: string,
    private readonly _texts: StreamedTexts
  ) {}

  /** Write what has come, where `tail` is the end of the text. Where it ends then. */
  append(text: string, tail: number): number {
    const from = this.source.length;
    this.source += text;
    return this._written === from ? this._insert(tail, from, text) : this.mend();
  }

  /** Have another text. What people have typed stays where the text is told from it. Where it ends then. */
  replace(source: string): number {
    if (source === this.source) {
      return this.mend();
    }
    const same = Math.min(common(this.source, source), beforeLast(source)); // something is written, so that other tabs know
    this.source = source;
    this._standing();
    return this._rewrite(same);
  }

  /** Nothing more comes. Whether more stands there than has come. */
  get isAhead(): boolean {
    return this._written > this.source.length;
  }

  /** Whether another tab has replaced it, and this one does not know of that yet. */
  get isReplaced(): boolean {
    return itemsOf(this.cell).some(({ id }) => (pieceOf(id.client)?.age ?? 0) > this._age);
  }

  /** Whether it is known what of the stream was written there; where all of that is deleted, by a person, nothing more is to come. */
  get isKnown(): boolean {
    const { cell } = this;
    const isOurs = rankOf((cell as Partial<YCodeCell>).ymodel?._item?.id.client ?? 0) % 2 === 1;
    const isTold = itemsOf(cell).some(({ id }) => pieceOf(id.client));
    return isTold ? !this._standing().isGone : isOurs || cell.source === '';
  }

  /** Have the cell hold all of the stream, and once; nothing more where it is over. Where it ends then. */
  mend({ isOver = false } = {}): number {
    const standing = this._standing();
    if (standing.isGone) {
      return this._rewrite(0); // it was replaced more often than ids can say
    }
    const wrong = isOver && standing.written > this.source.length ? Math.min(standing.wrong, beforeLast(this.source)) : standing.wrong;
    return wrong < Infinity && this._age + 1 < REPLACEMENTS ? this._rewrite(wrong) : this._fill(standing);
  }

  /** Write the text again from a character on. */
  private _rewrite(from: number): number {
    this._age += 1;
    this._newFrom = from;
    const standing = this._standing();
    if (this.source === '') {
      this._mark(standing.tail);
    }
    if (from >= standing.known && this._age < REPLACEMENTS) {
      return this._fill(standing);
    }
    const { cell, source } = this;
    this._newFrom = 0;
    cell.transact(() => {
      this._insert(0, 0);
      cell.updateSource(source.length, cell.source.length, '');
    });
    return source.length;
  }

  private _fill({ written, tail, surplus }: Standing): number {
    let end = tail;
    this._written = written;
    this.cell.transact(() => {
      end = written < this.source.length ? this._insert(tail, written) : tail; // before what is replaced: deleted text can be anywhere
      this._remove(surplus.map(at => (at < tail ? at : at + end - tail)));
    });
    return end - surplus.filter(at => at < tail).length;
  }

  /** Write the text from a character on at a place. Where it ends then. */
  private _insert(place: number, from: number, text = this.source.slice(from)): number {
    if (this._piece?.end !== from || this._piece.age !== this._age) {
      this._piece = { id: this._texts.newId({ age: this._age, from }), age: this._age, end: from };
    }
    const { id } = this._piece;
    this.cell.transact(() => this._texts.writeAs(id, () => this.cell.updateSource(place, place, text)));
    this._piece.end = this._written = this.source.length;
    return place + text.length;
  }

  /** Have it in the document that the text was replaced by none: a character that is deleted at once. */
  private _mark(place: number): void {
    const { cell } = this;
    const work = (): void => {
      cell.updateSource(place, place, ' ');
      cell.updateSource(place, place + 1, '');
    };
    cell.transact(() => this._texts.writeAs(this._texts.newId({ age: this._age, from: NOTHING }), work));
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

  /**
   * Look at what stands in the cell. Of a character that was written twice the first one is the stream's, also where somebody has deleted it:
   * the order is the same in all tabs, so two tabs never remove each other's one.
   */
  private _standing(): Standing {
    const { cell, source } = this;
    const items = itemsOf(cell).map(item => ({ item, piece: pieceOf(item.id.client) }));
    const pieces = items.flatMap(({ piece }) => piece ?? []);
    const text = cell.source;
    if (pieces.length === 0) {
      return { ...(text ? standingPart(text, source) : { written: 0, tail: 0 }), surplus: [], wrong: Infinity, known: text ? Infinity : 0, isGone: false };
    }
    const ends = this._ends(pieces);
    const known = Math.min(...pieces.map(({ from }) => from));
    const seen = new Set<number>();
    const surplus: number[] = [];
    let [place, tail, written, wrong, last, live] = [0, -1, Math.min(known, this._newFrom), Infinity, 0, 0];
    for (const { item, piece } of items) {
      const isLive = !item.deleted && item.countable;
      for (let n = 0; n < item.length; n++, place += isLive ? 1 : 0) {
        const at = piece ? piece.from + item.id.clock + n : -1;
        if (!piece) {
          continue;
        }
        tail = tail < 0 ? place : tail;
        live += isLive ? 1 : 0;
        const isValid = !piece.isMark && at < (ends.get(piece.age) ?? 0);
        if (isValid && at + 1 >= written) {
          [written, tail] = [at + 1, place + (isLive ? 1 : 0)];
        }
        if (isLive && (!isValid || seen.has(at))) {
          surplus.push(place);
        } else if (isLive) {
          wrong = at < source.length && (at < last || text[place] !== source[at]) ? Math.min(wrong, at) : wrong;
          last = Math.max(last, at);
        }
        if (isValid) {
          seen.add(at);
        }
      }
    }
    for (let at = known; at < Math.min(wrong, written, source.length); at++) {
      wrong = seen.has(at) ? wrong : at; // two tabs have replaced the text, each from another character on
    }
    return { written, tail, surplus, wrong: wrong < Infinity ? wholeUpTo(source, wrong) : wrong, known, isGone: live === 0 && written > 0 };
  }

  /** By age of pieces: from which character on they were replaced. */
  private _ends(pieces: readonly Piece[]): ReadonlyMap<number, number> {
    const newest = pieces.reduce((age, piece) => Math.max(age, piece.age), 0);
    if (newest > this._age) {
      [this._age, this._newFrom] = [newest, Infinity];
    }
    const ends = new Map<number, number>();
    for (const { age } of pieces) {
      const end = age < this._age ? this._newFrom : Infinity;
      ends.set(age, ends.get(age) ?? pieces.reduce((least, other) => (other.age > age ? Math.min(least, other.from) : least), end));
    }
    return ends;
  }
}

/** What stands in a cell, in pieces, with what is deleted. */
export function itemsOf(cell: ISharedCell): Item[] {
  const items: Item[] = [];
  for (let item = (cell as Partial<YCodeCell>).ysource?._start ?? null; item; item = item.right) {
    items.push(item);
  }
  return items;
}

/** The piece of a stream that is written under an id; null where people type. */
export function pieceOf(id: number): Piece | null {
  const bits = Math.floor((id - STREAMS) / RANDOM);
  const [age, from] = [Math.floor(bits / BEGINNINGS), bits % BEGINNINGS];
  const isMark = from === NOTHING;
  return bits >= 0 && age < REPLACEMENTS ? { age, from: isMark ? 0 : from, isMark } : null;
}

/** The rank of a cell that is written under an id: twice how often it was moved, and one more where a proposal was first put there. */
export function rankOf(id: number): number {
  return Math.max(0, Math.floor((id - STREAMS) / RANDOM) - REPLACEMENTS * BEGINNINGS);
}

/** How many characters two texts begin with together. */
function common(text: string, other: string): number {
  let length = 0;
  while (length < text.length && text[length] === other[length]) {
    length += 1;
  }
  return wholeUpTo(text, length);
}

/** The same length, or one less: never half of a character, which Yjs can't keep. */
function wholeUpTo(text: string, length: number): number {
  return length - (/[\uD800-\uDBFF]/.test(text.charAt(length - 1)) ? 1 : 0);
}

/** Where the last character of a text begins. */
function beforeLast(text: string): number {
  return wholeUpTo(text, Math.max(0, text.length - 1));
}

/** How much of `source`, which streams, stands in a copy of a cell that somebody may have typed in, and where that ends. */
export function standingPart(text: string, source: string): { readonly written: number; readonly tail: number } {
  if (source.startsWith(text)) {
    return { written: text.length, tail: text.length };
  }
  const ends = new Map<string, number>();
  for (let end = WINDOW; end <= text.length; end++) {
    ends.set(text.slice(end - WINDOW, end), end);
  }
  for (let written = source.length; written >= WINDOW; written--) {
    const tail = ends.get(source.slice(written - WINDOW, written));
    if (tail !== undefined) {
      return { written, tail };
    }
  }
  return text.length > MOST ? { written: 0, tail: 0 } : likeliestPart(text, source);
}

/** The beginning of `source` of which `text` differs least, by characters that were typed or deleted, and where that ends. */
function likeliestPart(text: string, source: string): { readonly written: number; readonly tail: number } {
  let best = { cost: text.length, written: 0, tail: 0 };
  let costs = Array.from({ length: text.length + 1 }, (_, tail) => tail);
  for (let written = 1; written <= Math.min(source.length, 2 * text.length); written++) {
    const next = [written];
    for (let tail = 1; tail <= text.length; tail++) {
      next.push(text[tail - 1] === source[written - 1] ? costs[tail - 1] : 1 + Math.min(costs[tail], next[tail - 1]));
      const cost = next[tail] + text.length - tail;
      const same = (written + tail - next[tail]) / 2;
      best = cost < best.cost && same >= LEAST ? { cost, written, tail } : best;
    }
    costs = next;
  }
  return { written: best.written, tail: best.tail };
}
