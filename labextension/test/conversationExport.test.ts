import { expect, it } from 'vitest';
import { conversationMarkdown } from '../src/conversationExport';
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
    '# sales\n\n## prompt a\n\nSome words.\n\n```python\nx = 1\n```\n\n## prompt b\n\n````python\ntext = """\n```\n"""\n````\n\nA *cell*.\n'
  );
});

it('loads nothing that nobody accepted', () => {
  const picture = 'See ![x](http://a.b/c.png) and \\![x][1], <img src="http://a.b/d.png">, <https://a.b>.\u001b[2J\n```mermaid\nx\n```';
  const inputs: Input[] = [
    turn('a', { notes: picture }),
    proposal({ cell_type: 'markdown', source: picture }),
    proposal({ cell_id: 'd', cell_type: 'markdown', state: 'accepted', source: '![x](own.png)' })
  ];
  const quiet = 'See &#33;[x](http://a.b/c.png) and \\&#33;[x][1], &lt;img src="http://a.b/d.png">, <https://a.b>.\n```text mermaid\nx\n```';
  expect(conversationMarkdown(inputs.reduce(reduce, EMPTY), 'sales').split('\n\n').slice(2)).toEqual([quiet, expect.stringContaining(quiet), '![x](own.png)\n']);
});

it('loads nothing by a prompt, which a notebook from anybody may bring along, or by a file name', () => {
  const text = conversationMarkdown([turn('a', { prompt: 'See ![x](http://a.b/c.png)\n<img src="//a.b">' })].reduce(reduce, EMPTY), '![x](c)');
  expect(text).toBe('# &#33;[x](c)\n\n## See &#33;[x](http://a.b/c.png) &lt;img src="//a.b">\n');
});
