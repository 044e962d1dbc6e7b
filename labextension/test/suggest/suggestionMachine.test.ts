import { describe, expect, it } from 'vitest';
import type { Completed } from '../../src/messages';
import { Asker, type Move, type Request, type Shown } from '../../src/suggest/suggestionMachine';
import type { Situation } from '../../src/suggest/cursorContext';

function at(before: string, fields: Partial<Situation> = {}): Situation {
  return { place: 'n', cellId: 'c', cellType: 'code', before, after: '', context: 0, ...fields };
}

/** An asker with a clock, a wire and a screen that do what they are told. */
class Desk {
  readonly asked: Request[] = [];
  readonly dropped: string[] = [];
  readonly excuses: string[] = [];
  shown: Shown | null = null;
  time = 0;
  private _due: number | null = null;
  readonly asker = new Asker({
    newId: () => `r${this.asked.length}`,
    now: () => this.time,
    ask: request => void this.asked.push(request),
    drop: id => void this.dropped.push(id),
    show: shown => (this.shown = shown),
    wake: milliseconds => (this._due = milliseconds === null ? null : this.time + milliseconds),
    excuse: problem => void this.excuses.push(problem)
  });

  get text(): string | undefined {
    return this.shown?.text;
  }

  get befores(): string[] {
    return this.asked.map(({ situation }) => situation.before);
  }

  type(before: string, { move = 'typed', asks = true, ...fields }: Partial<Situation> & { move?: Move; asks?: boolean } = {}): this {
    this.asker.went(at(before, fields), move, this.time, { asks });
    return this;
  }

  pass(milliseconds: number): this {
    this.time += milliseconds;
    if (this._due !== null && this._due <= this.time) {
      this._due = null;
      this.asker.woken();
    }
    return this;
  }

  say(text: string, fields: Partial<Completed> = {}): this {
    const completion_id = fields.completion_id ?? this.asked.at(-1)?.id ?? '';
    this.asker.completed({ type: 'Completed', text, done: true, first_text: 0.2, ...fields, completion_id });
    return this;
  }
}

