import { type ISharedCell, YNotebook } from '@jupyter/ydoc';
import { Signal } from '@lumino/signaling';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { applyUpdate, Doc, encodeStateAsUpdate, encodeStateVector } from 'yjs';
import { DocumentApplier } from '../src/documentApplier';
import { EventApplier } from '../src/eventApplier';
import { itemsOf, pieceOf } from '../src/handover';
import { LiveWriter } from '../src/liveWriter';
import type { Event } from '../src/messages';
import { Store } from '../src/store';

await vi.hoisted(async () => {
  const { webcrypto } = await import('node:crypto');
  // Yjs has the ids of documents from there when it is loaded; they decide what it takes in first.
  const value = (numbers: Uint32Array): Uint32Array => numbers.map(() => Math.random() * 2 ** 32);
  Object.defineProperty(webcrypto, 'getRandomValues', { configurable: true, value });
});

const RUNS = Number(process.env.RUNS ?? 40);
const TYPED = /#\d+;/g;
const LINES = Array.from({ length: 60 }, (_, n) => `value_${n} = ${n * 7}`);
const TEXT = LINES.join('\n');
/** What is written before it is corrected. */
const FAULTY = `${TEXT.slice(0, 400)}${'raise Fault\n'.repeat(99)}`;

/** Random numbers that a seed decides (mulberry32). */
function randomOf(seed: number): (below: number) => number {
  let state = seed;
  return below => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below);
  };
}

/** Frames and time of all pages. */
class Screen {
  now = 1000;
  private _waiting = new Map<number, (now: number) => void>();
  private _count = 0;

  readonly window = {
    requestAnimationFrame: (work: (now: number) => void): number => {
      this._waiting.set((this._count += 1), work);
      return this._count;
    },
    cancelAnimationFrame: (id: number): void => void this._waiting.delete(id),
    setTimeout: () => 1,
    clearTimeout: () => undefined
  };

  get isDue(): boolean {
    return this._waiting.size > 0;
  }

  frame(): void {
    const due = [...this._waiting];
    this.now += 1000 / 60;
    due.filter(([id]) => this._waiting.delete(id)).forEach(([, work]) => work(this.now));
  }
}

/** Whether a text is whole, once and in order, but for characters that somebody has deleted: they may be written anew. */
function isWhole(source: string, deleted: ReadonlySet<number>): boolean {
  return new RegExp(`^${[...TEXT].map((character, at) => (deleted.has(at) ? `${character}?` : character)).join('')}$`).test(source);
}

/** Which characters of the stream stand between these places. */
function charactersOf(cell: ISharedCell, from: number, to: number): number[] {
  let place = 0;
  return itemsOf(cell).flatMap(({ id, length, deleted, countable }) => {
    const piece = pieceOf(id.client);
    const first = place;
    place += deleted || !countable ? 0 : length;
    const all = Array.from({ length: place - first }, (_, n) => [first + n, piece ? piece.from + id.clock + n : -1]);
    return all.filter(([at, character]) => from <= at && at < to && character >= 0).map(([, character]) => character);
  });
}

/** The origin of what a tab has from the others. */
const OTHERS = 'others';

/** A browser tab with its copy of the document. What comes and goes waits on its lines. */
class Tab {
  readonly notebook = YNotebook.create({ disableDocumentWideUndoRedo: true }) as YNotebook;
  readonly store = new Store();
  readonly writer = new LiveWriter(this.notebook);
  readonly frames: { readonly seq: number; readonly events: readonly Event[] }[] = [];
  readonly up: Uint8Array[] = [];
  readonly down: Uint8Array[] = [];
  readonly dropped: string[] = [];
  online = true;
  heard = 0;
  private readonly _applier: EventApplier;

  constructor(clientID: number) {
    this.notebook.ydoc.clientID = clientID;
    const decisions = { reject: (cellId: string) => this.dropped.push(cellId) };
    const { notebook, store, writer } = this;
    const cancel = () => this.dropped.push('cancelled');
    const isWriter = () => store.state.hello?.writer ?? true;
    const session = { notebook, store, writer, decisions, cancel };
    Object.defineProperty(session, 'isWriter', { get: isWriter });
    writer.painters.add({ paint: () => true, clear: () => undefined });
    this._applier = new EventApplier(session as never, new DocumentApplier(notebook, store), { knows: () => true } as never);
    notebook.ydoc.on('update', (update: Uint8Array, origin: unknown) => origin !== OTHERS && this.online && this.up.push(update));
  }

