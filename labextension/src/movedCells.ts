// Ids of streamed text, which cells keep when they are moved.
//
// To Yjs a moved cell is deleted, and another one is inserted that holds a copy of its text, under the id of the tab that moved it. The
// copy is written again in the same transaction: each piece of the stream under an id that says where it begins, also what is deleted of it.

import type { ISharedCell, ISharedNotebook, YCodeCell, YNotebook } from '@jupyter/ydoc';
import { DisposableDelegate, type IDisposable } from '@lumino/disposable';
import { itemsOf, NOTHING, type Piece, pieceOf, rankOf, type StreamedTexts } from './handover';
import { isProposed } from './proposalMark';
import { find } from './sharedModel';

type Text = YCodeCell['ysource'];

/** Characters of a cell that follow each other in the stream; without a piece, what people have typed. */
interface Run {
  readonly piece: Piece | null;
  text: string;
  /** What of the text is deleted: from where to where. */
  readonly deleted: [number, number][];
}

/** Have cells that are moved in this tab keep those ids. */
export function keepIdsOfMoved(shared: ISharedNotebook, texts: StreamedTexts): IDisposable {
  const notebook = shared as YNotebook;
  const move = notebook.moveCells;
  // the notebook's own list of them is as it was until the transaction ends
  const cells = (notebook as Partial<YNotebook>).ydoc?.getArray<YCodeCell['ymodel']>('cells');
  if (!cells) {
    return new DisposableDelegate(() => undefined); // no other tab can have the document
  }
  const moveCells: typeof move = (from, to, count = 1) => {
    const moved = notebook.cells.slice(from, from + count);
    const runs = moved.map(runsOf);
    if (!handle.isDisposed && (moved.some(isProposed) || runs.flat().some(({ piece }) => piece))) {
      notebook.transact(() => {
        const rank = Math.max(...moved.map(cell => rankOf(idOf(cell).client)));
        texts.writeAs(texts.cellId(rank + 2), () => move.call(notebook, from, to, count));
        const first = from > to ? to : to - count + 1;
        runs.forEach((its, index) => its.some(({ piece }) => piece) && write(cells.get(first + index).get('source') as Text, its, texts));
      });
    } else {
      move.call(notebook, from, to, count);
    }
  };
  const handle = new DisposableDelegate(() => {
    if (notebook.moveCells === moveCells) {
      notebook.moveCells = move; // somebody else's may lie on top
    }
  });
  notebook.moveCells = moveCells;
  return handle;
}

/**
 * The cell with that name as it is now, of which one is left. A moved cell comes before what it was moved from, and the order of any two
 * never changes. So whatever tabs remove of which they see a better one, and whatever they move meanwhile, one cell is left.
 */
export function leaveOne(notebook: ISharedNotebook, cellId: string): ISharedCell | null {
  const [first, ...others] = notebook.cells.filter(cell => cell.id === cellId);
  const kept = others.reduce((best, cell) => (isBetter(cell, best) ? cell : best), first ?? find(notebook, cellId));
  [first, ...others].filter(cell => cell && cell !== kept).forEach(cell => notebook.deleteCell(notebook.cells.indexOf(cell)));
  return kept;
}

function isBetter(cell: ISharedCell, other: ISharedCell): boolean {
  const [{ client, clock }, than] = [idOf(cell), idOf(other)];
  return client > than.client || (client === than.client && clock > than.clock);
}

/** The id of a cell in the document, which says how often it was moved. */
function idOf(cell: ISharedCell): { readonly client: number; readonly clock: number } {
  return (cell as Partial<YCodeCell>).ymodel?._item?.id ?? { client: 0, clock: 0 };
}

function runsOf(cell: YNotebook['cells'][0]): Run[] {
  const runs: Run[] = [];
  let [id, clock] = [-1, 0];
  for (const { id: its, length, deleted, content } of itemsOf(cell).filter(({ countable, deleted }) => countable || deleted)) {
    const piece = pieceOf(its.client);
    if (deleted && !piece) {
      continue;
    }
    if (its.client !== id || its.clock !== clock) {
      runs.push({ piece: piece && { age: piece.age, from: piece.isMark ? NOTHING : piece.from + its.clock }, text: '', deleted: [] });
    }
    const run = runs[runs.length - 1];
    if (deleted) {
      run.deleted.push([run.text.length, run.text.length + length]);
    }
    run.text += deleted ? ' '.repeat(length) : (content as { str?: string }).str ?? '';
    [id, clock] = [its.client, its.clock + length];
  }
  return runs;
}

function write(source: Text, runs: readonly Run[], texts: StreamedTexts): void {
  source.delete(0, source.length);
  for (const { piece, text, deleted } of runs) {
    const place = source.length;
    const insert = (): void => source.insert(place, text);
    if (piece) {
      texts.writeAs(texts.newId(piece), insert);
    } else {
      insert();
    }
    deleted.reverse().forEach(([from, to]) => source.delete(place + from, to - from));
  }
}
