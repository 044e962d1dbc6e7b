import { type ISharedCell, type YCodeCell, YNotebook } from '@jupyter/ydoc';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { applyUpdate, Doc, encodeStateAsUpdate } from 'yjs';
import { standingPart, StreamedTexts } from '../src/handover';
import { LiveWriter } from '../src/liveWriter';
import { isProposed } from '../src/proposalMark';

/** A tab: its copy of one document, and the writer there. */
class Tab {
  readonly notebook = YNotebook.create({ disableDocumentWideUndoRedo: true }) as YNotebook;
  readonly writer = new LiveWriter(this.notebook);

  text(): string[] {
    return this.notebook.cells.map(cell => cell.source);
  }

  write(text: string): void {
    this.writer.write([{ type: 'append', cell_id: 'new', text }]);
    this.writer.flush();
  }

  insert(source: string): void {
    this.writer.write([{ type: 'insert', cell_id: 'new', after: null, source }]);
    this.writer.flush();
  }

  takeOver(source: string, { streams = true } = {}): void {
    this.writer.restore({ type: 'insert', cell_id: 'new', cell_type: 'code', after: null }, source, { streams });
  }
}

/** The documents of both are merged, as the server does. */
async function sync(...tabs: Tab[]): Promise<void> {
  for (let n = 0; n < 3; n++) {
    for (const from of tabs) {
      for (const to of tabs) {
        applyUpdate(to.notebook.ydoc, encodeStateAsUpdate(from.notebook.ydoc), 'sync');
      }
    }
    await Promise.resolve();
  }
}

describe('writing that moves over to another tab', () => {
  let first: Tab;
  let second: Tab;

  beforeEach(async () => {
    vi.stubGlobal('document', { hidden: true });
    vi.stubGlobal('window', { setTimeout: () => 1, clearTimeout: () => undefined, cancelAnimationFrame: () => undefined });
    [first, second] = [new Tab(), new Tab()];
    first.insert('a = 1\n');
    await sync(first, second);
  });

  afterEach(() => vi.unstubAllGlobals());

  it('loses nothing and writes nothing twice where the first had written more than the second saw', async () => {
    first.write('b = 2\n'); // its connection is lost before this is merged
    second.takeOver('a = 1\nb = 2\nc = 3\n');
    second.write('d = 4\n');
    await sync(first, second);
    expect(second.text()).toEqual(['a = 1\nb = 2\nc = 3\nd = 4\n']);
    expect(first.text()).toEqual(second.text());
  });

  it('writes nothing twice where text still waits for its frame', () => {
    first.writer.write([{ type: 'append', cell_id: 'new', text: 'b = 2\n' }]);
    first.takeOver('a = 1\nb = 2\n');
    first.writer.flush();
    expect(first.text()).toEqual(['a = 1\nb = 2\n']);
  });

  it('does so in pieces of any size', async () => {
    for (const piece of ['b', ' = ', '2\n', 'c']) {
      first.write(piece);
    }
    second.takeOver('a = 1\nb = 2\nc = 3\n');
    await sync(first, second);
    expect(second.text()).toEqual(['a = 1\nb = 2\nc = 3\n']);
    expect(first.text()).toEqual(second.text());
  });

  it('does so behind more than a million characters', async () => {
    const long = 'a = 1\n'.repeat(180_000);
    const [one, other] = [new Tab(), new Tab()];
    one.insert(long);
    await sync(one, other);
    one.write('b = 2\n');
    other.takeOver(`${long}b = 2\nc = 3\n`);
    await sync(one, other);
    expect(other.text()[0].slice(long.length)).toBe('b = 2\nc = 3\n');
    expect(one.text()).toEqual(other.text());
  });

  it('has one cell where both have inserted it', async () => {
    const [one, other] = [new Tab(), new Tab()];
    one.insert('a = 1\n');
    other.insert('a = 1\nb = 2\n');
    await sync(one, other);
    expect(other.text()).toEqual(['a = 1\nb = 2\n']);
    expect(one.text()).toEqual(other.text());
  });

  it('goes on where the stream ended, also where somebody typed in the cell meanwhile', async () => {
    first.notebook.cells[0].updateSource(0, 0, '# mine\n');
    await sync(first, second);
    second.takeOver('a = 1\nb = 2\n');
    expect(second.text()).toEqual(['# mine\na = 1\nb = 2\n']);
  });

  it('keeps what a person types there', async () => {
    second.takeOver('a = 1\nb = 2\n');
    await sync(first, second);
    first.notebook.cells[0].updateSource(6, 6, 'x = 0\n');
    await sync(first, second);
    expect(second.text()).toEqual(['a = 1\nx = 0\nb = 2\n']);
  });
});

