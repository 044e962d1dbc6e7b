// The notebook as it is sent along with a prompt.

import type { IOutput } from '@jupyterlab/nbformat';
import type { ISharedCell, ISharedCodeCell, ISharedNotebook } from '@jupyter/ydoc';
import type { CellType, NotebookCell } from './messages';
import { cellKey } from './shared';

/** Characters of a cell's output that are sent; the end says more than the beginning. */
const MOST_OUTPUT = 2000;
/** Characters of a traceback that are sent. */
const MOST_ERROR = 4000;

// eslint-disable-next-line no-control-regex
const ANSI = /\u001b\[[0-9;?]*[ -/]*[@-~]/g;

/** Every cell in order, under the name that it has on the wire. */
export function notebookCells(notebook: ISharedNotebook): NotebookCell[] {
  return notebook.cells.map(cell => ({
    id: cellKey(cell.id),
    cell_type: typeOf(cell),
    source: cell.source,
    ...(cell.cell_type === 'code' ? results(cell as ISharedCodeCell) : {})
  }));
}

/** Whether the cell's output holds an error. */
export function hasError(cell: ISharedCell): boolean {
  return cell.cell_type === 'code' && (cell as ISharedCodeCell).outputs.some(output => output.output_type === 'error');
}

function typeOf(cell: ISharedCell): CellType {
  return cell.cell_type === 'markdown' || cell.cell_type === 'raw' ? cell.cell_type : 'code';
}

function results(cell: ISharedCodeCell): Partial<NotebookCell> {
  const outputs = cell.outputs;
  const text = outputs.map(outputText).join('');
  const error = outputs.map(errorText).join('\n').trim();
  return {
    execution_count: cell.execution_count,
    ...(text ? { outputs: tail(text, MOST_OUTPUT) } : {}),
    ...(error ? { error: tail(error, MOST_ERROR) } : {})
  };
}

function outputText(output: IOutput): string {
  if (output.output_type === 'stream') {
    return joined(output.text);
  }
  const data = output.data as Record<string, unknown> | undefined;
  return data ? joined(data['text/plain']) : '';
}

function errorText(output: IOutput): string {
  return output.output_type === 'error' ? joined(output.traceback, '\n').replace(ANSI, '') : '';
}

/** nbformat allows a list of lines where it means a text. */
function joined(value: unknown, separator = ''): string {
  return Array.isArray(value) ? value.map(String).join(separator) : typeof value === 'string' ? value : '';
}

function tail(text: string, most: number): string {
  return text.length > most ? text.slice(-most) : text;
}
