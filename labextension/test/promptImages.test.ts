import type { IOutput } from '@jupyterlab/nbformat';
// The images that go along with a prompt: which figure is meant, and what they count.

import { YNotebook } from '@jupyter/ydoc';
import { describe, expect, it, vi } from 'vitest';

vi.mock('@jupyterlab/apputils', () => ({ Dialog: {}, showDialog: () => undefined }));

import { figureOf, lastFigure, namedFigure, tokensOf } from '../src/promptImages';
import type { NotebookView } from '../src/notebookView';
import { EMPTY, fullProposal, type State } from '../src/state';

/** The head of a PNG of that size; the rest is never looked at here. */
function png(width: number, height: number): string {
  const size = (value: number) => [24, 16, 8, 0].map(shift => (value >> shift) & 255);
  return btoa(String.fromCharCode(0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52, ...size(width), ...size(height), 8, 6, 0, 0, 0));
}

function notebookWith(...pictures: unknown[]): YNotebook {
  const notebook = YNotebook.create() as YNotebook;
  notebook.addCell({ cell_type: 'markdown', source: 'text' });
  for (const picture of pictures) {
    const outputs = [{ output_type: 'display_data', metadata: {}, data: { 'image/png': picture } }];
    notebook.addCell({ cell_type: 'code', source: 'plot()', outputs } as never);
  }
  return notebook;
}

describe('the last figure', () => {
  it('is the last picture among the outputs, however nbformat writes it', () => {
    const found = lastFigure(notebookWith(png(640, 480), [png(320, 200), '\n']), EMPTY);
    expect(found).toMatchObject({ media_type: 'image/png', width: 320, height: 200, name: 'figure' });
    expect(found?.data).toBe(png(320, 200));
  });

  it('is that of a Try where its proposal waits for a decision', () => {
    const trial = { type: 'TrialResult', turn_id: 't', cell_id: 'c', outputs: [{ kind: 'display_data', data: { 'image/png': png(100, 80) } }] } as const;
    const state = (of: 'ready' | 'accepted'): State => ({
      ...EMPTY,
      trials: new Map([['c', trial]]),
      proposals: new Map([['c', fullProposal({ cell_id: 'c', turn_id: 't', state: of })]])
    });
    expect(figureOf(trial)?.width).toBe(100);
    expect(lastFigure(notebookWith(png(640, 480)), state('ready'))?.width).toBe(100);
    expect(lastFigure(notebookWith(png(640, 480)), state('accepted'))?.width).toBe(640);
  });

  it('is nothing where a picture is none, or is too large to go as it is', () => {
    expect(lastFigure(notebookWith('<script>', 'bm90IGEgcG5n', png(4000, 3000), 7), EMPTY)).toBeNull();
  });

  it('is nothing where an interactive one without a picture came after it', () => {
    const book = notebookWith(png(640, 480));
    const plotly = (data: object) => ({ output_type: 'display_data', data: { 'application/vnd.plotly.v1+json': {}, ...data }, metadata: {} }) as IOutput;
    const shown = (...outputs: IOutput[]) => ({ cells: [...book.cells, { cell_type: 'code', outputs }] }) as unknown as typeof book;
    expect(lastFigure(shown(plotly({})), EMPTY)).toBeNull();
    expect(lastFigure(shown(plotly({ 'image/png': png(320, 200) })), EMPTY)?.width).toBe(320);
  });

  it('is meant by words that point at it, and not by those that ask for one', () => {
    const view = { session: { notebook: notebookWith(png(640, 480)), store: { state: EMPTY } } } as unknown as NotebookView;
    for (const text of ['Why is this plot empty?', 'label @figure', 'Warum ist dieses Diagramm leer?']) {
      expect(namedFigure(view, text)?.width).toBe(640);
    }
    expect(namedFigure(view, 'plot the sales by month')).toBeNull();
    expect(namedFigure(null, '@figure')).toBeNull();
  });
});

it('an image counts by its size, and at least as the smallest one does', () => {
  expect(tokensOf({ width: 640, height: 480 })).toBe(410);
  expect(tokensOf({ width: 10, height: 10 })).toBe(258);
});
