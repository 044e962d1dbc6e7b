import { YNotebook } from '@jupyter/ydoc';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { applyAwarenessUpdate, encodeAwarenessUpdate } from 'y-protocols/awareness';
import { applyUpdate, createAbsolutePositionFromRelativePosition, createRelativePositionFromJSON, encodeStateAsUpdate } from 'yjs';
import { PARTICIPANT, Participant, USER } from '../src/participant';

/** A page: its copy of one document, and Spark in it. What one page says of others reaches all, as by the server. */
class Page {
  readonly notebook = YNotebook.create() as YNotebook;
  readonly participant = new Participant(this.notebook);

  constructor(...others: Page[]) {
    others.forEach(other => applyUpdate(this.notebook.ydoc, encodeStateAsUpdate(other.notebook.ydoc)));
    others.forEach(other => tell(this, other));
    others.forEach(other => tell(other, this));
  }

  get state(): { user: unknown; cursors: { head: unknown }[] } | undefined {
    return this.notebook.awareness.getStates().get(PARTICIPANT) as ReturnType<() => Page['state']>;
  }

  /** The text in which Spark's cursor stands, and where. */
  cursor(): [string, number] | null {
    const [head] = this.state?.cursors.map(cursor => cursor.head) ?? [];
    const place = head ? createAbsolutePositionFromRelativePosition(createRelativePositionFromJSON(head), this.notebook.ydoc) : null;
    return place ? [place.type.toString(), place.index] : null;
  }
}

function tell(from: Page, to: Page): void {
  const { awareness } = from.notebook;
  awareness.on('update', ({ added, updated, removed }: Record<string, number[]>, origin: unknown) => {
    if (origin === 'local') {
      applyAwarenessUpdate(to.notebook.awareness, encodeAwarenessUpdate(awareness, [...added, ...updated, ...removed]), 'remote');
    }
  });
}

describe('Participant', () => {
  let one: Page;
  let other: Page;
  beforeEach(() => {
    vi.useFakeTimers();
    vi.stubGlobal('window', globalThis);
    one = new Page();
    one.notebook.insertCells(0, [{ id: 'a', cell_type: 'code', source: 'x = 1' }, { id: 'b', cell_type: 'code', source: 'value' }]);
    other = new Page(one);
  });
  afterEach(() => {
    [one, other].forEach(page => page.participant.dispose());
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });

  it('has a name and a colour in every page, and a cursor at the end of the cell that is written', () => {
    one.participant.show();
    expect(other.state?.user).toEqual(USER);
    expect(other.cursor()).toBeNull();
    one.participant.writeIn('b');
    expect(other.cursor()).toEqual(['value', 5]);
    one.participant.writeIn('');
    expect(other.cursor()).toBeNull();
  });

  it('says nothing where another page shows it', () => {
    one.participant.writeIn('b');
    expect(other.state).toBeUndefined();
  });

  it('renews what it says, or y-protocols would forget it, and where another page shows it leaves that to it', () => {
    const clock = () => other.notebook.awareness.meta.get(PARTICIPANT)?.clock ?? 0;
    one.participant.show();
    const first = clock();
    vi.advanceTimersByTime(29_000);
    const renewed = clock();
    one.participant.hide({ gone: false });
    vi.advanceTimersByTime(29_000);
    expect([renewed > first, clock() === renewed, other.state !== undefined]).toEqual([true, true, true]);
  });

  it('is one participant where the writer moves over, whoever speaks first', () => {
    one.participant.show();
    other.participant.show();
    one.participant.hide({ gone: true });
    other.participant.writeIn('a');
    for (const page of [one, other]) {
      expect(page.cursor()).toEqual(['x = 1', 5]);
    }
  });

  it('goes with the kernel', () => {
    one.participant.show();
    one.participant.hide({ gone: true });
    expect(other.state).toBeUndefined();
    expect(one.participant.isShown).toBe(false);
  });
});
