import { YNotebook } from '@jupyter/ydoc';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { CellChange } from '../src/messages';
import { LiveWriter, type Painter } from '../src/liveWriter';

/** A page whose frames a test makes. */
class Page {
  private _waiting: ((now: number) => void)[] = [];
  private _now = 1000;
  /** Milliseconds that a frame takes. */
  pace = 1000 / 60;

  now = (): number => this._now;

  requestAnimationFrame = (work: (now: number) => void): number => this._waiting.push(work);

  frame(): void {
    const due = this._waiting.splice(0);
    this._now += this.pace;
    due.forEach(work => work(this._now));
  }
}

/** A view that paints as long as it can. */
class View implements Painter {
  text = '';
  /** Whether it holds a box, with text or without. */
  shown = false;
  can = true;
  paints = 0;

  paint(_: string, text: string): boolean {
    if (this.can) {
      this.text = text;
      this.shown = true;
      this.paints += 1;
    }
    return this.can;
  }

  clear(): void {
    this.text = '';
    this.shown = false;
  }
}

describe('lines that come fast', () => {
  let notebook: YNotebook;
  let page: Page;
  let writer: LiveWriter;
  let view: View;
  let writes: string[];
  const document = { hidden: false };
  const lines = (from: number, count: number) => Array.from({ length: count }, (_, n) => `line_${from + n} = ${'x'.repeat(30)}\n`).join('');
  const append = (text: string): CellChange => ({ type: 'append', cell_id: 'new', text });
  const source = () => notebook.cells[0]?.source ?? '';

  beforeEach(() => {
    page = new Page();
    document.hidden = false;
    vi.stubGlobal('document', document);
    vi.stubGlobal('performance', { now: page.now });
    vi.stubGlobal('window', { requestAnimationFrame: page.requestAnimationFrame, cancelAnimationFrame: () => undefined, clearTimeout: () => undefined, setTimeout: () => 1 });
    notebook = YNotebook.create({ disableDocumentWideUndoRedo: true }) as YNotebook;
    writer = new LiveWriter(notebook);
    view = new View();
    writer.painters.add(view);
    writer.write([{ type: 'insert', cell_id: 'new', after: null }]);
    page.frame();
    writes = [];
    notebook.cells[0].changed.connect(() => writes.push(source()));
  });

  afterEach(() => {
    writer.dispose();
    notebook.dispose();
    vi.unstubAllGlobals();
  });

  /** Streams so many frames of text, in pieces of so many characters; returns what has come. */
  function stream(frames: number, piece: number, text = lines(0, 400), from = 0): string {
    for (let frame = 1; frame <= frames; frame++) {
      writer.write([append(text.slice(from + (frame - 1) * piece, from + frame * piece))]);
      page.frame();
      expect(source() + view.text).toBe(text.slice(0, from + frame * piece)); // neither lost nor twice, in each frame
    }
    return text.slice(0, from + frames * piece);
  }

  it('are shown in each frame, and written as whole lines in every eighth', () => {
    stream(81, 70);
    expect(writes.length).toBeLessThan(16);
    expect(writes.slice(3).every(written => written.endsWith('\n'))).toBe(true);
  });

  it('leave no empty box below a cell that is whole', () => {
    stream(80, 70);
    writer.flush();
    view.paint('new', ''); // as after a batch behind which nothing is left
    writer.finish('new');
    expect(view.shown).toBe(false);
  });

  it('are written in each frame where they come slowly', () => {
    const text = stream(60, 4);
    expect(view.paints).toBe(0);
    expect(source()).toBe(text);
  });

  it('are painted on a slow page, too, where much comes in each frame', () => {
    [page.pace, writer.adaptive] = [100, false];
    stream(40, 420);
    expect(view.paints).toBeGreaterThan(20);
  });

  it('are painted at 5,000 tokens a second, too', () => {
    stream(40, 540, lines(0, 800));
    expect(writes.length).toBeLessThan(16);
  });

  it('are written in each frame where they come faster than a box has room for', () => {
    const text = stream(10, 4000, lines(0, 1200));
    expect([source(), view.paints]).toEqual([text, 0]);
  });

  it('are followed at once on a slow page, which others are not', () => {
    const play = (frames: number, can: boolean) => {
      view.can = can;
      for (let frame = 0; frame < frames; frame++) {
        writer.write([append(lines(frame, 10))]);
        page.frame();
      }
      return writer.slow;
    };
    page.pace = 100;
    expect([play(20, false), play(40, true)]).toEqual([true, false]);
  });

  it('are all written soon after the last one', () => {
    const text = stream(30, 70);
    for (let frame = 0; frame < 12; frame++) {
      page.frame();
    }
    expect([source(), view.text]).toEqual([text, '']);
  });

  it('are written in each frame, once, where a view can not paint them', () => {
    view.can = false;
    const text = stream(40, 70);
    expect(source()).toBe(text);
    expect(writes.length).toBeLessThan(50);
  });

  it('are written where one of two views can not paint them', () => {
    const other = new View();
    other.can = false;
    writer.painters.add(other);
    const text = stream(40, 70);
    expect([source(), view.text]).toEqual([text, '']);
  });

  it.each([
    ['somebody needs the text', () => writer.flush()],
    ['the cell is whole', () => writer.finish('new')],
    ['the kernel is gone', () => writer.finishAll()]
  ])('are written at once where %s', (_, act) => {
    const text = stream(30, 70);
    act();
    expect([source(), view.text]).toEqual([text, '']);
  });

  it('are written at once in a tab that is shown no more', () => {
    const timers: (() => void)[] = [];
    Object.assign(window, { setTimeout: (work: () => void) => timers.push(work) });
    const text = stream(30, 70);
    document.hidden = true; // no frame comes any more
    writer.write([append('last = 1\n')]);
    timers.forEach(work => work());
    expect([source(), view.text]).toEqual([`${text}last = 1\n`, '']);
  });

  it('are written before what is not an addition', () => {
    stream(30, 70);
    writer.write([{ type: 'replace', cell_id: 'new', source: 'steered\n' }]);
    page.frame();
    expect([source(), view.text]).toEqual(['steered\n', '']);
  });

  it('go with the cell that somebody deletes', () => {
    stream(30, 70);
    notebook.deleteCell(0);
    for (let frame = 0; frame < 12; frame++) {
      page.frame();
    }
    expect([notebook.cells.length, view.text]).toEqual([0, '']);
  });

  it('are not held back once somebody has typed in the cell', () => {
    const text = stream(20, 70, lines(0, 100));
    writer.flush();
    notebook.cells[0].updateSource(source().length, source().length, 'mine');
    for (let frame = 0; frame < 20; frame++) {
      writer.write([append(lines(0, 100).slice(text.length + frame * 70, text.length + (frame + 1) * 70))]);
      page.frame();
      expect(view.text).toBe('');
    }
    expect(source()).toBe(`${lines(0, 100).slice(0, text.length + 20 * 70)}mine`);
  });

  it('go into the cell that the last one was, where another begins', () => {
    const text = stream(30, 70);
    writer.write([{ type: 'insert', cell_id: 'second', after: 'new', source: 'y = 2\n' }]);
    page.frame();
    expect([source(), notebook.cells[1].source, view.text]).toEqual([text, 'y = 2\n', '']);
  });

  it('are all in the document after any order of what may happen', () => {
    let seed = 7;
    const random = (below: number) => (seed = (seed * 48271) % 2147483647) % below;
    const text = lines(0, 800);
    let sent = 0;
    while (sent < text.length) {
      const piece = text.slice(sent, (sent += random(6) ? random(120) : random(3)));
      writer.write([append(piece)]);
      view.can = random(9) > 0;
      [() => undefined, () => page.frame(), () => page.frame(), () => (page.frame(), page.frame()), () => random(20) || writer.flush()][random(5)]();
      const shown = source() + view.text;
      expect(text.startsWith(shown)).toBe(true);
    }
    writer.finish('new');
    expect([source(), view.text]).toEqual([text, '']);
  });
});
