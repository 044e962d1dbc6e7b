import { YNotebook } from '@jupyter/ydoc';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ReaderPainter } from '../src/readerPainter';
import type { State } from '../src/state';

const LINES = Array.from({ length: 60 }, (_, n) => `x${n} = ${n}\n`);

describe('a tab that does not write', () => {
  let notebook: YNotebook;
  let reader: ReaderPainter;
  let painted: string | null;
  let can: boolean;
  let now: number;

  beforeEach(() => {
    notebook = YNotebook.create() as YNotebook;
    notebook.insertCell(0, { id: 'c1', cell_type: 'code', source: '' });
    [painted, can, now] = [null, true, 10_000];
    const paint = (_: string, text: string): boolean => (can ? ((painted = text), true) : false);
    reader = new ReaderPainter(notebook, { paint, clear: () => (painted = null) });
  });

  afterEach(() => notebook.dispose());

  function told(source: string, { writer = false, state = 'streaming' } = {}): void {
    const turn = { id: 't1', outcome: state === 'streaming' ? null : 'completed', document: null };
    const proposal = { turn_id: 't1', cell_id: 'c1', kind: 'insert', state, source };
    reader.update({ turns: [turn], stopping: new Set(), all: [proposal], hello: { writer }, document: null } as unknown as State, (now += 20));
  }

  function holds(source: string): void {
    notebook.cells[0].setSource(source);
  }

  /** Long enough that nothing stood in mid-line. */
  function settled(): void {
    now += 1000;
  }

  const first = (count: number) => LINES.slice(0, count).join('');

  it('paints what its document does not hold yet, and no more once it does', () => {
    settled();
    holds(first(3));
    told(`${first(6)}x6`);
    expect(painted).toBe(`${LINES.slice(3, 6).join('')}x6`);
    holds(first(6));
    told(`${first(6)}x6`);
    expect(painted).toBe('x6');
    holds(first(8)); // before the kernel's word has come
    told(first(7));
    expect(painted).toBe('');
  });

  it('paints nothing where it writes itself, and nothing where nothing streams', () => {
    settled();
    told(first(9), { writer: true });
    expect(painted).toBeNull();
    settled();
    told(first(9));
    expect(painted).toBe(first(9));
    told(first(9), { state: 'ready' }); // the document's word comes another way, and may come later
    expect(painted).toBe(first(9));
    holds(first(9));
    told(first(9), { state: 'ready' });
    expect(painted).toBeNull();
  });

  it('paints nothing where the document is behind by less than lines', () => {
    holds(first(3));
    told(`${first(4)}x4`);
    expect(painted).toBeNull();
  });

  it('paints behind a line that has only begun', () => {
    holds(`${first(3)}x3`);
    told(first(9));
    expect(painted).toBe(first(9).slice(`${first(3)}x3`.length));
  });

  it('paints nothing behind what somebody typed', () => {
    settled();
    holds(`${first(3)}# mine\n`);
    told(first(9));
    expect(painted).toBeNull();
  });

  it('has the box gone where it is not needed for a while', () => {
    settled();
    told(first(9));
    holds(first(9));
    told(first(9));
    expect(painted).toBe('');
    settled();
    told(`${first(9)}`);
    expect(painted).toBeNull();
    told(`${first(11)}x`);
    expect(painted).toBe(`${LINES[9]}${LINES[10]}x`);
    settled();
    told(`${first(11)}x1`); // what is seen does not go before it is in the document
    expect(painted).toBe(`${LINES[9]}${LINES[10]}x1`);
    holds(`${first(11)}x1`);
    settled();
    told(`${first(11)}x1`);
    expect(painted).toBeNull();
  });

  it('has the box gone where the view can not paint, and paints no more than there is room for', () => {
    settled();
    told(first(50));
    expect(painted).toBe(first(30));
    can = false;
    told(first(51));
    expect(painted).toBeNull();
  });
});
