import type { Cell } from '@jupyterlab/cells';
import type { INotebookCellExecutor } from '@jupyterlab/notebook';
import { YNotebook, type YCodeCell } from '@jupyter/ydoc';
import { describe, expect, it, vi } from 'vitest';
import { ConsentingExecutor } from '../src/cellExecutor';
import { RequestedRuns } from '../src/requestedRuns';

vi.mock('@jupyterlab/apputils', () => ({ Notification: {} }));
vi.mock('@jupyterlab/cells', () => ({ CodeCell: {} }));
vi.mock('@jupyterlab/notebook', () => ({ runCell: () => Promise.reject(new Error('not here')) }));

/** A kernel whose cells end when the test says so. */
class Bench {
  readonly notebook = new YNotebook();
  readonly sent: string[] = [];
  readonly requested = new RequestedRuns();
  private readonly _ends = new Map<string, { resolve: (ran: boolean) => void; reject: (error: Error) => void }>();
  readonly executor = new ConsentingExecutor(({ cell }) => {
    this.sent.push(cell.model.id);
    return new Promise((resolve, reject) => this._ends.set(cell.model.id, { resolve, reject }));
  });

  constructor() {
    this.executor.rules = { consent: () => null, requested: () => this.requested };
  }

  cell(id: string, source: string, tags?: string[]): Cell {
    const shared = this.notebook.addCell({ cell_type: 'code', id, source, metadata: tags ? { tags } : {} }) as YCodeCell;
    const model = {
      id,
      type: 'code',
      sharedModel: shared,
      getMetadata: (key: string) => shared.getMetadata(key),
      set executionState(state: 'running' | 'idle') {
        shared.executionState = state;
      }
    };
    return { model, isDisposed: false } as unknown as Cell;
  }

  /** One gesture. */
  async run(...cells: Cell[]): Promise<boolean[]> {
    return Promise.all(cells.map(cell => this.executor.runCell({ cell } as INotebookCellExecutor.IRunCellOptions).catch(() => false)));
  }

  async end(id: string, ran = true): Promise<void> {
    this._ends.get(id)?.resolve(ran);
    await settled();
  }

  async fail(id: string): Promise<void> {
    this._ends.get(id)?.reject(new Error('KernelReplyNotOK'));
    await settled();
  }
}

const settled = () => new Promise(resolve => setTimeout(resolve));

describe('cells below one that asks for the run of a proposal', () => {
  it('are sent at once where no cell asks', async () => {
    const bench = new Bench();
    void bench.run(bench.cell('a', '%%spark\nrun it'), bench.cell('b', 'x = 1'));
    await settled();
    expect(bench.sent).toEqual(['a', 'b']);
  });

  it.each(['%spark run', 'x = 1\n  %spark run 2', '%spark --run a plot', '%%spark --wait --run\na plot'])('wait for the proposal: %s', async source => {
    const bench = new Bench();
    const check = bench.cell('check', 'assert x');
    void bench.run(bench.cell('ask', source), check);
    expect(check.model.sharedModel).toMatchObject({ executionState: 'running' });
    await settled();
    void bench.requested.follow('new', async () => (await bench.run(bench.cell('new', 'x = 1')))[0]);
    await bench.end('ask');
    expect(bench.sent).toEqual(['ask', 'new']);
    await bench.end('new');
    expect(bench.sent).toEqual(['ask', 'new', 'check']);
  });

  it('wait also where they are asked for by a gesture of their own', async () => {
    const bench = new Bench();
    void bench.run(bench.cell('ask', '%spark run'));
    await settled();
    void bench.run(bench.cell('check', 'assert x'));
    await settled();
    void bench.run(bench.cell('last', 'y = 1'));
    await settled();
    void bench.requested.follow('new', async () => (await bench.run(bench.cell('new', 'x = 1')))[0]);
    await bench.end('ask');
    expect(bench.sent).toEqual(['ask', 'new']);
    await bench.end('new');
    await bench.end('check');
    await bench.end('last');
    expect(bench.sent).toEqual(['ask', 'new', 'check', 'last']);
    void bench.run(bench.cell('later', ''), bench.cell('latest', ''));
    await settled();
    expect(bench.sent.slice(4)).toEqual(['later', 'latest']);
  });

  it.each(['ask', 'new'])('do not run where "%s" fails', async failing => {
    const bench = new Bench();
    const check = bench.cell('check', 'assert x');
    const ran = bench.run(bench.cell('ask', '%spark run'), check);
    await settled();
    void bench.requested.follow('new', async () => (await bench.run(bench.cell('new', '1 / 0')))[0]);
    await (failing === 'ask' ? bench.fail('ask') : bench.end('ask'));
    await (failing === 'new' ? bench.fail('new') : bench.end('new'));
    expect(await ran).toEqual([failing !== 'ask', false]);
    expect(check.model.sharedModel).toMatchObject({ executionState: 'idle' });
    expect(bench.sent).not.toContain('check');
    void bench.run(check);
    await settled();
    expect(bench.sent).toContain('check');
  });

  it('run below a cell that is meant to fail', async () => {
    const bench = new Bench();
    void bench.run(bench.cell('ask', '%spark run'), bench.cell('red', 'assert False', ['raises-exception']), bench.cell('below', ''));
    await settled();
    await bench.end('ask');
    await bench.fail('red');
    expect(bench.sent).toEqual(['ask', 'red', 'below']);
  });
});
