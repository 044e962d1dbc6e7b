import { describe, expect, it } from 'vitest';
import type { Completed } from '../../src/messages';
import { SuggestionMachine, type Move, type Request, type Shown } from '../../src/suggest/suggestionMachine';
import type { Situation } from '../../src/suggest/cursorContext';

function at(before: string, fields: Partial<Situation> = {}): Situation {
  return { host: 'n', cellId: 'c', cellType: 'code', before, after: '', context: 0, ...fields };
}

/** An asker with a clock, a wire and a screen that do what they are told. */
class ActiveEditor {
  readonly asked: Request[] = [];
  readonly dropped: string[] = [];
  readonly excuses: string[] = [];
  shown: Shown | null = null;
  time = 0;
  mayAsk = true;
  private _due: number | null = null;
  readonly asker = new SuggestionMachine({
    newId: () => `r${this.asked.length}`,
    now: () => this.time,
    mayAsk: () => this.mayAsk,
    ask: request => void this.asked.push(request),
    drop: id => void this.dropped.push(id),
    show: shown => (this.shown = shown),
    wake: milliseconds => (this._due = milliseconds === null ? null : this.time + milliseconds),
    explainNothing: problem => void this.excuses.push(problem)
  });

  get text(): string | undefined {
    return this.shown?.text;
  }

  get befores(): string[] {
    return this.asked.map(({ situation }) => situation.before);
  }

  type(before: string, { move = 'typed', asks = true, ...fields }: Partial<Situation> & { move?: Move; asks?: boolean } = {}): this {
    this.asker.cursorMoved(at(before, fields), move, this.time, { asks });
    return this;
  }

  pass(milliseconds: number): this {
    this.time += milliseconds;
    if (this._due !== null && this._due <= this.time) {
      this._due = null;
      this.asker.timerFired();
    }
    return this;
  }

  say(text: string, fields: Partial<Completed> = {}): this {
    const completion_id = fields.completion_id ?? this.asked.at(-1)?.id ?? '';
    this.asker.completed({ type: 'Completed', text, done: true, first_text: 0.2, ...fields, completion_id });
    return this;
  }
}

const PROSE = `# Orders of the last year, cleaned before anything else is done with them.
# Prices are in euros and include the tax of the country in which they were paid.
def monthly_revenue(orders, country, include_returns):
    """Revenue of each month in one country, as a table with a row for each month.

    Returns are left out unless they are asked for, since they are booked in another year.
    The months in which nothing was sold are missing, and are not filled with zeros.
    """
# What follows draws the same for the five largest countries, one line for each of them.
class RevenueReport:
    """A page with the figures that the board sees on the first Monday of each month."""
# The names of the columns come from the bookkeeping and must stay as they are written there.
`;

describe('prose and new names', () => {
  it('show something at no more than 3 % of the keys, whatever the model guesses', () => {
    const active = new ActiveEditor();
    const answers: { at: number; id: string }[] = [];
    let seen = 0;
    for (let length = 1; length <= PROSE.length; length += 1) {
      const before = active.asked.length;
      active.type(PROSE.slice(0, length));
      let shown = active.shown !== null;
      for (let step = 0; step < 15; step += 1) {
        active.pass(10);
        answers.push(...active.asked.slice(before).filter(({ id }) => !answers.some(one => one.id === id)).map(({ id }) => ({ at: active.time + 250, id })));
        answers.filter(({ at }) => at === active.time).forEach(({ id }) => active.say('a guess that never fits', { completion_id: id, first_text: 0.25 }));
        shown ||= active.shown !== null;
      }
      seen += shown ? 1 : 0;
    }
    expect(seen / PROSE.length).toBeLessThanOrEqual(0.03);
  });
});

