import { marked } from 'marked';
import { expect, it } from 'vitest';
import { conversationMarkdown, conversationTitle, fileName } from '../src/conversationExport';
import type { Event, Proposal } from '../src/messages';
import { type Input, reduce } from '../src/reducer';
import { EMPTY } from '../src/state';

const turn = (id: string, fields = {}): Event => ({ type: 'TurnStarted', turn: { id, prompt: `prompt\n${id}`, outcome: 'completed', ...fields } });
const proposal = (fields: Partial<Proposal>): Event => ({ type: 'ProposalChanged', proposal: { cell_id: 'c', turn_id: 'a', state: 'ready', source: 'x = 1\n', ...fields } });

it('has prompts, words and cells, and nothing that was rejected', () => {
  const inputs: Input[] = [
    turn('a', { notes: 'Some words.' }),
    proposal({ state: 'accepted' }),
    proposal({ cell_id: 'd', state: 'rejected', source: 'secret' }),
    turn('b'),
    proposal({ cell_id: 'e', turn_id: 'b', source: 'text = """\n```\n"""' }),
    proposal({ cell_id: 'f', turn_id: 'b', cell_type: 'markdown', source: 'A *cell*.' })
  ];
  expect(conversationMarkdown(inputs.reduce(reduce, EMPTY), 'sales')).toBe(
    '# sales\n\n## prompt a\n\n> Some words.\n\n```python\nx = 1\n```\n\n## prompt b\n\n````python\ntext = """\n```\n"""\n````\n\n> A *cell*.\n'
  );
});

it('loads nothing that nobody accepted', () => {
  const picture = 'See ![x](http://a.b/c.png) and \\![x][1], <img src="http://a.b/d.png">, <https://a.b>.\u001b[2J\n```mermaid\nx\n```';
  const inputs: Input[] = [
    turn('a', { notes: picture }),
    proposal({ cell_type: 'markdown', source: picture }),
    proposal({ cell_id: 'd', cell_type: 'markdown', state: 'accepted', source: '![x](own.png)' })
  ];
  const quiet = '> See &#33;[x](http://a.b/c.png) and \\&#33;[x][1], &lt;img src="http://a.b/d.png">, <https://a.b>.\n> ```text mermaid\n> x\n> ```';
  expect(conversationMarkdown(inputs.reduce(reduce, EMPTY), 'sales').split('\n\n').slice(2)).toEqual([quiet, expect.stringContaining(quiet), '> ![x](own.png)\n']);
});

it('loads nothing by a prompt, which a notebook from anybody may bring along, or by a file name', () => {
  const text = conversationMarkdown([turn('a', { prompt: 'See ![x](http://a.b/c.png)\n<img src="//a.b">' })].reduce(reduce, EMPTY), '![x](c)');
  expect(text).toBe('# &#33;[x](c)\n\n## See &#33;[x](http://a.b/c.png) &lt;img src="//a.b">\n');
});

/** What of an exported conversation could load something: pictures, and text in which formulas are looked for. */
function loading(markdown: string): string[] {
  const html = (marked.parse(markdown) as string).replace(/<(pre|code)\b[^]*?<\/\1>/g, ' ');
  const typeset = html.replace(/<[^>]*>/g, '').replace(/&#36;|&dollar;/g, '$').replace(/&#92;|&bsol;/g, '\\').replace(/&#117;/g, 'u');
  return [...(html.match(/<img[^>]*>/g) ?? []), ...(/\\unicode/.test(typeset) ? [typeset] : [])];
}

it('keeps what a text leaves open from making Markdown of the cell below, which nobody accepted', () => {
  const sources = [']: x\n![x](http://a.b/c.png)', '"\n![x](http://a.b/c.png)', '````\n![x](http://a.b/c.png)'];
  for (const words of ['[a', '[a]: x "', '````', '~~~', '<!--', '- [a', '> [a', '`', '$$']) {
    for (const source of sources) {
      const code = proposal({ cell_id: 'd', source });
      const cell = (state: Proposal['state']) => proposal({ cell_type: 'markdown', source: words, state });
      for (const inputs of [[turn('a', { notes: words }), code], [turn('a'), cell('ready'), code], [turn('a'), cell('accepted'), code]]) {
        expect(loading(conversationMarkdown(inputs.reduce(reduce, EMPTY), words)), `${words}, ${source}`).toEqual([]);
      }
    }
  }
});

it('leaves no formula that could load something, however it is written', () => {
  const style = '[x;background-image:url(//a.b)]{x41}';
  for (const formula of [`$\\unicode${style}$`, `\\\\(\\unicode${style}\\\\)`, `&#36;\\\\unicode${style}&dollar;`, `&#36;&bsol;unicode${style}&#36;`, `&#x24;\\\\&#117;nicode${style}&#36`]) {
    const inputs = [turn('a', { notes: formula, prompt: formula }), proposal({ cell_type: 'markdown', source: `a \`\` ${formula}` })];
    expect(loading(conversationMarkdown(inputs.reduce(reduce, EMPTY), formula)), formula).toEqual([]);
  }
  const drawn = '$\\frac{1}{2}$ of $5, and C:\\Users';
  expect(conversationMarkdown([turn('a', { notes: '$\\frac{1}{2}$' })].reduce(reduce, EMPTY), 's')).toContain('\n> $\\frac{1}{2}$\n');
  expect(conversationMarkdown([turn('a', { notes: drawn })].reduce(reduce, EMPTY), 's')).toContain(`\n\`\`\`text\n${drawn}\n`);
});

it('is named as the conversation is', () => {
  const begun = [turn('a'), turn('b')].reduce(reduce, EMPTY);
  expect([EMPTY, begun].map(state => conversationTitle(state, 'sales'))).toEqual(['sales', 'prompt a']);
  expect(conversationTitle(reduce(begun, { type: 'ConversationChanged', id: 'c', title: 'Homework 3' }), 'sales')).toBe('Homework 3');
});

it('has a name that every system takes', () => {
  expect(fileName('../why: "a/b" <c>?\n')).toBe('why a b c');
  expect(fileName(`${'x'.repeat(59)} y`)).toBe('x'.repeat(59));
  expect(fileName('???')).toBe('');
});