  /** Take in a frame, as the session does. */
  hear(): void {
    const { seq, events } = this.frames.shift() ?? { seq: 0, events: [] };
    this.heard = Math.max(this.heard, seq);
    for (const event of events) {
      const before = this._applier.proposalsNow;
      this.store.reduce(event);
      if (event.type === 'CellsChanged') {
        this._applier.write(event.changes, before);
      } else {
        this._applier.follow(event, before);
      }
    }
  }

  receive(): void {
    applyUpdate(this.notebook.ydoc, this.down.shift() ?? EMPTY_UPDATE, OTHERS);
  }

  cut(): void {
    this.online = false;
    [this.up, this.down, this.frames].forEach(line => line.splice(0));
  }
}

const EMPTY_UPDATE = encodeStateAsUpdate(new Doc());

/** In how many tabs the cell is moved. */
type Moves = 'no' | 'one' | 'any';

/** A kernel and a document server, with tabs whose lines are slow and break. */
class Room {
  readonly log: string[] = [];
  readonly tabs: Tab[] = [];
  private readonly _doc = new Doc();
  private readonly _events: Event[] = [];
  private _told = new Set<Tab>();
  private _pen: Tab;
  /** Characters of the stream that somebody has deleted. */
  readonly deleted = new Set<number>();
  private _text = FAULTY;
  private _written = 0;
  private _typed = 0;

  constructor(
    private readonly _random: (below: number) => number,
    private readonly _screen: Screen,
    private readonly _types: boolean,
    private readonly _moves: Moves
  ) {
    const seeder = YNotebook.create() as YNotebook;
    seeder.insertCell(0, { id: 'own', cell_type: 'code', source: 'x = 1' });
    applyUpdate(this._doc, encodeStateAsUpdate(seeder.ydoc));
    for (let n = 0; n < 3; n++) {
      this.tabs.push(new Tab(1000 + this._random(1_000_000)));
    }
    this.tabs.forEach(tab => applyUpdate(this._doc, encodeStateAsUpdate(tab.notebook.ydoc)));
    this.tabs.forEach(tab => applyUpdate(tab.notebook.ydoc, encodeStateAsUpdate(this._doc), OTHERS));
    this._pen = this.tabs[0];
    this._tellWriter();
    this._say({ type: 'TurnStarted', turn: { id: 't', prompt: 'p', target: { after: 'own' } } });
    this._say({ type: 'ProposalChanged', proposal: { cell_id: 'new', turn_id: 't', state: 'streaming' } });
    this._say({ type: 'CellsChanged', turn_id: 't', changes: [{ type: 'insert', cell_id: 'new', after: 'own', source: '' }] });
  }

  /** Somebody does something. */
  step(): void {
    const tab = this.tabs[this._random(3)];
    const weighted: [number, string, () => void][] = [
      [6, 'stream', () => this._stream()],
      [24, 'hear', () => tab.hear()],
      [12, 'send', () => this._send(tab)],
      [12, 'receive', () => tab.receive()],
      [8, 'frame', () => this._screen.frame()],
      [2, 'prompt', () => tab.online && this._giveTo(tab)],
      [1, 'cut', () => tab.online && this._cut(tab)],
      [1, 'mend', () => tab.online || this._mend(tab)],
      [this._types ? 1 : 0, 'type', () => this._type(tab)],
      [this._types ? 1 : 0, 'delete', () => this._delete(tab)],
      [this._moves === 'no' ? 0 : 1, 'move', () => this._move(this._moves === 'any' ? tab : this.tabs[0])],
      [this._written > 400 && this._text === FAULTY ? 1 : 0, 'correct', () => this._correct()]
    ];
    let at = this._random(weighted.reduce((sum, [weight]) => sum + weight, 0));
    const [, name, work] = weighted.find(([weight]) => (at -= weight) < 0) as (typeof weighted)[0];
    this.log.push(`${this.tabs.indexOf(tab)} ${name}`);
    work();
  }

