import { CONNECT } from '../src/kernelTexts';
import { expect, it } from 'vitest';
import { promptOffers, withoutOffers } from '../src/promptOffers';

const NOTES = 'No: There are two tables.\n\n- Ask: “sort sales by price”\n- Ask: “sort stock by price”\n- Ask: “sort sales by price”\n';

it('finds what the notes offer, each once', () => {
  expect(promptOffers(NOTES)).toEqual(['sort sales by price', 'sort stock by price']);
  expect(withoutOffers(NOTES).trim()).toBe('There are two tables.');
  expect(withoutOffers('No: there is no column with a date.')).toBe('There is no column with a date.');
  expect(promptOffers('say - Ask: “x”')).toEqual([]);
});

it('offers nothing of which a person would not see all', () => {
  const unseen = ['\u{e0041}', '\u200b', '\u202e', '\ufeff', '\u0007', '\u2029'];
  expect(unseen.flatMap(one => promptOffers(`- Ask: “sort${one} sales”`))).toEqual([]);
  expect(promptOffers('- Ask: “sort 😀 by größe”')).toEqual(['sort 😀 by größe']);
});

it('says nothing in words that a button beside them does', () => {
  const no = `No: I can't do that offline.\n\n${CONNECT}\n\nOr try:\n`;
  expect(withoutOffers(no, true)).not.toContain('SPARK_MODEL');
  expect(withoutOffers(no)).toContain('SPARK_MODEL');
});