describe('typing', () => {
  it('asks at once after a pause, and shows what is said', () => {
    const active = new ActiveEditor().type('df.').say('head()');
    expect(active.befores).toEqual(['df.']);
    expect(active.text).toBe('head()');
  });

  it('along what is shown asks nothing, trims it, and has all of it again when it is deleted back', () => {
    const active = new ActiveEditor().type('df.').say('head()');
    active.pass(100).type('df.h').pass(100).type('df.he');
    expect(active.text).toBe('ad()');
    active.pass(100).type('df.', { move: 'deleted' }).pass(1000);
    expect(active.text).toBe('head()');
    expect(active.asked).toHaveLength(1);
    expect(active.dropped).toEqual([]);
  });

  it('along what streams keeps the request, and what it still says comes trimmed', () => {
    const active = new ActiveEditor().type('df.').say('he', { done: false });
    active.pass(50).type('df.h');
    expect(active.text).toBe('e');
    active.say('head(3)');
    expect(active.text).toBe('ead(3)');
    expect(active.asked).toHaveLength(1);
  });

  it('faster than the provider answers lets it speak, and what it says then comes trimmed', () => {
    const active = new ActiveEditor().type('df.').say('head()', { first_text: 0.2 });
    active.pass(1000).type('df.\ns').pass(120).type('df.\nsu').pass(110);
    expect(active.befores).toEqual(['df.', 'df.\ns']);
    active.say('um(values)', { first_text: 0.2 });
    expect(active.text).toBe('m(values)');
    expect(active.asked).toHaveLength(2);
  });

  it('asks anew where the one under way is overdue, and at once where it turns out to say something else', () => {
    const active = new ActiveEditor().type('df.').say('head()', { first_text: 0.2 });
    active.pass(1000).type('df.\ns').pass(120).type('df.\nsu').pass(179);
    expect(active.asked).toHaveLength(2);
    expect(active.pass(1).befores.at(-1)).toBe('df.\nsu');
    active.pass(10).type('df.\nsum').say('per()');
    expect(active.befores.at(-1)).toBe('df.\nsum');
  });

  it('what contradicts it drops it, and asks anew', () => {
    const active = new ActiveEditor().type('df.').say('he', { done: false });
    active.pass(1000).type('df.x');
    expect(active.dropped).toEqual([]); // the newest drops the one before by itself
    expect(active.befores).toEqual(['df.', 'df.x']);
    expect(active.shown).toBeNull();
    active.say('head()', { completion_id: 'r0' });
    expect(active.shown).toBeNull();
  });

  it('what contradicts it drops it at once, also where the newest is asked for later', () => {
    const active = new ActiveEditor().type('df.').say('he', { done: false });
    active.pass(10).type('df.x');
    expect(active.befores).toEqual(['df.']);
    expect(active.dropped).toEqual(['r0']);
    active.pass(1000);
    expect(active.befores).toEqual(['df.', 'df.x']);
  });

  it('lets a request live that has said nothing yet, until the user pauses', () => {
    const active = new ActiveEditor().type('d').pass(1).type('df').pass(1).type('df.');
    expect(active.befores).toEqual(['d']);
    active.pass(1000);
    expect(active.befores).toEqual(['d', 'df.']);
  });

  it('uses what such a request says where it was right, and asks the newest at once where it was not', () => {
    const right = new ActiveEditor().type('d').pass(1).type('df').say('f.head()');
    expect(right.text).toBe('.head()');
    expect(right.pass(1000).asked).toHaveLength(1);
    const wrong = new ActiveEditor().type('d').pass(1).type('df').say('ata');
    expect(wrong.befores).toEqual(['d', 'df']);
    expect(wrong.shown).toBeNull();
  });

  it('fast waits for a pause as long as the provider’s own time teaches', () => {
    const active = new ActiveEditor().type('a').say('');
    active.pass(1000).type('a b').say('', { first_text: 0.2 });
    active.pass(10).type('a bc');
    expect(active.asked).toHaveLength(2);
    active.pass(active.asker.pause - 1);
    expect(active.asked).toHaveLength(2);
    active.pass(1);
    expect(active.asked).toHaveLength(3);
  });

  it('asks a provider that answers at once without a pause, as long as what it says is used', () => {
    const active = new ActiveEditor().type('').say('', { first_text: 0.008 });
    const keys = 'if rows in rows';
    for (let end = 1; end <= keys.length; end++) {
      active.asker.accepted();
      active.pass(40).type(keys.slice(0, end)).say('', { first_text: 0.008 });
    }
    expect(active.asker.pause).toBe(0);
    expect(active.asked).toHaveLength(keys.length + 1);
  });

  it('learns from each request once, however often more of it comes', () => {
    const active = new ActiveEditor().type('a').say('', { first_text: 0.02 }).pass(1000).type('b').say('', { first_text: 0.02 });
    active.pass(1000).type('c');
    ['d', 'de', 'def', 'defg'].forEach(text => active.say(text, { first_text: 0.2, done: false }));
    expect(active.asker.pause).toBe(0);
  });

  it('asks nothing in the middle of a word, nor where there was nothing to say', () => {
    const active = new ActiveEditor().type('de', { after: 'f x' }).pass(1000);
    expect(active.asked).toEqual([]);
    active.type('x = ').say('').pass(1000).type('x =', { move: 'deleted' }).pass(1000).say('').type('x = ').pass(1000);
    expect(active.befores).toEqual(['x = ', 'x =']);
  });

  it('shows one line in mid-line', () => {
    expect(new ActiveEditor().type('f(', { after: ')' }).say('a, b\nmore').text).toBe('a, b');
  });
});

