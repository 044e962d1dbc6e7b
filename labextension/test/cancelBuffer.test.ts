import { describe, expect, it } from 'vitest';
import { CancelBuffer, netChanges } from '../src/cancelBuffer';
import type { CellChange, Event } from '../src/messages';

const append = (text: string, cell_id = 'c'): CellChange => ({ type: 'append', cell_id, text });
const changed = (...changes: CellChange[]): Event => ({ type: 'CellsChanged', turn_id: 't', changes });
const ended = (turn_id: string): Event => ({ type: 'TurnEnded', turn_id, outcome: 'cancelled' });
const cells = (sources: Record<string, string>) => new Map(Object.entries(sources).map(([id, source]) => [id, { source }]));

describe('what comes for a stopped turn', () => {
  it('passes where nothing was stopped', () => {
    const holdback = new CancelBuffer();
    expect(holdback.pass([changed(append('x'))])).toEqual([changed(append('x'))]);
    expect(holdback.pass([ended('t')])).toEqual([ended('t')]);
  });

  it('waits for the end of the turn, and comes in order and once', () => {
    const holdback = new CancelBuffer();
    holdback.stop('t');
    expect(holdback.pass([changed(append('x'))])).toBeNull();
    expect(holdback.pass([ended('another')])).toBeNull();
    expect(holdback.pass([changed(append('y')), ended('t')])).toEqual([
      changed(append('x')),
      ended('another'),
      changed(append('y')),
      ended('t')
    ]);
    expect(holdback.pass([changed(append('z'))])).toEqual([changed(append('z'))]);
  });

  it('waits for every turn that was stopped', () => {
    const holdback = new CancelBuffer();
    holdback.stop('t');
    holdback.stop('u');
    expect(holdback.pass([ended('t')])).toBeNull();
    expect(holdback.pass([ended('u')])).toEqual([ended('t'), ended('u')]);
  });

  it('does not wait for a turn that the kernel refused, nor behind a snapshot', () => {
    const refused = new CancelBuffer();
    refused.stop('t');
    const problem: Event = { type: 'Problem', code: 'session_error', message: 'No.', turn_id: 't' };
    expect(refused.pass([problem])).toEqual([problem]);
    const restored = new CancelBuffer();
    restored.stop('t');
    expect(restored.pass([{ type: 'Snapshot' }])).toEqual([{ type: 'Snapshot' }]);
  });

  it('is given out when nobody will say how the turn ended', () => {
    const holdback = new CancelBuffer();
    holdback.stop('t');
    holdback.pass([changed(append('x'))]);
    expect(holdback.release()).toEqual([changed(append('x'))]);
    expect(holdback.stopped.size).toBe(0);
    expect(holdback.release()).toEqual([]);
  });
});

describe('what is written of it', () => {
  it('is nothing where the cell stands as it stood', () => {
    const changes = [append('more'), { type: 'replace', cell_id: 'c', source: 'x' } as const];
    expect(netChanges(changes, cells({ c: 'x' }), cells({ c: 'x' }))).toEqual([]);
  });

  it('is what was added where the whole answer stands', () => {
    expect(netChanges([append('y'), append('z')], cells({ c: 'x' }), cells({ c: 'xyz' }))).toEqual([append('yz')]);
  });

  it('is the whole source where a finding cut the cell', () => {
    const changes = [append('y'), { type: 'replace', cell_id: 'c', source: 'z' } as const];
    expect(netChanges(changes, cells({ c: 'x' }), cells({ c: 'z' }))).toEqual([{ type: 'replace', cell_id: 'c', source: 'z' }]);
  });

  it('is the new cells that stay, whole, and the end of those that go', () => {
    const insert = { type: 'insert', cell_id: 'd', cell_type: 'code', after: 'c', source: '' } as const;
    const gone = { type: 'delete', cell_id: 'd' } as const;
    expect(netChanges([insert, append('1', 'd')], cells({ c: 'x' }), cells({ c: 'x', d: '1' }))).toEqual([{ ...insert, source: '1' }]);
    expect(netChanges([insert, append('1', 'd'), gone], cells({ c: 'x' }), cells({ c: 'x' }))).toEqual([]);
    expect(netChanges([gone], cells({ d: '1' }), cells({}))).toEqual([gone]);
  });
});
