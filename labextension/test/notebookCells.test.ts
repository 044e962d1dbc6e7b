import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ISharedCell } from '@jupyter/ydoc';
import { describe, expect, it } from 'vitest';
import { notebookCells } from '../src/notebookCells';
import { sparse } from './projection';

interface Fixture {
  readonly name: string;
  readonly cell: ISharedCell & { readonly metadata?: Readonly<Record<string, unknown>> };
  readonly sent: unknown;
}

const fixtures = JSON.parse(readFileSync(join(__dirname, '../../tests/fixtures/cells.json'), 'utf-8')) as Fixture[];

describe('a cell that goes along with a prompt', () => {
  it.each(fixtures)('is sent as Python sends it: $name', ({ cell, sent }) => {
    const shared = { ...cell, getMetadata: (key: string) => cell.metadata?.[key] } as ISharedCell;
    expect(notebookCells({ cells: [shared] }).map(one => sparse('NotebookCell', one))).toEqual([sent]);
  });
});
