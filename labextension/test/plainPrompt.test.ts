import { expect, it } from 'vitest';
import type { PanelModel } from '../src/panel/panelModel';
import { plainPrompt } from '../src/panel/promptDelivery';
import { NO_RACE } from '../src/panel/resolveInput';

const target = { after: 'a' };
const box = (changed: object = {}) => ({ draft: ' Plot it ', destination: { kind: 'new', target }, images: [], race: NO_RACE, state: null, rewind: null, sending: false, ...changed }) as unknown as PanelModel;

it('Words in the box are a plain prompt, where one answer is wanted', () => {
  expect(plainPrompt(box())).toEqual({ text: 'Plot it', target });
  expect(plainPrompt(box({ draft: '  ' }))).toBeNull();
  expect(plainPrompt(box({ race: { ...NO_RACE, count: 2 } }))).toBeNull();
  expect(plainPrompt(box({ race: { ...NO_RACE, other: { kind: 'model', value: 'm' } } }))).toBeNull();
});
