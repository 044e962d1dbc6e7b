import { describe, expect, it } from 'vitest';
import { type DraftLine, linesOf, placeOfLine } from '../../src/draft/draftLines';
import { DraftPace, DraftRhythm, LONG_PAUSE, PAUSE, pauseOf } from '../../src/draft/draftPace';
import { isRipe, type Words, wordsIn } from '../../src/draft/draftWords';

describe('words that a draft can be written for', () => {
  it('are the last paragraph of a Markdown cell, and in code what stands at its end', () => {
    expect(wordsIn('markdown', '# Load\n\nthe data\nof May\n')).toEqual({ kind: 'markdown', text: 'the data\nof May', lines: 2 });
    expect(wordsIn('code', 'x = 1\n# the square\n# of x')).toEqual({ kind: 'comment', text: '# the square\n# of x', lines: 2 });
    expect(wordsIn('code', '# a note\nx = 1')).toBeNull();
    expect(wordsIn('code', 'x = 1\n#%% cell')).toBeNull();
    const head = 'def f(a, b=")"):\n    """Adds."""';
    expect(wordsIn('code', `x = 1\n${head}`)).toEqual({ kind: 'function', text: head, lines: 2 });
    expect(wordsIn('code', `${head}\n    return a`)).toBeNull();
    expect(wordsIn('code', 'x = 1\nfor n in x:')).toEqual({ kind: 'cell', text: 'x = 1\nfor n in x:', lines: 2 });
    expect(wordsIn('code', 'x = 1\nprint(x)  # so:')).toBeNull();
    const above = 'def a(x):\n    return 1\n\n\n@cache\n';
    expect(wordsIn('code', above + head)).toEqual({ kind: 'function', text: head, lines: 2 });
    const long = 'async def f(\n    a,\n    b,\n) -> int:\n    """Adds.\n\n    def g(): no."""';
    expect(wordsIn('code', above + long)).toEqual({ kind: 'function', text: long, lines: 7 });
  });

  it.each([
    ['Plot revenue by month', true],
    ['Plot the', false],
    ['revenue month', false],
    ['Plot that as bars', true],
    ['# sort by price', true],
    ['## Revenue of all shops in 2024', false],
    ['## Plot the revenue of each month', true],
    ['# Sales report\nShow me revenue by month', true],
    ['## Zeichne den Umsatz pro Monat', true],
    ['', false]
  ])('%j asks for something by now: %s', (text, ripe) => {
    expect(isRipe({ kind: 'markdown', text, lines: 1 })).toBe(ripe);
  });

  it.each([
    ['# test data', false],
    ['# plot the revenue by month', true]
  ])('the comment %j asks for something by now: %s', (text, ripe) => {
    expect(isRipe({ kind: 'comment', text, lines: 1 })).toBe(ripe);
  });
});

describe('the lines of a draft', () => {
  let serial = 0;
  const draw = (shown: readonly DraftLine[], text: string, grows = false) => linesOf(shown, text, grows, () => (serial += 1));

  it('stay where they are while it is written anew, piece by piece', () => {
    const before = draw([], 'import math\na = 1\nb = 2\na + b');
    const after = 'import math\na = 1\nc = 3\na + b';
    let shown = before;
    for (let end = 1; end < after.length; end++) {
      shown = draw(shown, after.slice(0, end), true);
      expect(shown.slice(0, 2).map(line => line.id)).toEqual(before.slice(0, 2).map(line => line.id));
      expect(shown.some(line => line.id === before[3].id && line.text === 'a + b')).toBe(true);
    }
    shown = draw(shown, after);
    expect(shown.map(line => line.text).join('\n')).toBe(after);
    expect([0, 1, 3].map(n => shown[n].id)).toEqual([0, 1, 3].map(n => before[n].id));
    expect(shown.some(line => line.old)).toBe(false);
  });

  it('are what is written, whatever was shown', () => {
    const texts = ['', 'a', 'a\n\nb\n', 'b\na\na', '\n\n', 'ab\na\nabc', 'abc'];
    for (const first of texts) {
      for (const second of texts) {
        let shown = draw([], first);
        for (let end = 0; end <= second.length; end++) {
          shown = draw(shown, second.slice(0, end), true);
          expect(new Set(shown.map(line => line.id)).size).toBe(shown.length);
        }
        expect(draw(shown, second).map(line => line.text)).toEqual(second === '' ? [] : second.split('\n'));
      }
    }
  });
});

describe('a line of a draft', () => {
  it.each([
    [['a\nb\n', 'c\nd'], 1, { cell: 0, line: 1 }],
    [['a\nb\n', 'c\nd'], 2, { cell: 1, line: 0 }],
    [['a', '', 'c\nd'], 3, { cell: 2, line: 1 }],
    [['a\nb', 'c'], 7, { cell: 1, line: 0 }]
  ])('of the cells %j: line %i is at %j', (sources, line, place) => {
    expect(placeOfLine(sources, line)).toEqual(place);
  });
});