  /** All that is to come. */
  end(): void {
    this.tabs.filter(tab => !tab.online).forEach(tab => this._mend(tab));
    this._correct();
    while (this._written < TEXT.length) {
      this._stream();
    }
  }

  finish(): void {
    this._say({ type: 'ProposalChanged', proposal: { cell_id: 'new', turn_id: 't', state: 'ready', source: TEXT } });
  }

  /** Let lines and screens do what waits. Whether there was something. */
  drain(): boolean {
    const waits = this.tabs.some(tab => tab.frames.length + tab.up.length + tab.down.length > 0) || this._screen.isDue;
    this.tabs.forEach(tab => (tab.hear(), this._send(tab), tab.receive()));
    this._screen.frame();
    return waits;
  }

  private _say(event: Event): void {
    this._events.push(event);
    this.tabs.filter(tab => tab.online).forEach(tab => tab.frames.push({ seq: this._events.length, events: [event] }));
  }

  private _tell(tab: Tab, catching_up = false): void {
    const holds = tab === this._pen;
    const writer = holds && (this._told.has(tab) || !catching_up);
    if (holds && !catching_up) {
      this._told.add(tab);
    }
    tab.frames.push({ seq: 0, events: [{ type: 'Hello', writer, catching_up, life: 'one' }] });
  }

  /** As the registry of clients tells it to those that it reaches. */
  private _tellWriter(): void {
    this._told = new Set([...this._told].filter(tab => tab === this._pen));
    this.tabs.filter(tab => tab.online).forEach(tab => this._tell(tab));
  }

  private _giveTo(tab: Tab): void {
    this._pen = tab;
    this._tellWriter();
  }

  private _stream(): void {
    const piece = this._text.slice(this._written, this._written + 1 + this._random(90));
    this._written += piece.length;
    if (piece) {
      this._say({ type: 'CellsChanged', turn_id: 't', changes: [{ type: 'append', cell_id: 'new', text: piece }] });
    }
  }

  /** The model begins anew before a fault. */
  private _correct(): void {
    if (this._text === FAULTY && this._written > 0) {
      this._text = TEXT;
      this._written = this._random(3) > 0 ? Math.min(this._written, 1 + this._random(400)) : 0;
      const source = TEXT.slice(0, this._written);
      this._say({ type: 'CellsChanged', turn_id: 't', changes: [{ type: 'replace', cell_id: 'new', source }] });
    }
    this._text = TEXT;
  }

  private _send(tab: Tab): void {
    const update = tab.up.shift();
    if (update) {
      applyUpdate(this._doc, update);
      this.tabs.filter(other => other !== tab && other.online).forEach(other => other.down.push(update));
    }
  }

  /** Of a writer that vanishes another one takes the place, now or later. */
  private _cut(tab: Tab): void {
    tab.cut();
    const rest = this.tabs.filter(other => other.online);
    if (tab === this._pen && rest.length > 0 && this._random(3) > 0) {
      this._giveTo(rest[this._random(rest.length)]);
    }
  }

  private _mend(tab: Tab): void {
    tab.online = true;
    this._tell(tab, true);
    this._events.slice(tab.heard).forEach((event, index) => tab.frames.push({ seq: tab.heard + index + 1, events: [event] }));
    this._tell(tab);
    tab.down.push(encodeStateAsUpdate(this._doc, encodeStateVector(tab.notebook.ydoc)));
    tab.up.push(encodeStateAsUpdate(tab.notebook.ydoc, encodeStateVector(this._doc)));
  }

  private _move({ notebook }: Tab): void {
    const at = notebook.cells.findIndex(({ id }) => id === 'new');
    if (at >= 0) {
      notebook.moveCell(at, at > 0 ? 0 : notebook.cells.length - 1);
    }
  }

  private _type(tab: Tab): void {
    const cell = tab.notebook.cells.find(({ id }) => id === 'new');
    cell?.updateSource(cell.source.length, cell.source.length, `#${(this._typed += 1)};`);
  }

