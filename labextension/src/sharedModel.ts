// Operations on JupyterLab's shared model of a cell.

import type { IBaseCellMetadata } from '@jupyterlab/nbformat';
import type { ISharedCell, ISharedNotebook } from '@jupyter/ydoc';
import type { JSONValue } from '@lumino/coreutils';
import { ID_PATTERN, METADATA_KEY, MOST_HINTS } from './constants';
import type { PromptPolicy } from './messages';
import { textChange } from './textChange';
import { contentHash } from './hash';
import { isObject } from './validate';

const POLICIES: readonly PromptPolicy[] = ['on', 'hints', 'off'];
const CELL_ID = new RegExp(ID_PATTERN);

/** The name of a cell on the wire: its id, or where that is not a valid one, something made from it. */
export function cellKey(id: string): string {
  return CELL_ID.test(id) ? id : `cell-${contentHash(id)}`;
}

/** Whether the cell with that id, which is not the name itself, has that name on the wire. */
export function isNamed(id: string, name: string): boolean {
  return name.startsWith('cell-') && cellKey(id) === name;
}

/** The index of the cell with that name as it is now, -1 where it is gone. */
export function indexOf(notebook: ISharedNotebook, cellId: string): number {
  const cells = notebook.cells;
  const index = cells.findIndex(cell => cell.id === cellId);
  return index >= 0 ? index : cells.findIndex(cell => isNamed(cell.id, cellId));
}

/** The cell with that name as it is now. */
export function find(notebook: ISharedNotebook, cellId: string): ISharedCell | null {
  const index = indexOf(notebook, cellId);
  return index < 0 ? null : notebook.cells[index];
}

/** What the author of a notebook says in its metadata about suggestions, prompts, hints and a recording beside it: anything. */
export type AuthorMetadata = {
  suggestions?: JSONValue;
  prompts?: JSONValue;
  hints?: JSONValue;
  prompt_limit?: JSONValue;
  course?: JSONValue;
  recording?: JSONValue;
};

/** What the author of a notebook says in its metadata. */
export function authorMetadata(notebook: ISharedNotebook): AuthorMetadata {
  const { suggestions, prompts, hints, prompt_limit, course, recording } = (notebook.getMetadata(METADATA_KEY) ?? {}) as AuthorMetadata;
  return {
    ...(suggestions === undefined ? {} : { suggestions }),
    ...(prompts === undefined ? {} : { prompts }),
    ...(hints === undefined ? {} : { hints }),
    ...(prompt_limit === undefined ? {} : { prompt_limit }),
    ...(course === undefined ? {} : { course }),
    ...(recording === undefined ? {} : { recording })
  };
}

/** The recording beside the notebook that its metadata names; empty where it names none, or a file elsewhere. */
export function recordingBeside(notebook: ISharedNotebook): string {
  const { recording } = authorMetadata(notebook);
  return typeof recording === 'string' && /^[^\\/:]+\.spark\.jsonl$/.test(recording) && !recording.startsWith('~') ? recording : '';
}

/** What prompts may write here. An author who wants no suggestions wants the user to write the code, so prompts give hints then. */
export function promptPolicy(notebook: ISharedNotebook): PromptPolicy {
  const { suggestions, prompts } = authorMetadata(notebook);
  const said = POLICIES.find(policy => policy === prompts);
  const signed = POLICIES.find(policy => policy === courseRules(notebook).prompts) ?? 'on';
  const asked = said ?? (suggestions === 'off' ? 'hints' : 'on');
  return POLICIES[Math.max(POLICIES.indexOf(asked), POLICIES.indexOf(signed))];
}

/** The furthest step of a hint that the author allows. */
export function mostHints(notebook: ISharedNotebook): number {
  const { hints } = authorMetadata(notebook);
  return typeof hints === 'number' && Number.isInteger(hints) && hints >= 1 && hints < MOST_HINTS ? hints : MOST_HINTS;
}

/** The number of prompts that the author allows each person; null: any number. */
export function promptLimit(notebook: ISharedNotebook): number | null {
  const limit = authorMetadata(notebook).prompt_limit;
  return typeof limit === 'number' && Number.isInteger(limit) && limit >= 1 ? limit : null;
}

/** The rules that a teacher has signed, as the metadata have them. The kernel looks at the signature. */
function courseRules(notebook: ISharedNotebook): Record<string, unknown> {
  const { course } = authorMetadata(notebook);
  return isObject(course) && isObject(course.rules) ? course.rules : {};
}