describe('the pace of drafts', () => {
  const words = (text: string): Words => ({ kind: 'markdown', text, lines: 1 });
  const begin = () => {
    const done: string[] = [];
    const clock = { now: 0, wait: null as number | null, canAsk: true };
    const pace = new DraftPace({
      now: () => clock.now,
      canAsk: () => clock.canAsk,
      wake: milliseconds => (clock.wait = milliseconds),
      ask: ({ text }) => done.push(`ask ${text}`),
      drop: clear => done.push(clear ? 'clear' : 'drop')
    });
    const type = (text: string) => {
      pace.typed(words(text));
      const { wait } = clock;
      if (wait !== null) {
        clock.now += wait;
        pace.wake();
      }
      return wait;
    };
    return { pace, done, clock, type };
  };

  it('asks after a pause, which is longer where little was added', () => {
    const { type, done, pace } = begin();
    expect(type('plot the')).toBeNull();
    expect(type('plot the revenue')).toBe(LONG_PAUSE); // more may follow
    pace.ended();
    pace.typed(null);
    expect(type('plot revenue monthly')).toBe(PAUSE);
    pace.ended();
    expect(type('plot revenue monthly.')).toBe(LONG_PAUSE);
    expect(done).toEqual(['ask plot the revenue', 'clear', 'ask plot revenue monthly', 'ask plot revenue monthly.']);
  });

  it('has one draft written and one wait, and drops at once what the words contradict', () => {
    const { type, done, pace, clock } = begin();
    type('plot revenue monthly');
    type('plot revenue monthly as bars');
    expect(done).toHaveLength(1);
    pace.ended();
    expect(done.at(-1)).toBe('ask plot revenue monthly as bars');
    type('plot revenue monthly as stacked bars of each shop'); // contradicts
    type('plot revenue monthly as stacked bars of each shop, sorted by name');
    expect(done.at(-1)).toBe('ask plot revenue monthly as stacked bars of each shop');
    clock.now += clock.wait ?? 0;
    pace.wake(); // it was written for long enough
    expect(done.at(-1)).toBe('ask plot revenue monthly as stacked bars of each shop, sorted by name');
    pace.ended();
    pace.typed(words('plot revenue yearly'));
    expect(done.at(-1)).toBe('clear');
  });

  it('asks for what was typed meanwhile after a pause, too', () => {
    const { type, done, clock, pace } = begin();
    type('plot revenue monthly');
    pace.typed(words('plot revenue monthly as grouped bars'));
    clock.now += PAUSE - 1;
    pace.ended();
    expect(done).toHaveLength(1);
    expect(clock.wait).toBe(1);
  });

  it('asks no more for words that were hidden, and again for others', () => {
    const { type, done, pace } = begin();
    type('plot revenue monthly');
    pace.ended();
    pace.hide();
    type('plot revenue monthly');
    expect(done).toEqual(['ask plot revenue monthly', 'clear']);
    type('plot revenue monthly as bars');
    expect(done).toHaveLength(3);
  });

  it('puts off what cannot be asked for, keeps what was, and spends nothing on it', () => {
    const { type, done, clock, pace } = begin();
    type('plot revenue monthly');
    pace.ended();
    clock.canAsk = false;
    for (let n = 0; n < 20; n++) {
      type(`plot revenue monthly as bars${'.'.repeat(n)}`);
      expect(clock.wait).toBe(LONG_PAUSE);
    }
    expect(pace.asked?.text).toBe('plot revenue monthly');
    clock.canAsk = true;
    pace.wake();
    expect(done).toHaveLength(2);
  });

  it('learns how somebody types, within bounds', () => {
    const typing = (gap: number, count = 40) => Array.from({ length: count }, (_, n) => (n % 10 === 9 ? 2 * gap : gap));
    expect(pauseOf([])).toBe(PAUSE);
    expect(pauseOf(typing(60))).toBe(120);
    expect(pauseOf(typing(20))).toBe(100);
    expect(pauseOf(typing(200))).toBe(PAUSE);
  });

  it('counts for all cells together', () => {
    const rhythm = new DraftRhythm();
    const asked: string[] = [];
    for (let cell = 0; cell < 20; cell++) {
      const pace = new DraftPace({ now: () => cell, canAsk: () => true, wake: () => undefined, ask: ({ text }) => asked.push(text), drop: () => undefined }, rhythm);
      pace.typed(words('plot revenue monthly'));
      pace.wake();
    }
    expect(asked).toHaveLength(6);
  });

  it('keeps the last ones for longer pauses, counts repairs, and has all again in time', () => {
    const rhythm = new DraftRhythm();
    const pauses = Array.from({ length: 6 }, () => {
      const pause = rhythm.pause(0);
      rhythm.take(0);
      return pause;
    });
    expect(pauses).toEqual([PAUSE, PAUSE, PAUSE, 500, 800, 1200]);
    rhythm.charge(1);
    const wait = rhythm.take(0);
    expect(rhythm.take(wait - 1)).toBe(1);
    expect(rhythm.take(wait)).toBe(0);
    expect(rhythm.pause(10 * wait)).toBe(PAUSE);
  });

  it('asks at most for some sixty in ten minutes', () => {
    const { done, clock, pace } = begin();
    for (let n = 0; clock.now < 600_000; n++) {
      pace.typed(words(`plot revenue monthly ${'.'.repeat(n)}`));
      clock.now += 400;
      pace.wake();
      pace.ended();
    }
    const asked = done.filter(one => one.startsWith('ask')).length;
    expect(asked).toBeGreaterThan(50);
    expect(asked).toBeLessThanOrEqual(61);
  });
});
