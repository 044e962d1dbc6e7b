import { nullTranslator } from '@jupyterlab/translation';
import { expect, it } from 'vitest';
import { tierText } from '../src/panel/tierText';
import { MeterLine, spentBriefly, spentText, waiting } from '../src/panel/turnMeter';
import { setTranslator } from '../src/translation';

it('says what was spent, and of how many turns no price is known', () => {
  const spent = { type: 'Spent', today: 0.5, notebook: 1.25 } as const;
  expect(spentText(spent)).toBe('Spent today: $0.50. In this notebook this month: $1.25.');
  expect(spentText({ ...spent, stop: 2, unknown: 1 })).toContain('$0.50 of $2.00. In this notebook this month: $1.25. No price is known for 1 turn.');
  expect(spentText({ ...spent, unknown: 2 })).toContain('No price is known for 2 turns.');
});

it('keeps quiet in the header as long as nothing is known, and names a limit that there is', () => {
  const spent = { type: 'Spent', today: 0, notebook: 0 } as const;
  expect(spentBriefly({ ...spent, unknown: 14 })).toBe('');
  expect(spentBriefly({ ...spent, today: 0.5 })).toBe('$0.50 today');
  expect(spentBriefly({ ...spent, stop: 3 })).toBe('$0 of $3.00');
});

it('says what is waited for: a pause, thinking, how much of the prompt is read, or since when there is no word', () => {
  const meter = { type: 'Meter', turn_id: 't' } as const;
  expect(waiting({ ...meter, reading_tokens: 1800, read_tokens: 720, elapsed: 5 })).toBe('Reading 1,800 tokens, 40 %');
  expect(waiting({ ...meter, waiting: 1 })).toBe('Waiting, 1 request comes first');
  expect(waiting({ ...meter, waiting: 3 })).toBe('Waiting, 3 requests come first');
  expect(waiting({ ...meter, reading_tokens: 1800 })).toBe('Reading 1,800 tokens, 0 %');
  expect(waiting({ ...meter, reading_tokens: 1800, thinking: 3 })).toBe('Thinking, 3 s');
  expect(waiting({ ...meter, elapsed: 4 })).toBe('Waiting, 4 s');
  expect(waiting(meter)).toBeNull();
});

it('waits for nothing any more where the turn has ended', () => {
  const meter = { type: 'Meter', turn_id: 't', notice: 'Rate limit reached.', elapsed: 5 } as const;
  expect(MeterLine({ meter, ended: false })?.props.children).toBe('Rate limit reached. Waiting, 5 s');
  expect(MeterLine({ meter, ended: true })?.props.children).toBe('Rate limit reached.');
  expect(MeterLine({ meter: { ...meter, notice: '' }, ended: true })).toBeNull();
});

it('writes numbers as they are written in JupyterLab’s language, whatever the browser’s own is', () => {
  expect(tierText({ name: 'fast', speed: 1234 })).toBe('fast · 1,234 tok/s');
  setTranslator({ languageCode: 'de_DE', load: domain => nullTranslator.load(domain) });
  expect(tierText({ name: 'fast', speed: 1234 })).toBe('fast · 1.234 tok/s');
  setTranslator(null);
});

it('shows a speed only where an answer took long enough to have one', () => {
  const meter = { type: 'Meter', turn_id: 't', output_tokens: 90, tokens_per_second: 5747 } as const;
  expect(MeterLine({ meter: { ...meter, elapsed: 0.02 }, ended: true })?.props.children).toBe('< 0.1 s');
  expect(MeterLine({ meter: { ...meter, elapsed: 0.1 }, ended: true })?.props.children).toBe('0.1 s');
  expect(MeterLine({ meter: { ...meter, elapsed: 2 }, ended: true })?.props.children).toBe('2.0 s · 5,747 tok/s');
});