describe('moving', () => {
  it('asks nothing, and shows what is known there', () => {
    const active = new ActiveEditor().type('df.').say('head()');
    active.type('x', { cellId: 'other', move: 'moved' }).pass(1000);
    expect(active.shown).toBeNull();
    active.type('df.', { move: 'moved' });
    expect(active.text).toBe('head()');
    expect(active.asked).toHaveLength(1);
  });

  it('to where the cursor stands already takes nothing back that is wanted there', () => {
    const active = new ActiveEditor();
    active.asker.cursorMoved(at(''), 'entered', 0, { asks: true, wait: 500 });
    active.type('', { move: 'moved' }).pass(500);
    expect(active.asked).toHaveLength(1);
  });

  it('away drops what is under way', () => {
    const active = new ActiveEditor().type('df.');
    active.asker.cursorMoved(null, 'moved', 0, { asks: true });
    expect(active.dropped).toEqual(['r0']);
  });

  it('into an empty cell asks what comes next, anew when the cell above has run', () => {
    const active = new ActiveEditor().type('', { move: 'entered' }).say('df.head()');
    expect(active.text).toBe('df.head()');
    active.type('', { move: 'entered', context: 1 });
    expect(active.asked).toHaveLength(2);
    active.type('x = 1', { move: 'entered', cellId: 'other' }).pass(1000);
    expect(active.asked).toHaveLength(2);
  });

  it('to another notebook drops what that one’s kernel works at', () => {
    const active = new ActiveEditor().type('df.').type('df.', { host: 'm' }).pass(1000);
    expect(active.dropped).toEqual(['r0']);
    expect(active.asked.map(({ situation }) => situation.host)).toEqual(['n', 'm']);
  });
});

describe('the user', () => {
  it('hides it: it stays away in this line', () => {
    const active = new ActiveEditor().type('df.').say('head()');
    active.asker.hide();
    expect(active.shown).toBeNull();
    active.pass(1000).type('df.h').pass(1000);
    expect(active.shown).toBeNull();
    expect(active.asked).toHaveLength(1);
    active.type('df.h\n').pass(1000);
    expect(active.asked).toHaveLength(2);
  });

  it('asks by a key, also where nothing is asked by itself', () => {
    const active = new ActiveEditor().type('df.', { asks: false }).pass(1000);
    expect(active.asked).toEqual([]);
    active.asker.request(at('df.'));
    expect(active.asked).toMatchObject([{ byKey: true }]);
    active.say('', { problem: 'Nothing fits.' });
    expect(active.excuses).toEqual(['Nothing fits.']);
  });

  it('keeps what it asked by a key when the key is pressed again before the answer', () => {
    const active = new ActiveEditor();
    active.type('df.', { move: 'moved', asks: false });
    active.asker.request(at('df.'));
    active.asker.request(at('df.'));
    expect(active.asked).toHaveLength(1);
    active.say('head()');
    expect(active.text).toBe('head()');
    active.asker.request(at('df.'));
    expect(active.asked).toHaveLength(2);
  });

  it('asks again by the key where no answer has come for long', () => {
    const active = new ActiveEditor();
    active.type('df.', { move: 'moved', asks: false });
    active.asker.request(at('df.'));
    active.pass(20_000).asker.request(at('df.'));
    expect(active.asked).toHaveLength(2);
    active.say('head()');
    expect(active.text).toBe('head()');
  });

  it('gets back by a key what was hidden, and another one by the next', () => {
    const active = new ActiveEditor().type('df.').say('head()');
    active.asker.hide();
    active.asker.request(at('df.'));
    expect(active.text).toBe('head()');
    active.asker.request(at('df.'));
    expect(active.asked.at(-1)).toMatchObject({ byKey: true, otherThan: ['head()'] });
  });

  it('goes through several, and asks for another one after the last', () => {
    const active = new ActiveEditor().type('df.').say('head()');
    active.asker.step(1);
    expect(active.asked.at(-1)?.otherThan).toEqual(['head()']);
    active.say('tail()');
    expect(active.text).toBe('tail()');
    active.asker.step(-1);
    expect(active.text).toBe('head()');
    active.asker.step(-1);
    expect(active.text).toBe('head()');
    active.asker.step(1);
    expect(active.text).toBe('tail()');
    active.pass(100).type('df.t');
    expect(active.text).toBe('ail()');
  });
});