describe('typing', () => {
  it('asks at once after a pause, and shows what is said', () => {
    const desk = new Desk().type('df.').say('head()');
    expect(desk.befores).toEqual(['df.']);
    expect(desk.text).toBe('head()');
  });

  it('along what is shown asks nothing, trims it, and has all of it again when it is deleted back', () => {
    const desk = new Desk().type('df.').say('head()');
    desk.pass(100).type('df.h').pass(100).type('df.he');
    expect(desk.text).toBe('ad()');
    desk.pass(100).type('df.', { move: 'deleted' }).pass(1000);
    expect(desk.text).toBe('head()');
    expect(desk.asked).toHaveLength(1);
    expect(desk.dropped).toEqual([]);
  });

  it('along what streams keeps the request, and what it still says comes trimmed', () => {
    const desk = new Desk().type('df.').say('he', { done: false });
    desk.pass(50).type('df.h');
    expect(desk.text).toBe('e');
    desk.say('head(3)');
    expect(desk.text).toBe('ead(3)');
    expect(desk.asked).toHaveLength(1);
  });

  it('faster than the provider answers lets it speak, and what it says then comes trimmed', () => {
    const desk = new Desk().type('df.').say('head()', { first_text: 0.2 });
    desk.pass(1000).type('df.\ns').pass(120).type('df.\nsu').pass(110);
    expect(desk.befores).toEqual(['df.', 'df.\ns']);
    desk.say('um(values)', { first_text: 0.2 });
    expect(desk.text).toBe('m(values)');
    expect(desk.asked).toHaveLength(2);
  });

  it('asks anew where the one under way is overdue, and at once where it turns out to say something else', () => {
    const desk = new Desk().type('df.').say('head()', { first_text: 0.2 });
    desk.pass(1000).type('df.\ns').pass(120).type('df.\nsu').pass(179);
    expect(desk.asked).toHaveLength(2);
    expect(desk.pass(1).befores.at(-1)).toBe('df.\nsu');
    desk.pass(10).type('df.\nsum').say('per()');
    expect(desk.befores.at(-1)).toBe('df.\nsum');
  });

  it('what contradicts it drops it, and asks anew', () => {
    const desk = new Desk().type('df.').say('he', { done: false });
    desk.pass(1000).type('df.x');
    expect(desk.dropped).toEqual([]); // the newest drops the one before by itself
    expect(desk.befores).toEqual(['df.', 'df.x']);
    expect(desk.shown).toBeNull();
    desk.say('head()', { completion_id: 'r0' });
    expect(desk.shown).toBeNull();
  });

  it('what contradicts it drops it at once, also where the newest is asked for later', () => {
    const desk = new Desk().type('df.').say('he', { done: false });
    desk.pass(10).type('df.x');
    expect(desk.befores).toEqual(['df.']);
    expect(desk.dropped).toEqual(['r0']);
    desk.pass(1000);
    expect(desk.befores).toEqual(['df.', 'df.x']);
  });

  it('lets a request live that has said nothing yet, until the user pauses', () => {
    const desk = new Desk().type('d').pass(1).type('df').pass(1).type('df.');
    expect(desk.befores).toEqual(['d']);
    desk.pass(1000);
    expect(desk.befores).toEqual(['d', 'df.']);
  });

  it('uses what such a request says where it was right, and asks the newest at once where it was not', () => {
    const right = new Desk().type('d').pass(1).type('df').say('f.head()');
    expect(right.text).toBe('.head()');
    expect(right.pass(1000).asked).toHaveLength(1);
    const wrong = new Desk().type('d').pass(1).type('df').say('ata');
    expect(wrong.befores).toEqual(['d', 'df']);
    expect(wrong.shown).toBeNull();
  });

  it('fast waits for a pause as long as the provider’s own time teaches', () => {
    const desk = new Desk().type('a').say('');
    desk.pass(1000).type('a b').say('', { first_text: 0.2 });
    desk.pass(10).type('a bc');
    expect(desk.asked).toHaveLength(2);
    desk.pass(desk.asker.pause - 1);
    expect(desk.asked).toHaveLength(2);
    desk.pass(1);
    expect(desk.asked).toHaveLength(3);
  });

  it('asks a provider that answers at once at every key', () => {
    const desk = new Desk().type('').say('', { first_text: 0.008 });
    const keys = 'for row in rows';
    for (let end = 1; end <= keys.length; end++) {
      desk.pass(40).type(keys.slice(0, end)).say('', { first_text: 0.008 });
    }
    expect(desk.asker.pause).toBe(0);
    expect(desk.asked).toHaveLength(keys.length + 1);
  });

  it('learns from each request once, however often more of it comes', () => {
    const desk = new Desk().type('a').say('', { first_text: 0.02 }).pass(1000).type('b').say('', { first_text: 0.02 });
    desk.pass(1000).type('c');
    ['d', 'de', 'def', 'defg'].forEach(text => desk.say(text, { first_text: 0.2, done: false }));
    expect(desk.asker.pause).toBe(0);
  });

  it('asks nothing in the middle of a word, nor where there was nothing to say', () => {
    const desk = new Desk().type('de', { after: 'f x' }).pass(1000);
    expect(desk.asked).toEqual([]);
    desk.type('x = ').say('').pass(1000).type('x =', { move: 'deleted' }).pass(1000).say('').type('x = ').pass(1000);
    expect(desk.befores).toEqual(['x = ', 'x =']);
  });

  it('shows one line in mid-line', () => {
    expect(new Desk().type('f(', { after: ')' }).say('a, b\nmore').text).toBe('a, b');
  });
});

