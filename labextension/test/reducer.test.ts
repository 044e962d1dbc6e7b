import { describe, expect, it } from 'vitest';
import type { AttemptChanged, Event, Proposal } from '../src/messages';
import { type Input, reduce } from '../src/reducer';
import { conversationTurns, cutOf, decidable, isDecidable, proposalsOf, runnable, streamingTurn, trialOf } from '../src/selectors';
import { EMPTY, type State } from '../src/state';

const turn = (id: string, steers?: string): Event => ({ type: 'TurnStarted', turn: { id, prompt: 'p', ...(steers ? { steers } : {}) } });
const proposal = (fields: Partial<Proposal> = {}): Event => ({
  type: 'ProposalChanged',
  proposal: { cell_id: 'c', turn_id: 't', ...fields }
});
const append = (text: string): Event => ({ type: 'CellsChanged', turn_id: 't', changes: [{ type: 'append', cell_id: 'c', text }] });
const block = { rule: 'r', severity: 'block', line: 1, message: 'm' } as const;

function after(...inputs: Input[]): State {
  return inputs.reduce(reduce, EMPTY);
}

describe('what was cut', () => {
  const cut = (text: string): Event => ({ type: 'Findings', turn_id: 't', cell_id: 'c', findings: [block], cut: text });

  it('is struck out where it was written anew, and not where it stands again', () => {
    const state = after(turn('t'), proposal(), append('a = 1\n'), cut('b = evil()\nc = 3\n'), append('b = good()\nc = 3\n'));
    expect(cutOf(state, 'c')?.cut).toBe('b = evil()');
    expect(cutOf(after(turn('t'), proposal(), append('a = 1\n'), cut('b = 2\n'), append('b = 2\n')), 'c')).toBeNull();
  });
});

describe('what came of a Try', () => {
  it('is of one proposal, and not of one for the same cell before', () => {
    const result = { type: 'TrialResult', turn_id: 'u', cell_id: 'c' } as const;
    const state = after(turn('t'), proposal({ state: 'rejected' }), turn('u'), proposal({ turn_id: 'u' }), result);
    expect(proposalsOf(state, 'u').map(one => trialOf(state, one))).toEqual([result]);
    expect(proposalsOf(state, 't').map(one => trialOf(state, one))).toEqual([undefined]);
  });
});

describe('what is chosen before the first prompt', () => {
  it('is known until it is said anew, also over a snapshot', () => {
    const providers = [{ name: 'openai', has_key: true }];
    const answered = { type: 'ProviderAnswered', ok: false, message: 'No.' } as const;
    const state = after({ type: 'Ideas', prompts: ['a'] }, { type: 'Providers', providers }, answered, { type: 'Snapshot' });
    expect(state).toMatchObject({ ideas: ['a'], providers, answered });
  });
});