describe('a cell of a shared document that one tab writes', () => {
  type EDIT = [string, (cell: ISharedCell) => void, string];
  const EDITS: EDIT[] = [
    ['deletes a line', cell => cell.updateSource(6, 12), 'a = 1\nc = 3\nd = 4\ne = 5\n'],
    ['begins a line', cell => cell.updateSource(5, 5, '\n'), 'a = 1\n\nb = 2\nc = 3\nd = 4\ne = 5\n'],
    ['types in a line', cell => cell.updateSource(10, 10, '2 + '), 'a = 1\nb = 2 + 2\nc = 3\nd = 4\ne = 5\n'],
    ['renames what it begins with', cell => cell.updateSource(0, 1, 'x'), 'x = 1\nb = 2\nc = 3\nd = 4\ne = 5\n'],
    ['types the same at its top', cell => cell.updateSource(0, 0, 'a'), 'aa = 1\nb = 2\nc = 3\nd = 4\ne = 5\n']
  ];
  let writer: Tab;
  let other: Tab;

  beforeEach(async () => {
    vi.stubGlobal('document', { hidden: true });
    vi.stubGlobal('window', { setTimeout: () => 1, clearTimeout: () => undefined, cancelAnimationFrame: () => undefined });
    [writer, other] = [new Tab(), new Tab()];
    other.notebook.setMetadata('dirty', true);
    await sync(writer, other);
  });

  afterEach(() => vi.unstubAllGlobals());

  /** Somebody edits the cell in a tab while its text streams in. */
  async function play(tab: Tab, edit: (cell: ISharedCell) => void): Promise<void> {
    await sync(writer, other);
    edit(tab.notebook.cells[0]);
    await sync(writer, other);
    writer.write('d = 4\n');
    await sync(writer, other);
    writer.write('e = 5\n');
    writer.writer.finish('new');
    await sync(writer, other);
  }

  it.each(EDITS)('keeps it exactly where a person %s there', async (_, edit, expected) => {
    writer.insert('a = 1\n');
    writer.write('b = 2\nc = 3\n');
    await play(writer, edit);
    expect([writer.text(), other.text()]).toEqual([[expected], [expected]]);
  });

  it.each(EDITS)('keeps it exactly where a person %s in another tab', async (_, edit, expected) => {
    writer.insert('a = 1\n');
    writer.write('b = 2\nc = 3\n');
    await play(other, edit);
    expect([writer.text(), other.text()]).toEqual([[expected], [expected]]);
  });

  it.each(EDITS)('keeps it exactly where a person %s after a reload', async (_, edit, expected) => {
    writer.insert('a = 1\nb = 2\nc = 3\n');
    await sync(writer, other);
    writer.writer.release();
    other.takeOver('a = 1\nb = 2\nc = 3\n');
    [writer, other] = [other, writer];
    await play(writer, edit);
    expect([writer.text(), other.text()]).toEqual([[expected], [expected]]);
  });

  it.each([...EDITS, ['deletes the end', cell => cell.updateSource(12, 18), 'a = 1\nb = 2\nd = 4\ne = 5\n'] as EDIT])(
    'keeps it where a person %s before the writer changes',
    async (_, edit, expected) => {
      writer.insert('a = 1\n');
      writer.write('b = 2\nc = 3\n');
      await sync(writer, other);
      edit(writer.notebook.cells[0]);
      await sync(writer, other);
      writer.writer.release();
      other.takeOver('a = 1\nb = 2\nc = 3\nd = 4\n');
      other.write('e = 5\n');
      await sync(writer, other);
      expect([writer.text(), other.text()]).toEqual([[expected], [expected]]);
    }
  );

  it.each([
    ['a = 1\nb = 2\n', (cell: ISharedCell) => cell.updateSource(0, 1, 'x'), 'x = 1\nb = 2\nc = 3\nd = 4\n'],
    ['a = 1\nb', (cell: ISharedCell) => cell.updateSource(4, 5, '10'), 'a = 10\nb = 2\nc = 3\nd = 4\n'],
    ['a = 1\nb = 2\n', (cell: ISharedCell) => cell.updateSource(12, 12, '# mine'), 'a = 1\nb = 2\nc = 3\nd = 4\n# mine'],
    ['a = 1\nb = 2\n', (cell: ISharedCell) => cell.updateSource(5, 6), 'a = 1b = 2\nc = 3\nd = 4\n']
  ])('writes nothing twice where another tab has edited and moved %j', async (begun, edit, expected) => {
    writer.insert(begun);
    writer.notebook.insertCell(1, { id: 'own', cell_type: 'code', source: '' });
    await sync(writer, other);
    edit(other.notebook.cells[0]);
    other.notebook.moveCell(0, 1);
    await sync(writer, other);
    writer.write('a = 1\nb = 2\nc = 3\n'.slice(begun.length));
    await sync(writer, other);
    other.takeOver('a = 1\nb = 2\nc = 3\nd = 4\n');
    await sync(writer, other);
    expect([writer.text(), other.text()]).toEqual([['', expected], ['', expected]]);
  });

  it.each(['a = 1\n', 'a = 1\nc', 'x', 'a = 1\nb = 2\nc = 3\nd'])('keeps what a person types where the text is replaced by %j', async replacement => {
    writer.insert('a = 1\nb = 2\n');
    await sync(writer, other);
    other.notebook.cells[0].updateSource(0, 0, '# mine\n');
    await sync(writer, other);
    writer.writer.write([{ type: 'replace', cell_id: 'new', source: replacement }]);
    writer.write(' + 1');
    await sync(writer, other);
    expect(other.text()).toEqual([`# mine\n${replacement} + 1`]);
    writer.writer.release();
    other.takeOver(`${replacement} + 1 + 2`);
    await sync(writer, other);
    expect([writer.text(), other.text()]).toEqual(Array(2).fill([`# mine\n${replacement} + 1 + 2`]));
  });

  it.each(['', '# mine\n'])('loses nothing where the writer changes when all of it was taken back, below %j', async typed => {
    writer.insert('a = 1\nb = 2\n');
    writer.notebook.cells[0].updateSource(0, 0, typed);
    await sync(writer, other);
    writer.writer.write([{ type: 'replace', cell_id: 'new', source: '' }]);
    writer.writer.flush();
    await sync(writer, other);
    writer.writer.release();
    other.takeOver('');
    other.write('c = 3\n');
    await sync(writer, other);
    other.write('d = 4\n');
    other.writer.finish('new');
    await sync(writer, other);
    expect([writer.text(), other.text()]).toEqual(Array(2).fill([`${typed}c = 3\nd = 4\n`]));
  });

  it('holds the text once, however often it was replaced, also where the writer changes', async () => {
    writer.insert('a = 1\n');
    await sync(writer, other);
    for (let n = 0; n < 70; n++) {
      writer.writer.write([{ type: 'replace', cell_id: 'new', source: `b = ${n}\n` }]);
      writer.write('c = 3\n');
    }
    await sync(writer, other);
    expect(other.text()).toEqual(['b = 69\nc = 3\n']);
    writer.writer.release();
    other.takeOver('b = 69\nc = 3\nd = 4\n');
    other.write('e = 5\n');
    await sync(writer, other);
    expect([writer.text(), other.text()]).toEqual(Array(2).fill(['b = 69\nc = 3\nd = 4\ne = 5\n']));
  });

  it.each([true, false])('has the text as it was replaced where another tab did not hear of that (it wrote first: %s)', async isFirst => {
    writer.insert('a = 1\n');
    await sync(writer, other);
    writer.write('b = 2\nc = 3\n');
    if (isFirst) {
      await sync(writer, other);
    }
    writer.writer.release();
    other.takeOver('a = 1\nb = ');
    other.write('3\n');
    other.writer.finish('new');
    await sync(writer, other);
    expect([writer.text(), other.text()]).toEqual(Array(2).fill(['a = 1\nb = 3\n']));
  });

  it.each(EDITS.slice(0, 4))('keeps it where two have written, and a person %s', async (_, edit, expected) => {
    writer.insert('a = 1\n');
    await sync(writer, other);
    writer.write('b = 2\n');
    other.takeOver('a = 1\nb = 2\nc = 3\n');
    writer.writer.release();
    [writer, other] = [other, writer];
    await play(writer, edit);
    expect([writer.text(), other.text()]).toEqual([[expected], [expected]]);
  });

  it.each([...EDITS, ['deletes the end', cell => cell.updateSource(12, 18), 'a = 1\nb = 2\nd = 4\ne = 5\n'] as EDIT])(
    'keeps it exactly where a person %s and moves the cell, and the writer changes',
    async (_, edit, expected) => {
      writer.insert('a = 1\n');
      writer.notebook.insertCell(1, { id: 'own', cell_type: 'code', source: '' });
      writer.write('b = 2\nc = 3\n');
      await sync(writer, other);
      edit(other.notebook.cells[0]);
      other.notebook.moveCell(0, 1);
      await sync(writer, other);
      writer.writer.release();
      other.takeOver('a = 1\nb = 2\nc = 3\nd = 4\n');
      other.notebook.moveCell(1, 0);
      other.write('e = 5\n');
      await sync(writer, other);
      expect([writer.text(), other.text()]).toEqual(Array(2).fill([expected, '']));
    }
  );

  it('has the text as it was replaced where a person moves the cell before that is known', async () => {
    writer.insert('a = 1\nraise Fault\n');
    writer.notebook.insertCell(1, { id: 'own', cell_type: 'code', source: '' });
    await sync(writer, other);
    other.notebook.cells[0].updateSource(0, 0, '# mine\n');
    other.notebook.moveCell(0, 1);
    writer.writer.write([{ type: 'replace', cell_id: 'new', source: 'a = 1\n' }]);
    writer.write('b = 2\n');
    await sync(writer, other);
    writer.writer.release();
    other.takeOver('a = 1\nb = 2\nc = 3\n');
    await sync(writer, other);
    expect([writer.text(), other.text()]).toEqual(Array(2).fill(['', '# mine\na = 1\nb = 2\nc = 3\n']));
  });

  it.each([
    [0, 1],
    [1, 0]
  ])('stays where two tabs leave one of two each, and one of them has moved that from %i to %i', async (from, to) => {
    const [one, two] = [new Tab(), new Tab()];
    writer.insert('a = 1\n');
    other.insert('a = 1\n');
    for (const { notebook } of [writer, other]) {
      [one, two].forEach(tab => applyUpdate(tab.notebook.ydoc, encodeStateAsUpdate(notebook.ydoc), 'sync'));
    }
    two.notebook.moveCell(from, to);
    [one, two].forEach(tab => tab.takeOver('a = 1\nb = 2\n'));
    await sync(one, two);
    expect([one.text(), two.text()]).toEqual([['a = 1\nb = 2\n'], ['a = 1\nb = 2\n']]);
  });

  it('is in no tab without its mark', () => {
    const marks: boolean[] = [];
    writer.notebook.ydoc.on('update', update => {
      applyUpdate(other.notebook.ydoc, update, 'sync');
      marks.push(...other.notebook.cells.map(isProposed));
    });
    writer.insert('a = 1\n');
    expect([marks.length > 0, new Set(marks)]).toEqual([true, new Set([true])]);
  });

  it('is one where another copy was there before it was told of the cell', async () => {
    writer.insert('');
    other.insert('');
    const third = new Tab();
    for (const { notebook } of [writer, other]) {
      applyUpdate(third.notebook.ydoc, encodeStateAsUpdate(notebook.ydoc), 'sync');
    }
    third.insert('');
    third.write('a = 1\n');
    expect(third.text()).toEqual(['a = 1\n']);
  });

  it('forgets nothing that was deleted where it is moved in a tab that never saw it', async () => {
    writer.insert('a = 1\nraise Fault\n');
    writer.notebook.insertCell(1, { id: 'own', cell_type: 'code', source: '' });
    await sync(writer, other);
    writer.writer.write([{ type: 'replace', cell_id: 'new', source: '' }]);
    writer.writer.flush();
    other.takeOver('a = 1\nraise Fault\nb = 2\n'); // it has not heard of that yet
    const [server, third] = [new Doc(), new Tab()];
    [writer, other].forEach(({ notebook }) => applyUpdate(server, encodeStateAsUpdate(notebook.ydoc)));
    applyUpdate(third.notebook.ydoc, encodeStateAsUpdate(server), 'sync');
    third.notebook.moveCell(0, 1);
    other.writer.release();
    await sync(writer, other, third);
    writer.write('c = 3\n');
    await sync(writer, other, third);
    expect([writer, other, third].map(tab => tab.text())).toEqual(Array(3).fill(['', 'c = 3\n']));
  });

  it.each(['a = 1\n', ''])('has all of the text also where a copy that has %j comes after its end', async begun => {
    writer.insert(begun);
    writer.notebook.insertCell(1, { id: 'own', cell_type: 'code', source: '' });
    await sync(writer, other);
    other.notebook.moveCell(0, 1);
    writer.write('b = 2\n');
    writer.writer.finish('new');
    await sync(writer, other);
    expect([writer.text(), other.text()]).toEqual(Array(2).fill(['', `${begun}b = 2\n`]));
  });

  it('is written also where its end is said before that, and somebody has typed in it', async () => {
    writer.insert('');
    await sync(writer, other);
    other.notebook.cells[0].updateSource(0, 0, '# mine\n');
    other.takeOver('a = 1\n', { streams: false });
    expect(other.text()[0].replace('# mine\n', '')).toBe('a = 1\n');
  });

  it('leaves what somebody has put in the place of all of it, also where a copy of that comes after its end', async () => {
    writer.insert('a = 1\n');
    writer.notebook.insertCell(1, { id: 'own', cell_type: 'code', source: '' });
    writer.writer.finish('new');
    await sync(writer, other);
    other.notebook.cells[0].updateSource(0, 6, 'mine');
    other.notebook.moveCell(0, 1);
    await sync(writer, other);
    writer.takeOver('a = 1\n', { streams: false });
    expect([writer.text(), other.text()]).toEqual(Array(2).fill(['', 'mine']));
  });

  it('leaves what others have laid over its way of moving cells', () => {
    const { notebook } = writer;
    const ours = notebook.moveCells;
    const theirs = vi.fn((from: number, to: number, count?: number) => ours.call(notebook, from, to, count));
    notebook.moveCells = theirs;
    writer.insert('a = 1\n');
    notebook.insertCell(1, { id: 'own', cell_type: 'code', source: '' });
    writer.writer.dispose();
    notebook.moveCells(0, 1);
    expect([theirs.mock.calls.length, notebook.cells.map(({ id }) => id)]).toEqual([1, ['own', 'new']]);
  });

  it('tells observers the own id of the tab', () => {
    const { ydoc } = writer.notebook;
    const own = ydoc.clientID;
    writer.insert('a = 1\n');
    const seen: number[] = [];
    (writer.notebook.cells[0] as YCodeCell).ysource.observe(() => seen.push(ydoc.clientID));
    writer.write('b = 2\n');
    writer.takeOver('a = 1\nb = 2\nc = 3\n');
    expect(seen).toEqual([own, own]);
  });

  it('has a text of any length, also where two have written', async () => {
    const long = 'a = 1\n'.repeat(50_000);
    writer.insert(long);
    await sync(writer, other);
    writer.write('b = 2\n');
    other.takeOver(`${long}b = 2\nc = 3\n`);
    await sync(writer, other);
    other.write('d = 4\n');
    other.writer.finish('new');
    await sync(writer, other);
    expect(other.text()[0] === `${long}b = 2\nc = 3\nd = 4\n`).toBe(true);
    expect(writer.text()[0] === other.text()[0]).toBe(true);
  }, 60_000);

  it.each([0, 1])('writes nothing twice where it was moved, and somebody has typed in line %s of the copy', async at => {
    const lines = ['one', 'two', 'three', 'four'].map(name => `${name} = "${name.repeat(9)}"\n`);
    writer.insert(lines.slice(0, 2).join(''));
    writer.notebook.insertCell(1, { id: 'own', cell_type: 'code', source: '' });
    writer.notebook.moveCell(0, 1);
    writer.notebook.cells[1].updateSource(at * lines[0].length, at * lines[0].length, '# mine\n');
    writer.write(lines[2]);
    await sync(writer, other);
    other.takeOver(lines.join(''));
    expect(other.text()).toEqual(['', [...lines.slice(0, at), '# mine\n', ...lines.slice(at)].join('')]);
  });

  it('may also be one that no other tab can have', () => {
    const notebook = Object.defineProperty(YNotebook.create(), 'ydoc', { value: undefined });
    expect(() => new LiveWriter(notebook).dispose()).not.toThrow();
  });
});

it('never cuts a character in two halves', () => {
  const notebook = YNotebook.create() as YNotebook;
  notebook.insertCell(0, { id: 'new', cell_type: 'code', source: '' });
  const texts = new StreamedTexts(notebook, () => undefined);
  texts.follow(notebook.cells[0], 'a 😀b😁c').mend();
  texts.follow(notebook.cells[0], 'a 😃b😁😂c').mend();
  expect(notebook.cells[0].source).toBe('a 😃b😁😂c');
  texts.get('new')?.replace('a 😃b😁😀');
  expect(notebook.cells[0].source).toBe('a 😃b😁😀');
});

describe('the part of a stream that stands in a cell', () => {
  it.each([
    ['', 'a = 1', { written: 0, tail: 0 }],
    ['a =', 'a = 1', { written: 3, tail: 3 }],
    ['# hm\na = 1\nb', 'a = 1\nb = 2', { written: 7, tail: 12 }],
    ['something else', 'a = 1', { written: 0, tail: 0 }],
    ['x = 1\nb', 'a = 1\nb = 2\nc = 3', { written: 7, tail: 7 }]
  ])('of %j is found in %j', (text, source, part) => expect(standingPart(text, source)).toEqual(part));
});
