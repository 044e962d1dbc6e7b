// Notice in the first line of a pending cell in the file.
//
// A Jupyter without Spark shows the file as it is. The document in the page never has the line: it is added to what is saved and taken out
// of what is loaded.

import type { ICell, INotebookContent } from '@jupyterlab/nbformat';
import type { INotebookModel } from '@jupyterlab/notebook';
import { METADATA_KEY } from './constants';
import { isProposed } from './proposalMark';
import { isObject } from './validate';

/** A comment: it does no harm where the cell is run. */
export const NOTICE = '# Proposed by Spark, not accepted yet: read it before you run it.\n';

/** Have a notebook's file say of each new code cell that waits for a decision that it does. */
export function noticeInFile(model: INotebookModel): void {
  const toJSON = model.toJSON.bind(model);
  const fromJSON = model.fromJSON.bind(model);
  model.toJSON = () => withNotices(toJSON() as unknown as INotebookContent) as unknown as ReturnType<typeof toJSON>;
  model.fromJSON = content => fromJSON(withoutNotices(content as unknown as INotebookContent) as unknown as typeof content);
  const { dirty } = model;
  model.sharedModel.transact(() => {
    const cells = model.sharedModel.cells.filter(cell => isProposed(cell) && cell.source.startsWith(NOTICE));
    cells.forEach(cell => cell.setSource(cell.source.slice(NOTICE.length)));
  }, false);
  model.dirty = dirty;
}

/** A cell magic stays the first line, or it would be none. */
export function withNotices(content: INotebookContent): INotebookContent {
  return mapPending(content, source => (/^\s*%%/.test(source) || source.startsWith(NOTICE) ? source : NOTICE + source));
}

export function withoutNotices(content: INotebookContent): INotebookContent {
  return mapPending(content, source => (source.startsWith(NOTICE) ? source.slice(NOTICE.length) : source));
}

function mapPending(content: INotebookContent, change: (source: string) => string): INotebookContent {
  return { ...content, cells: content.cells.map(cell => (isPending(cell) ? { ...cell, source: change(textOf(cell)) } : cell)) };
}

function isPending({ cell_type, metadata }: ICell): boolean {
  const said = metadata?.[METADATA_KEY];
  return cell_type === 'code' && isObject(said) && said.proposed === true;
}

function textOf({ source }: ICell): string {
  return Array.isArray(source) ? source.join('') : source;
}
