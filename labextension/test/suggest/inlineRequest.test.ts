import { expect, test } from 'vitest';
import { InlineRequest } from '../../src/suggest/inlineRequest';

const said = (asked: InlineRequest, text: string, done: boolean) => asked.say({ type: 'Completed', completion_id: asked.id, text, done });

async function rest(asked: InlineRequest): Promise<string[]> {
  const texts: string[] = [];
  for await (const item of asked.more()) {
    texts.push(item.insertText);
  }
  return texts;
}

test('the end that comes before JupyterLab asks for more is given all the same', async () => {
  const asked = new InlineRequest();
  said(asked, 'm([', false);
  expect(await asked.first()).toEqual({ insertText: 'm([', isIncomplete: true, token: asked.id });
  said(asked, 'm([1, 2])', true);
  expect(await rest(asked)).toEqual(['m([1, 2])']);
});

test('what is said later is given when it comes, and nothing after the end', async () => {
  const asked = new InlineRequest();
  said(asked, 'm(', false);
  await asked.first();
  const texts = rest(asked);
  said(asked, 'm([1', false);
  await Promise.resolve();
  said(asked, 'm([1])', true);
  expect((await texts).at(-1)).toBe('m([1])');
});

test('where nothing is said there is nothing', async () => {
  const asked = new InlineRequest();
  const first = asked.first();
  said(asked, '', true);
  expect(await first).toBeNull();
});

test('one that a newer takes the place of keeps what it said', async () => {
  const asked = new InlineRequest();
  said(asked, 'm(', false);
  await asked.first();
  asked.end();
  expect(await rest(asked)).toEqual(['m(']);
});