describe('the reducer', () => {
  it('collects what a turn writes', () => {
    const state = after(turn('t'), proposal(), append('a = '), append('1'), { type: 'NotesAdded', turn_id: 't', text: 'hi' });
    expect(state.proposals.get('c')?.source).toBe('a = 1');
    expect(state.turns[0].notes).toBe('hi');
    expect(streamingTurn(state)?.id).toBe('t');
  });

  it('keeps its own source where a proposal changes state', () => {
    const state = after(turn('t'), proposal(), append('x'), proposal({ state: 'ready', source: 'something else' }));
    expect(state.proposals.get('c')).toMatchObject({ state: 'ready', source: 'x' });
  });

  it('takes the source of an accepted proposal', () => {
    const state = after(turn('t'), proposal(), append('x'), proposal({ state: 'accepted', source: 'y' }));
    expect(state.proposals.get('c')).toMatchObject({ state: 'accepted', source: 'y' });
  });

  it('starts anew where another turn proposes something for the same cell', () => {
    const state = after(turn('t'), proposal(), append('x'), proposal({ state: 'accepted', source: 'x' }), turn('u'), proposal({ turn_id: 'u', kind: 'edit', source: '' }));
    expect(state.proposals.get('c')).toMatchObject({ turn_id: 'u', source: '', state: 'streaming' });
  });

  it('hands the proposals of a steered turn to the new one', () => {
    const state = after(turn('t'), proposal(), append('x'), { type: 'TurnEnded', turn_id: 't', outcome: 'superseded' }, turn('u', 't'));
    expect(proposalsOf(state, 't')).toEqual([]);
    expect(proposalsOf(state, 'u')[0].source).toBe('x');
    const later = reduce(state, proposal({ turn_id: 'u', state: 'ready' }));
    expect(later.proposals.get('c')?.source).toBe('x');
  });

  it('counts a turn that was stopped as streaming no more, before the kernel has said so', () => {
    const state = after(turn('t'), proposal(), { type: 'TurnStopping', turn_id: 't' });
    expect(streamingTurn(state)).toBeNull();
    expect(state.turns[0].outcome).toBeNull();
    expect(reduce(state, { type: 'TurnEnded', turn_id: 't', outcome: 'cancelled' }).stopping.size).toBe(0);
    expect(reduce(state, { type: 'KernelGone', reason: 'gone' }).stopping.size).toBe(0);
  });

  it('knows how each attempt of a race stands, in their order, also from a snapshot', () => {
    const attempt = (index: number, state: AttemptChanged['state']): AttemptChanged => ({ type: 'AttemptChanged', turn_id: 't', index, model: 'm', state });
    const state = after(turn('t'), attempt(1, 'streaming'), attempt(0, 'trying'), attempt(1, 'passed'));
    expect(state.attempts.get('t')?.map(one => one.state)).toEqual(['trying', 'passed']);
    const restored = after({ type: 'Snapshot', attempts: [attempt(0, 'failed'), attempt(1, 'passed')] });
    expect(restored.attempts.get('t')?.map(one => one.state)).toEqual(['failed', 'passed']);
  });

  it('knows what runs by itself only when the turn is whole and every check has ended', () => {
    const cell = (cell_id: string, fields: Partial<Proposal> = {}): Event => proposal({ cell_id, state: 'ready', ...fields });
    const end: Event = { type: 'TurnEnded', turn_id: 't', outcome: 'completed' };
    const cells = [cell('a'), cell('b', { cell_type: 'markdown' }), cell('c', { inspecting: true }), cell('d', { kind: 'edit' })];
    expect(runnable(after(turn('t'), ...cells), 't')).toBeNull();
    expect(runnable(after(turn('t'), ...cells, end), 't')).toBeNull();
    expect(runnable(after(turn('t'), ...cells, end, cell('c')), 't')).toEqual(['a', 'c']);
    expect(runnable(after(turn('t'), ...cells, end, cell('c', { state: 'blocked', may_run: 'when-confirmed' })), 't')).toEqual(['a']);
    expect(runnable(after(turn('t'), ...cells, { ...end, outcome: 'cancelled' }), 't')).toEqual([]);
    expect(runnable(after(turn('t'), ...cells, { type: 'KernelGone', reason: 'gone' }), 't')).toEqual([]);
    expect(runnable(after(turn('t'), ...cells, end, cell('a', { may_run: 'when-asked' }), cell('c')), 't')).toEqual([]);
  });

  it('replaces, deletes and ignores what it does not know', () => {
    const change = (changes: Extract<Event, { type: 'CellsChanged' }>['changes']): Event => ({ type: 'CellsChanged', turn_id: 't', changes });
    const state = after(turn('t'), proposal(), append('x'));
    expect(reduce(state, change([{ type: 'replace', cell_id: 'c', source: 'z' }])).proposals.get('c')?.source).toBe('z');
    expect(reduce(state, change([{ type: 'delete', cell_id: 'c' }])).proposals.size).toBe(0);
    expect(reduce(state, change([{ type: 'append', cell_id: 'unknown', text: 'z' }])).proposals).toEqual(state.proposals);
  });

  it('never changes a state that it gave out', () => {
    const before = after(turn('t'), proposal(), append('x'));
    const copy = structuredClone(before);
    reduce(reduce(before, append('y')), { type: 'KernelGone', reason: 'gone' });
    expect(before).toEqual(copy);
  });

  it('takes what it takes to run a proposal as it is told', () => {
    const found: Event = { type: 'Findings', turn_id: 't', cell_id: 'c', findings: [block], may_run: 'when-confirmed' };
    const state = after(turn('t'), proposal(), found);
    expect(state.proposals.get('c')).toMatchObject({ findings: [block], may_run: 'when-confirmed' });
    expect(reduce(state, { ...found, cut: 'eval(x)', may_run: 'freely' }).proposals.get('c')?.may_run).toBe('freely');
  });

  it('keeps the place and the notes of a turn of which more becomes known', () => {
    const state = after(turn('t'), { type: 'NotesAdded', turn_id: 't', text: 'hi' }, turn('u'), { type: 'TurnStarted', turn: { id: 't', prompt: 'p', model: 'm' } });
    expect(state.turns.map(one => [one.id, one.model, one.notes])).toEqual([['t', 'm', 'hi'], ['u', '', '']]);
  });

  it('remembers what was cut and why while the cell is judged further, and forgets it with the next proposal for the cell', () => {
    const warned: Event = { type: 'Findings', turn_id: 't', cell_id: 'c', findings: [{ ...block, severity: 'warn' }] };
    const state = after(turn('t'), proposal(), { type: 'Findings', turn_id: 't', cell_id: 'c', findings: [block], cut: 'eval(x)' }, warned);
    expect(cutOf(state, 'c')?.cut).toBe('eval(x)');
    expect(reduce(state, proposal({ turn_id: 'u' })).cuts).toEqual([]);
  });

  it('knows what was asked for until the kernel has said something of it', () => {
    const asked: Input = { type: 'TurnAsked', asked: { turn_id: 't', prompt: 'do it' } };
    const state = reduce(EMPTY, asked);
    expect(state.asked?.prompt).toBe('do it');
    expect(reduce(state, turn('other')).asked).toEqual(state.asked);
    expect(reduce(state, turn('t')).asked).toBeNull();
    expect(reduce(state, { type: 'Problem', code: 'x', message: 'No.', turn_id: 't' })).toMatchObject({ asked: null, returned: 'do it' });
    expect(reduce(state, { type: 'Problem', code: 'x', message: 'No.', turn_id: 'other' })).toMatchObject({ asked: state.asked, returned: null });
    expect(reduce(state, { type: 'Snapshot', seq: 1 }).asked).toEqual(state.asked);
    expect(reduce(state, { type: 'KernelGone', reason: 'gone' }).asked).toBeNull();
  });

  it('lets only whole proposals be decided', () => {
    const state = after(turn('t'), proposal(), proposal({ cell_id: 'd', state: 'blocked' }), proposal({ cell_id: 'e', state: 'rejected' }));
    expect(decidable(state).map(one => one.cell_id)).toEqual(['d']);
    expect(isDecidable({ state: 'streaming' })).toBe(false);
  });

  it('keeps what was proposed when the kernel goes, and ends what streamed', () => {
    const state = after(turn('t'), proposal(), append('x'), { type: 'KernelGone', reason: 'The kernel was restarted.' });
    expect(state.turns[0]).toMatchObject({ outcome: 'failed', reason: 'The kernel was restarted.' });
    expect(state.proposals.get('c')).toMatchObject({ state: 'ready', source: 'x' });
    expect(state.orphans.has('t')).toBe(true);
  });

  it('does not make a blocked stream harmless when the kernel goes', () => {
    const findings: Event = { type: 'Findings', turn_id: 't', cell_id: 'c', findings: [block], may_run: 'when-confirmed' };
    const state = after(turn('t'), proposal(), findings, { type: 'KernelGone', reason: '' });
    expect(state.proposals.get('c')?.state).toBe('blocked');
  });

  it('is replaced by a snapshot', () => {
    const state = after(turn('t'), proposal(), append('x'), {
      type: 'Snapshot',
      turns: [{ id: 'u', prompt: 'q' }],
      proposals: [{ cell_id: 'd', turn_id: 'u', source: 'y' }],
      model: 'm'
    });
    expect([...state.proposals.keys()]).toEqual(['d']);
    expect(state.turns.map(one => one.id)).toEqual(['u']);
    expect(state.model).toBe('m');
  });

  it('keeps what a kernel that went has left when the next one says what it knows', () => {
    const decideMode = { cell_id: 'e', turn_id: 's', source: 'z', state: 'accepted' } as const;
    const gone = after(
      turn('s'),
      { type: 'ProposalChanged', proposal: decideMode },
      turn('t'),
      proposal(),
      append('x'),
      { type: 'KernelGone', reason: 'The kernel was restarted.' }
    );
    const next: Event = { type: 'Snapshot', turns: [{ id: 'u', prompt: 'q' }], proposals: [{ cell_id: 'd', turn_id: 'u', source: 'y' }] };
    const state = reduce(reduce(gone, { type: 'Snapshot' }), next);
    expect([...state.proposals.keys()]).toEqual(['e', 'c', 'd']);
    expect(state.proposals.get('c')).toMatchObject({ state: 'ready', source: 'x' });
    expect([...state.orphans]).toEqual(['s', 't']);
    expect(state.turns.map(one => [one.id, one.reason])).toEqual([['s', 'The kernel was restarted.'], ['t', 'The kernel was restarted.'], ['u', '']]);
  });

  it('keeps the list of models when it is only told which is selected', () => {
    const state = after({ type: 'Models', models: [{ id: 'a' }, { id: 'b' }], selected: 'a' }, { type: 'Models', models: [], selected: 'b' });
    expect(state.models.map(model => model.id)).toEqual(['a', 'b']);
    expect(state.model).toBe('b');
  });

  it('shows the review that its kernel still has, also to a page that was not there when it began', () => {
    const review = { type: 'ReviewChanged', review_id: 'r', state: 'done', total: 3, done: 3 } as const;
    expect(after({ type: 'Snapshot', review }).review).toEqual(review);
  });

  it('keeps a review as far as it came when its kernel goes and the next one is attached', () => {
    const review = { type: 'ReviewChanged', review_id: 'r', state: 'running', done: 1, total: 3 } as const;
    const state = after(review, { type: 'KernelGone', reason: 'gone' }, { type: 'Snapshot' });
    expect(state.review).toEqual({ ...review, state: 'cancelled' });
  });

  it('remembers the youngest problems, and forgets one that was read', () => {
    const problem = (n: number): Event => ({ type: 'Problem', code: 'c', message: String(n) });
    const state = after(...Array.from({ length: 30 }, (_, n) => problem(n)));
    expect(state.problems).toHaveLength(20);
    const [first] = state.problems;
    expect(reduce(state, { type: 'ProblemDismissed', problem: first }).problems).not.toContain(first);
  });

  it('takes what a greeting leaves out for its default', () => {
    const state = after({ type: 'Hello', provider: 'p' });
    expect(state.hello).toMatchObject({ writer: false, subshells: true, offline: false, try_unavailable: '' });
  });

  it('does not take the model of one provider for that of another', () => {
    const state = after({ type: 'Hello', provider: 'p', model: 'm' });
    expect(reduce(state, { type: 'Hello', provider: 'p' }).model).toBe('m');
    expect(reduce(state, { type: 'Hello', provider: 'q' }).model).toBe('');
    expect(reduce(state, { type: 'Hello' }).model).toBe('m');
  });

  it('knows that a Try runs until its result has come', () => {
    const trying = after(turn('t'), proposal({ state: 'ready' }), { type: 'TrialStarted', cell_id: 'c' });
    expect(trying.trying.has('c')).toBe(true);
    const done = reduce(trying, { type: 'TrialResult', turn_id: 't', cell_id: 'c', source_hash: 'h' });
    expect(done.trying.has('c')).toBe(false);
    expect(done.proposals.get('c')?.tried).toBe('h');
  });
});

