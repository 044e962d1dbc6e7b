// Conversation of a notebook as a Markdown file.

import type { Contents } from '@jupyterlab/services';
import type { NotebookSession } from './notebookSession';
import { plain, withoutDrawings } from './plainText';
import { conversationTurns, isTakenBack, proposalsOf } from './selectors';
import type { FullProposal, State } from './state';

/** The prompts, the answers' words and the cells that were not taken back, oldest first. */
export function conversationMarkdown(state: State, title: string): string {
  const turns = conversationTurns(state).map(turn => {
    const cells = proposalsOf(state, turn.id).filter(one => !isTakenBack(one)).map(cellMarkdown);
    return [`## ${unloading(turn.prompt.replace(/\s+/g, ' ').trim())}`, unloading(turn.notes.trim()), ...cells].filter(Boolean).join('\n\n');
  });
  return `${[`# ${unloading(title)}`, ...turns].join('\n\n')}\n`;
}

/** Markdown that nobody accepted, with its pictures, drawings and HTML as text: who opens the file asks nobody for anything. */
function unloading(markdown: string): string {
  return withoutDrawings(plain(markdown)).replace(/!(?=\[)/g, '&#33;').replace(/<(?=[A-Za-z/!?])(?!https?:|mailto:)/g, '&lt;');
}

function cellMarkdown({ cell_type, source, state }: FullProposal): string {
  const longest = Math.max(2, ...[...source.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = '`'.repeat(longest + 1);
  return cell_type === 'code' ? `${fence}python\n${source.trimEnd()}\n${fence}` : state === 'accepted' ? source.trim() : unloading(source.trim());
}

/** Write it beside the notebook, into a file of its own. Returns its path. */
export async function exportConversation({ context, store }: NotebookSession, contents: Contents.IManager): Promise<string> {
  const stem = context.path.replace(/\.ipynb$/, '');
  const when = new Date().toISOString().slice(0, 19).replace('T', ' ').replace(/:/g, '-');
  const path = `${stem} ${when}.md`;
  const name = stem.split('/').at(-1) ?? stem;
  await contents.save(path, { type: 'file', format: 'text', content: conversationMarkdown(store.state, name) });
  return path;
}
