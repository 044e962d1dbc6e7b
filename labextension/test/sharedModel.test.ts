import { YNotebook } from '@jupyter/ydoc';
import { afterEach, beforeEach, describe, expect, it, test } from 'vitest';
import { contentHash } from '../src/hash';
import { mostHints, promptPolicy, recordingBeside, recordingName, removeCell, signedCourse, suggestionsMetadata } from '../src/sharedModel';

describe('a recording beside a notebook', () => {
  const named = (recording: unknown) => {
    const notebook = YNotebook.create() as YNotebook;
    notebook.setMetadata('spark', { recording } as never);
    const found = recordingBeside(notebook);
    notebook.dispose();
    return found;
  };

  it('is a file in the same folder, and nothing else', () => {
    expect(named('lesson.spark.jsonl')).toBe('lesson.spark.jsonl');
    for (const other of ['../a.spark.jsonl', '/a.spark.jsonl', 'a\\b.spark.jsonl', 'c:a.spark.jsonl', '~a.spark.jsonl', 'model.gguf', '', 7, null]) {
      expect(named(other)).toBe('');
    }
  });

  it('has the name of the notebook', () => {
    expect(recordingName('course/My lesson 1.ipynb')).toBe('My-lesson-1.spark.jsonl');
  });
});

test('the hash of a signed cell says what kind it is, and there is none of an id that two cells have', () => {
  const cells = [
    { id: 'title', cell_type: 'markdown', source: 'a' },
    { id: 'check', cell_type: 'code', source: 'b' },
    { id: 'twice', cell_type: 'code', source: 'c' },
    { id: 'twice', cell_type: 'code', source: 'd' },
    { id: 'own', cell_type: 'code', source: 'e' },
  ];
  const course = { cells: { title: '', check: '', twice: '' } };
  const notebook = { cells, getMetadata: () => ({ course }), metadata: { spark: { course } } };
  expect(signedCourse(notebook as never).hashes).toEqual({ title: contentHash('markdown\na'), check: contentHash('b'), twice: '' });
});

test('hints go as far as the author says, and no further than there are', () => {
  const furthest = (hints: unknown) => {
    const notebook = YNotebook.create() as YNotebook;
    notebook.setMetadata('spark', { hints } as never);
    const found = mostHints(notebook);
    notebook.dispose();
    return found;
  };
  expect([3, 1, 0, 9, 2.5, '2', undefined].map(furthest)).toEqual([3, 1, 5, 5, 5, 5, 5]);
});

describe('a cell that is removed', () => {
  let notebook: YNotebook;

  beforeEach(() => {
    notebook = YNotebook.create({ disableDocumentWideUndoRedo: true }) as YNotebook;
    notebook.insertCell(0, { id: 'first', cell_type: 'code', source: 'x = 1' });
    notebook.clearUndoHistory();
  });

  afterEach(() => notebook.dispose());

  it('comes back with Undo, however soon after its insertion it was removed', () => {
    notebook.insertCell(1, { id: 'second', cell_type: 'code', source: 'y = 2' });
    removeCell(notebook, 'second');
    notebook.undo();
    expect(notebook.cells.map(cell => cell.source)).toEqual(['x = 1', 'y = 2']);
  });

  it('comes back alone: what the user does next is another step', () => {
    removeCell(notebook, 'first');
    notebook.insertCell(0, { id: 'third', cell_type: 'code', source: 'z = 3' });
    notebook.undo();
    expect(notebook.cells).toEqual([]);
    notebook.undo();
    expect(notebook.cells.map(cell => cell.source)).toEqual(['x = 1']);
  });
});

describe('what the author of a notebook allows', () => {
  const allowed = (metadata: object) => {
    const notebook = YNotebook.create() as YNotebook;
    notebook.setMetadata('spark', metadata as never);
    const found = [promptPolicy(notebook), suggestionsMetadata(notebook)];
    notebook.dispose();
    return found;
  };

  it('is said of prompts, and where they write no code there are no suggestions', () => {
    expect(allowed({})).toEqual(['on', undefined]);
    expect(allowed({ suggestions: 'request' })).toEqual(['on', 'request']);
    expect(allowed({ prompts: 'hints' })).toEqual(['hints', 'off']);
    expect(allowed({ prompts: 'off', suggestions: 'on' })).toEqual(['off', 'off']);
    expect(allowed({ prompts: ['off'] })).toEqual(['on', undefined]);
  });

  it('is hints where only suggestions are switched off: who is to write the code gets no solution', () => {
    expect(allowed({ suggestions: 'off' })).toEqual(['hints', 'off']);
    expect(allowed({ suggestions: 'off', prompts: 'on' })).toEqual(['on', 'off']);
  });
});
