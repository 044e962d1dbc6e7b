// Conversation of a notebook as a Markdown file.

import type { Contents } from '@jupyterlab/services';
import type { NotebookSession } from './notebookSession';
import { fenced, longestTicks, plain, withoutDrawings } from './plainText';
import { isSafeToTypeset } from './safeFormulas';
import { conversationTurns, isTakenBack, proposalsOf } from './selectors';
import type { FullProposal, State } from './state';

const LONGEST_NAME = 60;

/** The prompts, the answers' words and the cells that were not taken back, oldest first. */
export function conversationMarkdown(state: State, title: string): string {
  const turns = conversationTurns(state).map(turn => {
    const cells = proposalsOf(state, turn.id).filter(one => !isTakenBack(one)).map(cellMarkdown);
    return [`## ${heading(turn.prompt)}`, told(turn.notes), ...cells].filter(Boolean).join('\n\n');
  });
  return `${[`# ${heading(title)}`, ...turns].join('\n\n')}\n`;
}

/** Words that nobody accepted. */
function told(words: string): string {
  const text = plain(words.trim());
  return isTypesetUnsafely(text) ? fenced('text', text) : text && quoted(unloading(text));
}

/** Markdown as a quotation: a code block or a definition that is left open in it ends there, and makes no Markdown of the cell below. */
function quoted(markdown: string): string {
  return markdown.replace(/^/gm, '> ').replace(/^> $/gm, '>');
}

function heading(words: string): string {
  const text = plain(words.replace(/\s+/g, ' ').trim());
  const ticks = '`'.repeat(longestTicks(text) + 1);
  return isTypesetUnsafely(text) ? `${ticks} ${text} ${ticks}` : unloading(text);
}

/** Markdown with its pictures, drawings and HTML as text: who opens the file asks nobody for anything. */
function unloading(markdown: string): string {
  return withoutDrawings(markdown).replace(/!(?=\[)/g, '&#33;').replace(/<(?=[A-Za-z/!?])(?!https?:|mailto:)/g, '&lt;');
}

/** Whether a text has formulas that could load something, however Markdown reads its entities and backslashes before they are typeset. */
function isTypesetUnsafely(markdown: string): boolean {
  const read = markdown
    .replace(/&#(?:x([0-9a-f]{1,6})|(\d{1,7}));?/gi, (_, hex?: string, decimal?: string) => String.fromCharCode(hex ? parseInt(hex, 16) : Number(decimal)))
    .replace(/&(dollar|bsol|lpar|lsqb|lbrack);/g, (_, name: string) => ({ dollar: '$', bsol: '\\', lpar: '(' })[name] ?? '[')
    .replace(/\\+/g, '\\');
  return /\$|\\[([]|\\begin/.test(read) && !isSafeToTypeset(read);
}

function cellMarkdown({ cell_type, source, state }: FullProposal): string {
  return cell_type === 'code' ? fenced('python', source.trimEnd()) : state === 'accepted' ? quoted(source.trim()) : told(source);
}

/** The title that it was given, else its first prompt, else the notebook's name. */
export function conversationTitle(state: State, notebook: string): string {
  const first = conversationTurns(state)[0]?.prompt ?? '';
  return state.conversation.title || first.replace(/\s+/g, ' ').trim() || notebook;
}

/** The title as the name of a file, on any system. */
export function fileName(title: string): string {
  const name = title.replace(/[\\/:*?"<>|`\p{C}]+/gu, ' ').replace(/\s+/g, ' ').slice(0, LONGEST_NAME);
  return name.replace(/^[ .~]+|[ .]+$/g, '');
}

/** Write it beside the notebook, into a file of its own. Returns its path. */
export async function exportConversation({ context, store }: NotebookSession, contents: Contents.IManager): Promise<string> {
  const [, folder = '', stem = ''] = /^(.*\/)?(.*?)(?:\.ipynb)?$/.exec(context.path) ?? [];
  const when = new Date().toISOString().slice(0, 19).replace('T', ' ').replace(/:/g, '-');
  const title = conversationTitle(store.state, stem);
  const path = `${folder}${fileName(title) || stem} ${when}.md`;
  await contents.save(path, { type: 'file', format: 'text', content: conversationMarkdown(store.state, title) });
  return path;
}
