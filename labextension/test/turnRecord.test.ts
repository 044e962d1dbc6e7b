import { describe, expect, it } from 'vitest';
import { MOST_KEPT_TURNS } from '../src/constants';
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

describe('what a notebook keeps of its turns', () => {
  it('comes back, and waits for judgement where it waits', () => {
    const state = after(turn('t', { notes: 'Words.' }), proposal(), proposal({ cell_id: 'd', state: 'accepted', source: 'y = 2' }));
    const { turns, proposals, broken } = fromRecord(written(state), holding({ c: 'x = 1', d: 'y = 2' }));
    expect(broken).toBe(false);
    expect(turns).toMatchObject([{ id: 't', prompt: 'prompt t', notes: 'Words.', outcome: 'completed' }]);
    expect(proposals).toMatchObject([
      { cell_id: 'c', state: 'ready', source: 'x = 1', recalled: 'same' },
      { cell_id: 'd', state: 'accepted', may_run: 'freely', source: 'y = 2' }
    ]);
    expect(proposals[1].recalled).toBeUndefined();
    expect(proposals.map(wantsSecondYes)).toEqual([true, false]);
    expect(isFree(proposals[0])).toBe(false);
  });

  it('has the source of a new cell in the cell alone, and what an edit gave and took', () => {
    const edit = proposal({ cell_id: 'e', kind: 'edit', state: 'accepted', base: 'before', source: 'after' });
    const state = after(turn('t'), proposal(), edit);
    expect(JSON.stringify(written(state))).not.toContain('x = 1');
    const { proposals } = fromRecord(written(state), holding({ c: 'x = 1', e: 'after' }));
    expect(proposals[1]).toMatchObject({ kind: 'edit', base: 'before', source: 'after', state: 'accepted' });
  });

  it.each(['rejected', 'reverted'] as const)('holds nothing of what was %s, nor its prompt', state => {
    const edit = proposal({ kind: 'edit', state, base: 'x = 1\nprint(x)', source: 'x = 2\nprint(x)' });
    expect(toRecord(after(turn('t'), edit))).toBeNull();
    const other = proposal({ cell_id: 'd', state: 'accepted', source: 'y = 2' });
    expect(fromRecord(written(after(turn('t'), edit, other)), holding({ c: 'x = 1\nprint(x)', d: 'y = 2' })).proposals.map(one => one.cell_id)).toEqual(['d']);
  });

  it('takes half a kilobyte at most for an open proposal, beside its text', () => {
    const findings = Array.from({ length: 30 }, (_, n) => ({ rule: 'unbounded-work', severity: 'warn' as const, line: n, message: 'm'.repeat(200) }));
    const base = 'a = 1\n'.repeat(50);
    const open = [proposal({ cell_id: '0'.repeat(36), findings, may_run: 'when-asked' }), proposal({ cell_id: 'e'.repeat(36), kind: 'edit', base, source: base, findings })];
    const { proposals } = toRecord(after(turn('t'), ...open)) ?? { proposals: [] };
    expect(proposals).toHaveLength(2);
    const sizes = proposals.map(({ base: _, source: __, ...rest }) => JSON.stringify(rest).length);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(512);
  });

  it('is only what is open of turns that it is not to keep', () => {
    const state = after(turn('t'), turn('u'), proposal(), proposal({ turn_id: 'u', cell_id: 'd', state: 'accepted' }));
    const { turns, proposals } = toRecord(state, () => true) ?? { turns: [], proposals: [] };
    expect([turns.map(one => one.id), proposals.map(one => one.cell_id)]).toEqual([['t'], ['c']]);
    expect(toRecord(after(turn('t')), () => true)).toBeNull();
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

  it('does not hold what an edit took out where credentials were withheld', () => {
    const edit = proposal({ kind: 'edit', state: 'accepted', base: 'key = "secret"', source: 'key = env' });
    expect(JSON.stringify(written(after(turn('t', { withheld: ['a password'] }), edit)))).not.toContain('secret');
  });

  it('is bounded: the oldest turns go first', () => {
    const many = Array.from({ length: MOST_KEPT_TURNS + 9 }, (_, n) => turn(`t${n}`));
    expect(toRecord(after(...many))?.turns.map(one => one.id)).toHaveLength(MOST_KEPT_TURNS);
    const long = toRecord(after(turn('a', { notes: 'n'.repeat(150_000) }), turn('b', { notes: 'n'.repeat(150_000) })));
    expect(long?.turns.map(one => one.id)).toEqual(['b']);
    expect(toRecord(EMPTY)).toBeNull();
  });

  it('knows a turn that was being written as one that failed', () => {
    const state = after(turn('t', { outcome: null }), proposal({ state: 'streaming' }));
    const { turns, proposals } = fromRecord(written(state), holding({ c: 'x =' }));
    expect(turns[0].outcome).toBe('failed');
    expect(proposals[0]).toMatchObject({ state: 'ready', recalled: 'changed', source: 'x =' });
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
    { kind: 'edit', base: ['x'], source: 'x = 1' }
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
  it('is no broken record', () => {
    expect(fromRecord({ suggestions: 'off' }, () => null)).toEqual({ turns: [], proposals: [], deep: [], broken: false });
  });
});