  private _delete(tab: Tab): void {
    const cell = tab.notebook.cells.find(({ id }) => id === 'new');
    const line = LINES[this._random(LINES.length)];
    const at = `\n${cell?.source}`.indexOf(`\n${line}\n`);
    if (cell && at > 0) {
      const first = TEXT.indexOf(`${line}\n`);
      const its = Array.from({ length: line.length + 1 }, (_, n) => first + n);
      // what looks like a line can be of two, as long as text stands there twice
      [...its, ...charactersOf(cell, at, at + line.length + 1)].forEach(character => this.deleted.add(character));
      cell.updateSource(at, at + line.length + 1);
    }
  }
}

describe('a cell that several tabs write in turn', () => {
  afterEach(() => {
    vi.unstubAllGlobals();
    vi.restoreAllMocks();
  });

  async function play(seed: number, types: boolean, moves: Moves, { late = false } = {}): Promise<Room> {
    const screen = new Screen();
    vi.stubGlobal('document', { hidden: false });
    vi.stubGlobal('performance', { now: () => screen.now });
    vi.stubGlobal('window', screen.window);
    const random = randomOf(seed + 1);
    let fraction = random(2 ** 30) / 2 ** 30;
    vi.spyOn(Math, 'random').mockImplementation(() => (fraction = (fraction + 0.618034) % 1)); // ids of documents, and under which tabs write: no two the same
    const room = new Room(random, screen, types, moves);
    for (let n = 0; n < 400; n++) {
      room.step();
      await Promise.resolve();
    }
    room.end();
    while (!late && room.drain()) {
      await Promise.resolve();
    }
    room.finish();
    for (let n = 0; late && n < 150; n++) {
      room.step();
      await Promise.resolve();
    }
    room.end();
    while (room.drain()) {
      await Promise.resolve();
    }
    return room;
  }

  /** What is wrong at the end; empty where nothing is. */
  function faults({ tabs, log, deleted }: Room): string {
    const [first, ...others] = tabs.map(tab => tab.notebook.cells.map(cell => [cell.id, cell.source]));
    const typed = first.flatMap(([, source]) => source.match(TYPED) ?? []);
    const source = first.find(([id]) => id === 'new')?.[1].replace(TYPED, '');
    const found = [
      others.some(other => JSON.stringify(other) !== JSON.stringify(first)) ? 'tabs differ' : '',
      first.map(([id]) => id).sort().join() === 'new,own' ? '' : `cells: ${first.map(([id]) => id)}`,
      isWhole(source ?? '', deleted) ? '' : `text: ${source?.length} of ${TEXT.length}, ${JSON.stringify(source ?? "").slice(0, 3000)}`,
      typed.length === new Set(typed).size ? '' : `typed twice: ${typed}`,
      ...tabs.flatMap(tab => tab.dropped)
    ].filter(Boolean);
    return found.length > 0 ? `${found.join('; ')}\n${log}` : '';
  }

  it.each<[boolean, Moves, number[]]>([
    [false, 'no', []],
    [true, 'no', [7092]],
    [false, 'one', [71, 278, 382]],
    [true, 'one', [138, 147, 194, 237, 343]],
    [false, 'any', [31, 56, 137, 168, 430]],
    [true, 'any', [88, 135, 147, 237, 298, 318, 403, 863, 1811]]
  ])('holds all text once at the end, whatever comes late (people type: %s, tabs that move it: %s)', async (types, moves, hard) => {
    const found: string[] = [];
    for (const seed of [...Array(RUNS).keys(), ...hard]) {
      const fault = faults(await play(seed, types, moves));
      found.push(...(fault ? [`${seed}: ${fault}`] : []));
    }
    expect(found).toEqual([]);
  }, 60_000);

  it.each<[boolean, Moves]>([
    [false, 'one'],
    [true, 'no'],
    [true, 'any']
  ])('holds all text where the writer changes when the end of it was said (people type: %s, tabs that move it: %s)', async (types, moves) => {
    const found: string[] = [];
    for (let seed = 0; seed < RUNS; seed++) {
      const fault = faults(await play(seed, types, moves, { late: true }));
      found.push(...(fault ? [`${seed}: ${fault}`] : []));
    }
    expect(found).toEqual([]);
  }, 60_000);
});