/** What the kernel needs to look at a teacher's signature: the signed rules, and the hashes of the cells that they name. */
export function signedCourse(notebook: ISharedNotebook): { course: string; hashes: Record<string, string> } {
  const { course } = authorMetadata(notebook);
  const named = isObject(course) && isObject(course.cells) ? course.cells : {};
  const hashes = new Map<string, string>(); // as course_signature.py has them
  for (const { id, cell_type: kind, source } of notebook.cells.filter(cell => Object.hasOwn(named, cell.id))) {
    hashes.set(id, hashes.has(id) ? '' : contentHash(kind === 'code' ? source : `${kind}\n${source}`));
  }
  return { course: course === undefined ? '' : JSON.stringify(course), hashes: Object.fromEntries(hashes) };
}

/** When suggestions may come, as the author says: anything. Where prompts write no code, neither do suggestions. */
export function suggestionsMetadata(notebook: ISharedNotebook): unknown {
  const allowed = promptPolicy(notebook) === 'on' && courseRules(notebook).suggestions !== false;
  return allowed ? authorMetadata(notebook).suggestions : 'off';
}

/** The file into which a notebook's answers are recorded: a magic takes no name with spaces. */
export function recordingName(path: string): string {
  const name = (path.split('/').pop() ?? '').replace(/\.ipynb$/, '');
  return `${name.replace(/[^\p{L}\p{N}._-]+/gu, '-')}.spark.jsonl`;
}

/** Delete a cell if it is there. */
export function removeCell(notebook: ISharedNotebook, cellId: string): void {
  const index = indexOf(notebook, cellId);
  if (index >= 0) {
    asUndoStep(notebook, () => notebook.deleteCell(index));
  }
}

/** Put a cell below another one, or at the top, if both are there. */
export function moveBelow(notebook: ISharedNotebook, cellId: string, above: string | null): void {
  const from = indexOf(notebook, cellId);
  const place = above === null ? -1 : indexOf(notebook, above);
  const to = from > place ? place + 1 : place;
  if (from >= 0 && to !== from && (above === null || place >= 0)) {
    asUndoStep(notebook, () => notebook.moveCell(from, to));
  }
}

/**
 * Insert or delete a cell as an undo step of its own. Yjs puts what happens within half a second into one step; a cell that came and
 * went in the same one would not come back.
 */
export function asUndoStep(notebook: ISharedNotebook, change: () => void): void {
  const { undoManager } = notebook as ISharedNotebook & { readonly undoManager: UndoManager };
  undoManager.stopCapturing();
  change();
  undoManager.stopCapturing();
}

/** Make a cell one of another type, as JupyterLab does: a new one with the same id. */
export function retype(notebook: ISharedNotebook, cell: ISharedCell, cell_type: 'markdown' | 'raw', metadata: Partial<IBaseCellMetadata>): void {
  const { id, source } = cell;
  const index = indexOf(notebook, id);
  notebook.transact(() => {
    notebook.deleteCell(index);
    notebook.insertCell(index, { id, cell_type, source, metadata });
  });
}

/** What is used of Yjs's undo manager. */
interface UndoManager {
  captureTimeout: number;
  stopCapturing(): void;
}

/** Milliseconds: as good as for ever. */
const ENDLESS = 1e12;

/** Writes between the making of a group and its end are one step for Undo. */
export interface UndoGroup {
  end(): void;
}

/**
 * Begin one undo step on a cell. Yjs otherwise starts a new one after a pause of half a second, and puts what
 * the user typed just before into the same one.
 */
export function undoGroup(cell: ISharedCell): UndoGroup {
  const manager = undoManagerOf(cell);
  if (!manager) {
    return { end: () => undefined };
  }
  const timeout = manager.captureTimeout;
  manager.stopCapturing();
  manager.captureTimeout = ENDLESS;
  return {
    end: () => {
      manager.captureTimeout = timeout;
      manager.stopCapturing();
    }
  };
}

/** The cell's own undo manager. One that the whole document shares is left alone: other cells are typed in meanwhile. */
function undoManagerOf(cell: ISharedCell): UndoManager | null {
  const { notebook, undoManager } = cell as ISharedCell & { undoManager?: UndoManager | null };
  return notebook && !notebook.disableDocumentWideUndoRedo ? null : undoManager ?? null;
}

/** Give a cell another source, touching only what differs, so that cursors and marks elsewhere stay where they are. */
export function replaceSource(cell: ISharedCell, source: string): void {
  const old = cell.source;
  if (old === source) {
    return;
  }
  const { from, to, insert } = textChange(old, source);
  cell.updateSource(from, to, insert);
}

/** Give a cell another source as one undo step of its own. */
export function replaceSourceAtOnce(cell: ISharedCell, source: string): void {
  const group = undoGroup(cell);
  replaceSource(cell, source);
  group.end();
}
