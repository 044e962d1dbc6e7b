// Snapshot of a notebook's cells as sent along with a prompt.
//
// The twin of `cells_of` in spark_jupyter/protocol/notebook.py.

import type { IError, IOutput } from '@jupyterlab/nbformat';
import type { ISharedCell, ISharedCodeCell, ISharedNotebook } from '@jupyter/ydoc';
import { editedPart } from './cellMagic';
import { CHECK_TAG, LONGEST_ERROR, LONGEST_OUTPUT, RAISES_TAG, TERMINAL_SEQUENCE } from './constants';
import type { CellType, NotebookCell, Prompt } from './messages';
import { cellKey, find } from './sharedModel';

const SEQUENCE = new RegExp(TERMINAL_SEQUENCE, 'g');

/** Every cell in order, under the name that it has on the wire. */
export function notebookCells(notebook: Pick<ISharedNotebook, 'cells'>): NotebookCell[] {
  return notebook.cells.map(cell => ({
    id: cellKey(cell.id),
    cell_type: typeOf(cell),
    source: cell.source,
    ...(cell.cell_type === 'code' ? results(cell as ISharedCodeCell) : {})
  }));
}

/**
 * The cells of a notebook for a prompt by magic, which gives the cell that it is about. A cell that begins with the magic is taken
 * without that line; a cell that the notebook does not have comes last.
 */
export function withGiven(cells: NotebookCell[], given: readonly NotebookCell[] = []): NotebookCell[] {
  const known = new Set(cells.map(cell => cell.id));
  const own = cells.map(cell => {
    const base = given.find(one => one.id === cell.id)?.source;
    return base === undefined ? cell : { ...cell, source: editedPart(cell.source ?? '', base) };
  });
  return [...own, ...given.filter(one => !known.has(one.id))];
}

/** Whether the cell's output holds an error. */
export function hasError(cell: ISharedCell): boolean {
  return cell.cell_type === 'code' && (cell as ISharedCodeCell).outputs.some(isError);
}

function typeOf(cell: ISharedCell): CellType {
  return cell.cell_type === 'markdown' || cell.cell_type === 'raw' ? cell.cell_type : 'code';
}

function results(cell: ISharedCodeCell): Partial<NotebookCell> {
  const outputs = cell.outputs;
  const error = outputs.findLast(isError);
  return {
    outputs: shortened(outputs.map(outputText).filter(text => text.trim()).map(text => text.replace(/\n+$/, '')).join('\n')),
    error: error ? tail(traceback(error).replace(SEQUENCE, ''), LONGEST_ERROR) : '',
    execution_count: cell.execution_count,
    ...(hasTag(cell, RAISES_TAG) ? { raises: true } : {}),
    ...(isCheck(cell) ? { check: true } : {})
  };
}

/** Whether a cell has the tag `check`, or is one of nbgrader's with tests alone. */
function isCheck(cell: ISharedCell): boolean {
  const { grade, solution } = (cell.getMetadata('nbgrader') ?? {}) as { grade?: unknown; solution?: unknown };
  return hasTag(cell, CHECK_TAG) || (grade === true && solution === false);
}

/** Whether a cell has a check in it: so marked, or with assert statements or otter's checks. */
export function hasCheck(cell: ISharedCell): boolean {
  return cell.cell_type === 'code' && (isCheck(cell) || /^(?:assert\b|grader\.check\()/m.test(cell.source));
}

function hasTag(cell: ISharedCell, tag: string): boolean {
  const tags = cell.getMetadata('tags') as unknown;
  return Array.isArray(tags) && tags.includes(tag);
}

function isError(output: IOutput): output is IError {
  return output.output_type === 'error';
}

function outputText(output: IOutput): string {
  if (output.output_type === 'stream') {
    return joined(output.text);
  }
  const data = output.data as Record<string, unknown> | undefined;
  return joined(data?.['text/plain']);
}

function traceback({ traceback, ename, evalue }: IError): string {
  return joined(traceback, '\n') || `${joined(ename)}: ${joined(evalue)}`;
}

/** nbformat allows a list of lines where it means a text. */
function joined(value: unknown, separator = ''): string {
  return Array.isArray(value) ? value.filter(each => typeof each === 'string').join(separator) : typeof value === 'string' ? value : '';
}

/** The beginning and the end of a text that is too long, and how much was left out. */
function shortened(text: string): string {
  const plain = text.replace(SEQUENCE, '');
  const count = characters(plain);
  if (count <= LONGEST_OUTPUT) {
    return plain;
  }
  const half = LONGEST_OUTPUT / 2;
  return `${head(plain, half)}\n… (${count - 2 * half} characters) …\n${tail(plain, half)}`;
}

/** How many characters a text has: one outside the Basic Multilingual Plane takes two places in a string. */
function characters(text: string): number {
  let count = text.length;
  for (let at = 0; at < text.length; at += 1) {
    count -= (text.charCodeAt(at) & 0xfc00) === 0xdc00 ? 1 : 0;
  }
  return count;
}

function head(text: string, most: number): string {
  return Array.from(text.slice(0, 2 * most)).slice(0, most).join('');
}

function tail(text: string, most: number): string {
  return Array.from(text.slice(-2 * most)).slice(-most).join('');
}

/** Whether what a magic or an agent asks for is about this notebook, and not about another one of its kernel. */
export function hasCellOf(notebook: ISharedNotebook, { active, target }: Prompt): boolean {
  const named = [active, target?.after, target?.edit, target?.reuse].filter(id => typeof id === 'string');
  return named.length === 0 || named.some(id => find(notebook, id) !== null);
}