describe('a long day', () => {
  const ended = (id: string): Event => ({ type: 'TurnEnded', turn_id: id, outcome: 'completed' });
  const meter = (id: string): Event => ({ type: 'Meter', turn_id: id, output_tokens: 1 });
  const proposes = (id: string, state: 'ready' | 'accepted'): Event => ({ type: 'ProposalChanged', proposal: { cell_id: id, turn_id: id, state } });

  it('keeps the youngest turns, what nobody has decided on and what streams, and says how many went', () => {
    const turns = Array.from({ length: 1_000 }, (_, n) => `t${n}`).flatMap(id => [turn(id), meter(id), proposes(id, id === 't3' ? 'ready' : 'accepted'), ...(id === 't5' ? [] : [ended(id)])]);
    const state = after(...turns);
    expect(state.turns.length).toBeLessThan(230);
    expect(state.turns.slice(0, 2).map(one => one.id)).toEqual(['t3', 't5']);
    expect(state.turns.at(-1)?.id).toBe('t999');
    expect(state.forgotten + state.turns.length).toBe(1_000);
    expect([state.meters.size, state.all.length]).toEqual([state.turns.length, state.turns.length]);
    expect(state.proposals.has('t3')).toBe(true);
  });
});

describe('conversations', () => {
  const begun = (id: string): Input => ({ type: 'TurnStarted', turn: { id, prompt: id, outcome: 'completed' } });
  const waiting: Input = { type: 'ProposalChanged', proposal: { cell_id: 'c', turn_id: 'b', state: 'ready', source: 'x = 1' } };
  const shown = (...inputs: Input[]) => conversationTurns(inputs.reduce(reduce, EMPTY)).map(turn => turn.id);

  it('show the turns of the one that goes on, and those that begin from now on', () => {
    expect(shown(begun('a'), { type: 'ConversationChanged', id: 'n', others: ['a'] }, begun('b'))).toEqual(['b']);
    expect(shown(begun('a'), { type: 'ConversationBegun' }, begun('b'))).toEqual(['b']);
    expect(shown(begun('a'), { type: 'ConversationChanged', id: 'n', others: ['a'] }, { type: 'ConversationChanged', id: 'm' })).toEqual(['a']);
  });

  it('stay apart when the kernel that knew them is gone, and what waits is told to the next one', () => {
    const before: Input[] = [begun('a'), { type: 'ConversationChanged', id: 'n', others: ['a'] }, begun('b'), waiting, { type: 'KernelGone', reason: 'gone' }];
    const snapshot: Input = { type: 'Snapshot', turns: [{ id: 'b', prompt: 'b', outcome: 'completed' }], conversation: { type: 'ConversationChanged', id: 'n' } as never };
    expect(shown(...before, snapshot)).toEqual(['b']);
    const state = [...before, snapshot].reduce(reduce, EMPTY);
    expect([...state.orphans]).toEqual(['a', 'b']);
    expect(state.all.map(one => one.cell_id)).toEqual(['c']);
    expect(state.turns.filter(turn => turn.id === 'b')).toHaveLength(1);
  });
});
