import { describe, expect, it } from 'vitest';
import { contentHash } from '../src/hash';
import type { Event, Proposal } from '../src/messages';
import { type Input, reduce } from '../src/reducer';
import { EMPTY, type State } from '../src/state';
import { toRecord, fromRecord } from '../src/turnRecord';
import { isFree, wantsSecondYes } from '../src/selectors';

const turn = (id: string, fields = {}): Event => ({ type: 'TurnStarted', turn: { id, prompt: `prompt ${id}`, outcome: 'completed', ...fields } });
const proposal = (fields: Partial<Proposal> = {}): Event => ({
  type: 'ProposalChanged',
  proposal: { cell_id: 'c', turn_id: 't', state: 'ready', source: 'x = 1', ...fields }
});
const after = (...inputs: Input[]): State => inputs.reduce(reduce, EMPTY);
const holding = (cells: Record<string, string>) => (cellId: string) => cells[cellId] ?? null;
const written = (state: State): unknown => JSON.parse(JSON.stringify(toRecord(state)));

describe('what a notebook keeps', () => {
  it('is what is open, which waits for judgement when it comes back, and not a word of its turn', () => {
    const state = after(turn('t', { notes: 'Words.', withheld: ['a password'], model: 'm' }), turn('u'), proposal(), proposal({ turn_id: 'u', cell_id: 'd', state: 'accepted', source: 'y = 2' }));
    expect(JSON.stringify(written(state))).not.toMatch(/Words|password|prompt t|y = 2/);
    const { turns, proposals, broken } = fromRecord(written(state), holding({ c: 'x = 1', d: 'y = 2' }));
    expect(broken).toBe(false);
    expect(turns).toMatchObject([{ id: 't', prompt: '', notes: '', model: 'm', outcome: 'completed' }]);
    expect(proposals).toMatchObject([{ cell_id: 'c', state: 'ready', source: 'x = 1', recalled: 'same' }]);
    expect(proposals.map(wantsSecondYes)).toEqual([true]);
    expect(isFree(proposals[0])).toBe(false);
    expect(toRecord(after(turn('t')))).toBeNull();
  });

  it('has the source of a new cell in the cell alone, and what an edit gives and takes', () => {
    const edit = proposal({ cell_id: 'e', kind: 'edit', base: 'before', source: 'after' });
    const state = after(turn('t'), proposal(), edit);
    expect(JSON.stringify(written(state))).not.toContain('x = 1');
    const { proposals } = fromRecord(written(state), holding({ c: 'x = 1', e: 'before' }));
    expect(proposals[1]).toMatchObject({ kind: 'edit', base: 'before', source: 'after', state: 'ready' });
  });

  it.each([{ kind: 'delete', above: 'a' }, { kind: 'move', above: 'a', below: 'z' }, { kind: 'run' }] as const)('says what an agent wants done with a cell: %j', operation => {
    const state = after(turn('t'), proposal({ kind: 'edit', base: 'x = 1', source: operation.kind === 'delete' ? '' : 'x = 1', operation }));
    const { proposals } = fromRecord(written(state), holding({ c: 'x = 1' }));
    expect(proposals).toMatchObject([{ kind: 'edit', operation, state: 'ready' }]);
  });

  it.each(['accepted', 'rejected', 'reverted'] as const)('is nothing of what was %s', state => {
    expect(toRecord(after(turn('t'), proposal({ kind: 'edit', state, base: 'x = 1', source: 'x = 2' })))).toBeNull();
  });

  it('takes half a kilobyte at most for an open proposal with its turn, beside its text', () => {
    const findings = Array.from({ length: 30 }, (_, n) => ({ rule: 'unbounded-work', severity: 'warn' as const, line: n, message: 'm'.repeat(200) }));
    const base = 'a = 1\n'.repeat(50);
    const id = '0'.repeat(36);
    for (const fields of [{ may_run: 'when-asked' as const }, { kind: 'edit' as const, base, source: base }]) {
      const kept = toRecord(after(turn('t'.repeat(13), { prompt: 'p'.repeat(9_000), notes: 'n'.repeat(9_000), model: 'a-model', target: { after: id } }), proposal({ turn_id: 't'.repeat(13), cell_id: id, findings, ...fields })));
      const [{ base: _, source: __, ...rest }] = kept?.proposals ?? [];
      expect(JSON.stringify({ ...kept, proposals: [rest] }).length).toBeLessThanOrEqual(512);
    }
  });

  it('says where a cell that waits holds another text than was proposed', () => {
    const { proposals } = fromRecord(written(after(turn('t'), proposal())), holding({ c: 'import os' }));
    expect(proposals[0]).toMatchObject({ recalled: 'changed', source: 'import os' });
    expect(wantsSecondYes(proposals[0])).toBe(true);
  });

  it('has the doubts of the session that judged it, for the one that judges it next', () => {
    const state = after(turn('t'), proposal({ may_run: 'when-asked' }));
    const { proposals } = fromRecord(written(state), holding({ c: 'x = 1' }));
    expect(proposals[0].may_run).toBe('when-asked');
  });

  it('is bounded: the oldest proposals go first', () => {
    const long = (cell_id: string) => proposal({ cell_id, kind: 'edit', base: 'b'.repeat(75_000), source: 's'.repeat(75_000) });
    expect(toRecord(after(turn('t'), long('a'), long('b')))?.proposals.map(one => one.cell_id)).toEqual(['b']);
    expect(toRecord(EMPTY)).toBeNull();
  });

  it('knows a turn that was being written as one that failed', () => {
    const state = after(turn('t', { outcome: null }), proposal({ state: 'streaming' }));
    const { turns, proposals } = fromRecord(written(state), holding({ c: 'x =' }));
    expect(turns[0].outcome).toBe('failed');
    expect(proposals[0]).toMatchObject({ state: 'ready', recalled: 'changed', source: 'x =' });
  });
});