describe('names that were mended', () => {
  it('are known by their places in what is shown', () => {
    const mends = [{ start: 5, wrong: 'regoin', right: 'region' }];
    const active = new ActiveEditor().type('x').say('🎉["a"region"]', { mends });
    expect(active.shown?.mends).toEqual([{ start: 6, wrong: 'regoin', right: 'region' }]);
    active.type('x🎉["');
    expect(active.shown?.mends).toEqual([{ start: 2, wrong: 'regoin', right: 'region' }]);
    active.type('x🎉["a"re');
    expect(active.shown?.mends).toEqual([]);
  });
});

describe('what comes to nothing', () => {
  /** Types a text key by key; after `latency` milliseconds each request says what `answer` makes of its cursor. */
  function session(text: string, { gap = 155, latency, answer }: { gap?: number; latency: number; answer: (before: string) => string }) {
    const active = new ActiveEditor();
    const answered = new Set<string>();
    const due = new Map<string, number>();
    let shown = 0;
    for (let n = 1; n <= text.length; n += 1) {
      active.type(text.slice(0, n));
      for (let passed = 0; passed < gap; passed += 5) {
        active.pass(5);
        active.asked.forEach(({ id }) => due.has(id) || due.set(id, active.time + latency));
        const request = active.asked.at(-1);
        if (request && !answered.has(request.id) && active.time >= (due.get(request.id) ?? 0)) {
          answered.add(request.id);
          active.say(answer(request.situation.before), { completion_id: request.id, first_text: latency / 1000 });
        }
      }
      shown += active.shown ? 1 : 0;
    }
    return { active, shown };
  }

  const CODE = 'result = frame.merge(other, on="key").groupby("name").agg({"x": "sum"})\n'.repeat(4).slice(0, 244);

  it.each([5, 20, 100, 250, 800])('is asked for seldom: 244 keys cost 40 requests at most, at %i ms', latency => {
    expect(session(CODE, { latency, answer: () => '~nobody types this' }).active.asked.length).toBeLessThanOrEqual(40);
  });

  it('shows what is right at 250 ms', () => {
    const { shown, active } = session(CODE, { latency: 250, answer: before => CODE.slice(before.length, before.length + 40) });
    expect(shown).toBeGreaterThan(150);
    expect(active.asked.length).toBeLessThanOrEqual(40);
  });

  it('slows requests down after ten, and what is taken speeds them up again', () => {
    const { active } = session(CODE, { latency: 20, answer: () => '~' });
    const before = active.asked.length;
    active.type(`${CODE}a`).pass(100).type(`${CODE}ab`).pass(100);
    expect(active.asked).toHaveLength(before);
    active.asker.accepted();
    active.type(`${CODE}abc`).pass(100);
    expect(active.asked).toHaveLength(before + 1);
  });

  it('is not asked for where the user writes a comment or chooses a name: at most 3 % of the keys show anything', () => {
    const prose = '# The orders of one year, by region: what is missing was not sold, and what was sent back is counted where it was sent from.\ndef share_of_region(\n'.repeat(4);
    const { shown } = session(prose, { latency: 20, answer: () => 'x' });
    expect(shown / prose.length).toBeLessThanOrEqual(0.03);
    const active = new ActiveEditor().type('x = 1  # one').pass(500).type("tag = '#").pass(500);
    expect(active.befores).toEqual(["tag = '#"]);
  });

  it('ends with the budget of the day, but for a key', () => {
    const active = new ActiveEditor();
    active.mayAsk = false;
    active.type('df.').pass(1000);
    expect(active.asked).toEqual([]);
    active.asker.request(at('df.'));
    expect(active.asked).toHaveLength(1);
  });
});