describe('moving', () => {
  it('asks nothing, and shows what is known there', () => {
    const desk = new Desk().type('df.').say('head()');
    desk.type('x', { cellId: 'other', move: 'moved' }).pass(1000);
    expect(desk.shown).toBeNull();
    desk.type('df.', { move: 'moved' });
    expect(desk.text).toBe('head()');
    expect(desk.asked).toHaveLength(1);
  });

  it('to where the cursor stands already takes nothing back that is wanted there', () => {
    const desk = new Desk();
    desk.asker.went(at(''), 'entered', 0, { asks: true, wait: 500 });
    desk.type('', { move: 'moved' }).pass(500);
    expect(desk.asked).toHaveLength(1);
  });

  it('away drops what is under way', () => {
    const desk = new Desk().type('df.');
    desk.asker.went(null, 'moved', 0, { asks: true });
    expect(desk.dropped).toEqual(['r0']);
  });

  it('into an empty cell asks what comes next, anew when the cell above has run', () => {
    const desk = new Desk().type('', { move: 'entered' }).say('df.head()');
    expect(desk.text).toBe('df.head()');
    desk.type('', { move: 'entered', context: 1 });
    expect(desk.asked).toHaveLength(2);
    desk.type('x = 1', { move: 'entered', cellId: 'other' }).pass(1000);
    expect(desk.asked).toHaveLength(2);
  });

  it('to another notebook drops what that one’s kernel works at', () => {
    const desk = new Desk().type('df.').type('df.', { place: 'm' }).pass(1000);
    expect(desk.dropped).toEqual(['r0']);
    expect(desk.asked.map(({ situation }) => situation.place)).toEqual(['n', 'm']);
  });
});

describe('the user', () => {
  it('hides it: it stays away in this line', () => {
    const desk = new Desk().type('df.').say('head()');
    desk.asker.hide();
    expect(desk.shown).toBeNull();
    desk.pass(1000).type('df.h').pass(1000);
    expect(desk.shown).toBeNull();
    expect(desk.asked).toHaveLength(1);
    desk.type('df.h\n').pass(1000);
    expect(desk.asked).toHaveLength(2);
  });

  it('asks by a key, also where nothing is asked by itself', () => {
    const desk = new Desk().type('df.', { asks: false }).pass(1000);
    expect(desk.asked).toEqual([]);
    desk.asker.askNow(at('df.'));
    expect(desk.asked).toMatchObject([{ byKey: true }]);
    desk.say('', { problem: 'Nothing fits.' });
    expect(desk.excuses).toEqual(['Nothing fits.']);
  });

  it('gets back by a key what was hidden, and another one by the next', () => {
    const desk = new Desk().type('df.').say('head()');
    desk.asker.hide();
    desk.asker.askNow(at('df.'));
    expect(desk.text).toBe('head()');
    desk.asker.askNow(at('df.'));
    expect(desk.asked.at(-1)).toMatchObject({ byKey: true, otherThan: ['head()'] });
  });

  it('goes through several, and asks for another one after the last', () => {
    const desk = new Desk().type('df.').say('head()');
    desk.asker.step(1);
    expect(desk.asked.at(-1)?.otherThan).toEqual(['head()']);
    desk.say('tail()');
    expect(desk.text).toBe('tail()');
    desk.asker.step(-1);
    expect(desk.text).toBe('head()');
    desk.asker.step(-1);
    expect(desk.text).toBe('head()');
    desk.asker.step(1);
    expect(desk.text).toBe('tail()');
    desk.pass(100).type('df.t');
    expect(desk.text).toBe('ail()');
  });
});

describe('names that were mended', () => {
  it('are known by their places in what is shown', () => {
    const mends = [{ start: 5, wrong: 'regoin', right: 'region' }];
    const desk = new Desk().type('x').say('🎉["a"region"]', { mends });
    expect(desk.shown?.mends).toEqual([{ start: 6, wrong: 'regoin', right: 'region' }]);
    desk.type('x🎉["');
    expect(desk.shown?.mends).toEqual([{ start: 2, wrong: 'regoin', right: 'region' }]);
    desk.type('x🎉["a"re');
    expect(desk.shown?.mends).toEqual([]);
  });
});
