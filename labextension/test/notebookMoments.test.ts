import { type ISharedCodeCell, YNotebook } from '@jupyter/ydoc';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { METADATA_KEY } from '../src/constants';
import type { Event, MomentInfo } from '../src/messages';
import { NotebookMoments } from '../src/notebookMoments';
import { markProposed } from '../src/proposalMark';
import { markOf } from '../src/provenance';
import { Store } from '../src/store';

const text = (words: string) => [{ output_type: 'stream', name: 'stdout', text: words }];

describe('the cells of a moment', () => {
  let notebook: YNotebook;
  let store: Store;
  let moments: NotebookMoments;
  const known: MomentInfo[] = [];

  beforeEach(() => {
    known.length = 0;
    notebook = YNotebook.create({ disableDocumentWideUndoRedo: true }) as YNotebook;
    notebook.insertCell(0, { id: 'a', cell_type: 'code', source: 'x = 1', execution_count: 1, outputs: text('one') });
    notebook.insertCell(1, { id: 'b', cell_type: 'code', source: 'y = 2', execution_count: 2, outputs: text('two') });
    store = new Store();
    moments = new NotebookMoments(notebook, store, () => true);
    said({ type: 'Hello', life: 'l', writer: true });
  });

  afterEach(() => notebook.dispose());

  function said(event: Event): void {
    store.reduce(event);
    moments.follow(event);
  }

  function moment(id: number, fields: Partial<MomentInfo> = {}): void {
    known.push({ id, at: 1_700_000_000, ...fields });
    said({ type: 'MomentsChanged', moments: [...known] });
  }

  const cells = () => notebook.cells.map(cell => `${cell.id} ${cell.source}`);
  const run = (index: number, count: number, words: string) => {
    const cell = notebook.cells[index] as ISharedCodeCell;
    moments.scheduled(cell);
    cell.setOutputs([]);
    cell.execution_count = count;
    moment(count, { number: count });
    cell.setOutputs(text(words));
    moments.executed(cell.id);
  };

  it('come back with their text and outputs, in their order, as one step for Undo', () => {
    run(0, 3, 'three');
    notebook.cells[0].setSource('x = 9');
    notebook.deleteCell(1);
    notebook.insertCell(0, { id: 'c', cell_type: 'markdown', source: 'new' });
    expect(moments.changes(3)).toEqual({ changed: 1, back: 1, gone: 1 });
    said({ type: 'CameBack', moment_id: 3, left_id: 4 });
    expect(cells()).toEqual(['a x = 1', 'b y = 2']);
    expect((notebook.cells[0] as ISharedCodeCell).getOutputs()).toEqual(text('one'));
    expect((notebook.cells[0] as ISharedCodeCell).execution_count).toBe(1);
    expect(moments.changes(3)).toEqual({ changed: 0, back: 0, gone: 0 });
    notebook.undo();
    expect(cells()).toEqual(['c new', 'a x = 9']);
    expect((notebook.cells[1] as ISharedCodeCell).getOutputs()).toEqual(text('three'));
  });

  it('that JupyterLab has cleared, as they wait for their run, have the outputs that they had', () => {
    const [a, b] = notebook.cells as ISharedCodeCell[];
    [a, b].forEach(cell => {
      moments.scheduled(cell);
      cell.setOutputs([]);
      cell.execution_count = null;
    });
    a.execution_count = 3;
    moment(1, { number: 3 });
    a.setOutputs(text('three'));
    b.execution_count = 4;
    moment(2, { number: 4 });
    [a, b].forEach(cell => moments.executed(cell.id));
    said({ type: 'CameBack', moment_id: 2, left_id: 3 });
    expect((notebook.cells as ISharedCodeCell[]).map(cell => cell.getOutputs())).toEqual([text('three'), text('two')]);
    said({ type: 'CameBack', moment_id: 1, left_id: 3 });
    expect((notebook.cells as ISharedCodeCell[]).map(cell => cell.getOutputs())).toEqual([text('one'), text('two')]);
  });

  it('before a short run are as they were, also where that moment is told after it has ended', () => {
    const cell = notebook.cells[0] as ISharedCodeCell;
    moments.scheduled(cell);
    cell.setOutputs(text('three'));
    cell.execution_count = 3;
    moments.executed(cell.id);
    moment(1, { number: 3 });
    expect(moments.changes(1)).toEqual({ changed: 1, back: 0, gone: 0 });
    moment(2, { number: 4 }); // a later one has what the cell holds now
    expect(moments.changes(2)).toEqual({ changed: 0, back: 0, gone: 0 });
    said({ type: 'CameBack', moment_id: 1, left_id: 3 });
    expect((notebook.cells[0] as ISharedCodeCell).getOutputs()).toEqual(text('one'));
  });

  it('before a turn are those of when it began, also where it was steered; what is proposed or runs is left alone', () => {
    said({ type: 'TurnStarted', turn: { id: 't', prompt: 'p' } });
    notebook.insertCell(1, { id: 'p', cell_type: 'code', source: 'z = 3' });
    said({ type: 'TurnStarted', turn: { id: 't2', prompt: 'q', steers: 't' } });
    moment(-1, { turn_id: 't2' });
    notebook.insertCell(2, { id: 'waits', cell_type: 'code', source: 'w = 4' });
    markProposed(notebook.cells[2]);
    notebook.insertCell(4, { id: 'runs', cell_type: 'code', source: '%spark back turn 1 --yes' });
    moments.scheduled(notebook.cells[4]);
    said({ type: 'CameBack', moment_id: -1, left_id: 1 });
    expect(cells()).toEqual(['a x = 1', 'waits w = 4', 'b y = 2', 'runs %spark back turn 1 --yes']);
  });

  it('that are not known stay, without the numbers of the runs that were left', () => {
    said({ type: 'Hello', life: 'l', writer: true, catching_up: true });
    moment(1);
    said({ type: 'CameBack', moment_id: 1, left_id: 2, left: [2] }); // what came late is not done again
    expect((notebook.cells[1] as ISharedCodeCell).execution_count).toBe(2);
    said({ type: 'Hello', life: 'l', writer: true });
    expect(moments.changes(1)).toBeNull();
    said({ type: 'CameBack', moment_id: 1, left_id: 2, left: [2] });
    expect(cells()).toEqual(['a x = 1', 'b y = 2']);
    expect((notebook.cells as ISharedCodeCell[]).map(cell => cell.execution_count)).toEqual([1, null]);
    expect(store.state.problems.map(problem => problem.code)).toEqual(['cells_unknown']);
  });

  it('of another life are forgotten, and only the writer brings cells back', () => {
    moment(1);
    said({ type: 'Hello', life: 'l', writer: false });
    const reader = new NotebookMoments(notebook, store, () => false);
    reader.follow({ type: 'MomentsChanged', moments: [{ id: 1, at: 0 }] });
    notebook.cells[0].setSource('x = 9');
    reader.follow({ type: 'CameBack', moment_id: 1, left_id: 2 });
    expect(cells()[0]).toBe('a x = 9');
    said({ type: 'Hello', life: 'm', writer: true });
    expect(moments.changes(1)).toBeNull();
  });

  it('without their variables look as if they had not run; those that Spark wrote say when they came back from', () => {
    notebook.cells[0].setMetadata(METADATA_KEY, { hash: 'h', turn: 't' });
    moment(1);
    notebook.cells[0].setSource('x = 9');
    notebook.cells[1].setSource('y = 9');
    said({ type: 'CameBack', moment_id: 1, left_id: 2, variables: 'lost' });
    expect((notebook.cells as ISharedCodeCell[]).map(cell => cell.execution_count)).toEqual([null, null]);
    expect(markOf(notebook.cells[0].getMetadata(METADATA_KEY), 'x = 1')?.details).toEqual(['Came back from: 2023-11-14T22:13:20Z']);
    expect(notebook.cells[1].getMetadata(METADATA_KEY)).toBeUndefined();
  });
});
