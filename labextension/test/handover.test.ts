import { YNotebook } from '@jupyter/ydoc';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { applyUpdate, encodeStateAsUpdate } from 'yjs';
import { standingPart, StreamedTexts } from '../src/handover';
import { LiveWriter } from '../src/liveWriter';

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

  takeOver(source: string): void {
    this.writer.restore({ type: 'insert', cell_id: 'new', cell_type: 'code', after: null }, source, { streams: true });
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

it('never cuts a character in two halves', () => {
  const notebook = YNotebook.create() as YNotebook;
  notebook.insertCell(0, { id: 'new', cell_type: 'code', source: '' });
  const texts = new StreamedTexts(notebook, () => undefined);
  texts.write(() => notebook.cells[0].updateSource(0, 0, 'a 😀b😁c'));
  texts.follow(notebook.cells[0], 'a 😃b😁😂c').mend();
  expect(notebook.cells[0].source).toBe('a 😃b😁😂c');
});

describe('the part of a stream that stands in a cell', () => {
  it.each([
    ['', 'a = 1', { written: 0, tail: 0 }],
    ['a =', 'a = 1', { written: 3, tail: 3 }],
    ['# hm\na = 1\nb', 'a = 1\nb = 2', { written: 7, tail: 12 }],
    ['something else', 'a = 1', null]
  ])('of %j is found in %j', (text, source, part) => expect(standingPart(text, source)).toEqual(part));
});
