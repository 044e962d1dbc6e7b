// A Python file of the editor as a cell for suggestions.

import type { JupyterFrontEnd } from '@jupyterlab/application';
import { DocumentWidget } from '@jupyterlab/docregistry';
import type { ISharedCell, ISharedFile } from '@jupyter/ydoc';

const CELLS = new WeakMap<ISharedFile, ISharedCell>();
const FILES = new WeakMap<ISharedCell, ISharedFile>();

/** The file's text as a code cell: what suggestions read and write of one. Metadata are not kept in a file. */
export function fileCell(file: ISharedFile): ISharedCell {
  const known = CELLS.get(file);
  if (known) {
    return known;
  }
  const cell = {
    id: 'file',
    cell_type: 'code',
    notebook: null,
    undoManager: (file as ISharedFile & { readonly undoManager: unknown }).undoManager,
    get source() {
      return file.source;
    },
    get isDisposed() {
      return file.isDisposed;
    },
    getMetadata: () => undefined,
    setMetadata: () => undefined
  } as unknown as ISharedCell;
  CELLS.set(file, cell);
  FILES.set(cell, file);
  return cell;
}

/** The path of the Python file whose text a cell is; null where it is none. */
export function pythonFileOf(cell: ISharedCell, { shell }: JupyterFrontEnd): string | null {
  const file = FILES.get(cell);
  const isOurs = (widget: unknown): widget is DocumentWidget => widget instanceof DocumentWidget && widget.context.model.sharedModel === file;
  const path = file && [...shell.widgets('main')].find(isOurs)?.context.path;
  return path?.endsWith('.py') ? path : null;
}