describe('a notebook of before, with all its turns', () => {
  const before = {
    version: 1,
    turns: [{ id: 't', prompt: 'an old wish', notes: 'Words.', outcome: 'completed' }],
    proposals: [{ cell_id: 'e', turn_id: 't', kind: 'edit', state: 'accepted', base: 'before', source: 'after', hash: contentHash('after') }]
  };

  it('is read, and emptied when it is written again', () => {
    const { turns, proposals } = fromRecord(before, holding({ e: 'after' }));
    expect([turns, proposals]).toMatchObject([[{ prompt: 'an old wish', notes: 'Words.' }], [{ state: 'accepted', base: 'before' }]]);
    expect(toRecord(reduce(EMPTY, { type: 'TurnsRecalled', turns, proposals }))).toBeNull();
  });
});

describe('a record from somebody else', () => {
  const kept = (one: object, about: object = {}) => ({
    version: 1,
    turns: [{ id: 't', prompt: 'p', outcome: 'completed', ...about }],
    proposals: [{ cell_id: 'c', turn_id: 't', state: 'ready', hash: contentHash('x = 1'), ...one }]
  });
  const read = (value: unknown) => fromRecord(value, holding({ c: 'x = 1' }));

  it.each([7, [], 'text', { version: 9 }, { version: 1, turns: {}, proposals: [] }, { version: 1, turns: [null], proposals: [3] }])('that is none is left out: %j', value => {
    expect(read(value)).toMatchObject({ turns: [], proposals: [], broken: true });
  });

  it.each([
    { may_run: 'freely' },
    { may_run: 'at once' },
    { may_run: 'when-asked' },
    { may_run: 'freely', inspecting: false, recalled: undefined, byRunning: true },
    { state: 'streaming' },
    { state: 'blocked', findings: [] }
  ])('never says that what waits may run: %j', fields => {
    const [one] = read(kept(fields)).proposals;
    expect([one.recalled, isFree(one), wantsSecondYes(one)]).toEqual(['same', false, true]);
  });

  it.each([
    { cell_id: '"><img>' },
    { turn_id: 'another' },
    { state: 'run' },
    { kind: 'delete' },
    { hash: 7 },
    { kind: 'edit', base: 'x = 1', source: 'import os' },
    { kind: 'edit', base: ['x'], source: 'x = 1' },
    { kind: 'edit', operation: { kind: 'format' } },
    { kind: 'edit', operation: 'delete' }
  ])('is not believed: %j', fields => {
    expect(read(kept(fields))).toMatchObject({ proposals: [], broken: true });
  });

  it('has only text, numbers and names where they belong', () => {
    const { turns, proposals } = read(kept({ findings: [{ rule: {}, severity: 'block' }, { rule: 'r', severity: 'block', line: 1, message: 'm', evil: 1 }] }, { model: {}, target: { edit: '<b>', after: 'c' }, notes: 7, steers: '/', withheld: [1, 'x'], started_at: 'now' }));
    expect(turns[0]).toMatchObject({ model: '', notes: '', steers: null, target: { after: 'c' }, withheld: ['x'], started_at: 0 });
    expect(turns[0].target).toEqual({ after: 'c' });
    expect(proposals[0].findings).toEqual([{ rule: 'r', severity: 'block', line: 1, message: 'm', remedy: '', column: 0 }]);
  });
});

describe('what else the metadata says', () => {
  it.each([{ suggestions: 'off' }, { prompts: 'hints', hints: 2 }, { recording: 'lesson.spark.jsonl' }, { course: {} }, {}])('is no broken record: %j', said => {
    expect(fromRecord(said, () => null)).toEqual({ turns: [], proposals: [], deep: [], broken: false });
  });
});
