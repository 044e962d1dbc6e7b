// Documents with suggestions: notebooks and consoles.

import type { ISharedCell } from '@jupyter/ydoc';
import type { ConsolePanel } from '@jupyterlab/console';
import type { Kernel } from '@jupyterlab/services';
import type { IDisposable } from '@lumino/disposable';
import type { CellType, Complete, NotebookCell } from '../messages';
import type { NotebookSession } from '../notebookSession';
import { isKnownKernel, LOADS, type Sessions } from '../sessions';
import { cellKey, suggestionsMetadata } from '../sharedModel';
import { clientId } from '../clientId';
import { Transport } from '../transport';
import { type Around, asTold, Surroundings } from './surroundingCells';

/** Cells of a console that are told. */
const MOST_CONSOLE_CELLS = 40;

/** One notebook, or one console. */
export interface SuggestionHost extends IDisposable {
  /** Names it in this page. */
  readonly key: string;
  readonly kind: 'notebook' | 'console';
  readonly transport: Transport;
  /** What its metadata says of suggestions: anything. */
  readonly says: unknown;
  /** The file whose name the user's choice is kept under; empty where there is none. */
  readonly path: string;
  /** Goes up when another cell than this one is changed, or has run. */
  context(cell: ISharedCell): number;
  /** The other cells, for a request that is sent now. */
  around(cell: ISharedCell): Around;
  /** The kernel knows nothing any more of what it was told. */
  forget(): void;
  /** Whether a cell is known to run. */
  readonly isRunning: boolean;
  /** A cell is about to run. */
  runs(): void;
  /** A cell has run. */
  ran(): void;
}

/** A notebook with its conversation. */
export class NotebookHost implements SuggestionHost {
  readonly kind = 'notebook';
  readonly key: string;
  private readonly _surroundings: Surroundings;
  /** Cells that run, or wait to. */
  private _running = 0;

  constructor(readonly session: NotebookSession) {
    this.key = `notebook ${clientId(session.context.path)}`;
    this._surroundings = new Surroundings(session.notebook);
    session.transport.statusChanged.connect(this.forget, this);
  }

  get transport(): Transport {
    return this.session.transport;
  }

  get says(): unknown {
    return suggestionsMetadata(this.session.notebook);
  }

  get path(): string {
    return this.session.context.path;
  }

  get isDisposed(): boolean {
    return this._surroundings.isDisposed;
  }

  dispose(): void {
    this.session.transport.statusChanged.disconnect(this.forget, this);
    this._surroundings.dispose();
  }

  context(cell: ISharedCell): number {
    return this._surroundings.context(cell.id);
  }

  around(cell: ISharedCell): Around {
    return this._surroundings.take(cell.id);
  }

  get isRunning(): boolean {
    return this._running > 0;
  }

  runs(): void {
    this._running += 1;
  }

  ran(): void {
    this._running = Math.max(0, this._running - 1);
    this._surroundings.ran();
  }

  forget(): void {
    this._surroundings.forget();
  }
}

/** A console: what was run in it stands above. */
export class ConsoleHost implements SuggestionHost {
  readonly kind = 'console';
  readonly key: string;
  readonly says = undefined;
  readonly isRunning = false;
  private readonly _own: Transport;
  private _runs = 0;
  private _told = -1;
  private _disposed = false;

  constructor(
    private readonly _panel: ConsolePanel,
    private readonly _sessions: Pick<Sessions, 'sessionWith'>
  ) {
    const name = `console:${_panel.id}`;
    this.key = `console ${clientId(name)}`;
    this._own = new Transport({ sessionContext: _panel.sessionContext, clientId: clientId(name), path: () => '', canWrite: false });
    this._own.statusChanged.connect(this.forget, this);
    _panel.console.executed.connect(this._onExecuted, this);
    _panel.sessionContext.kernelChanged.connect(this._attach, this);
    void _panel.sessionContext.ready.then(() => this._attach());
  }

  /** JupyterLab has comms on one connection with a kernel: where a notebook has that one, its way to the kernel is used. */
  get transport(): Transport {
    const kernel = this._kernel;
    const session = kernel && !kernel.handleComms ? this._sessions.sessionWith(kernel.id) : null;
    return session?.transport ?? this._own;
  }

  /** The console's own path, or the file's for which it was made. */
  get path(): string {
    return this._panel.sessionContext.path;
  }

  get isDisposed(): boolean {
    return this._disposed;
  }

  dispose(): void {
    if (!this._disposed) {
      this._disposed = true;
      this._own.dispose();
    }
  }

  /** Whether that cell is the one in which code is typed. */
  holds(cell: ISharedCell): boolean {
    return this._panel.console.promptCell?.model.sharedModel === cell;
  }

  context(): number {
    return this._runs;
  }

  around(): Around {
    const cells = this._cells;
    const known = this._told === this._runs;
    this._told = this._runs;
    return { cells: known ? null : cells, position: cells.length };
  }

  forget(): void {
    this._told = -1;
  }

  runs(): void {
    return; // there is a new prompt only when it has run
  }

  ran(): void {
    this._runs += 1;
  }

  private get _kernel(): Kernel.IKernelConnection | null {
    return this._panel.sessionContext.session?.kernel ?? null;
  }

  private get _cells(): NotebookCell[] {
    const { cells } = this._panel.console;
    const models = Array.from({ length: cells.length }, (_, index) => cells.get(index).model.sharedModel);
    return models
      .filter(cell => cell.cell_type === 'code')
      .slice(-MOST_CONSOLE_CELLS)
      .map(asTold);
  }

  private _onExecuted(): void {
    this.ran();
    if (LOADS.test(this._cells.at(-1)?.source ?? '')) {
      void this.transport.attach({ load: false });
    }
  }

  /** Where Spark is known to be loaded in its kernel. */
  private _attach(): void {
    const kernel = this._kernel;
    if (!this._disposed && kernel?.handleComms && isKnownKernel(kernel.id)) {
      void this._own.attach({ load: false });
    }
  }
}

/** What is asked for at a cursor. */
export type Question = Pick<Complete, 'completion_id' | 'before' | 'after' | 'asked' | 'other_than'>;

/** Where each transport asked last, and by which way: what the kernel was told of other cells holds for there. */
const askedLast = new WeakMap<Transport, { readonly host: SuggestionHost; readonly way: number }>();

/** Ask the kernel for a completion in a cell of a place. */
export function complete(host: SuggestionHost, cell: ISharedCell, question: Question): void {
  const { transport } = host;
  const way = transport.settleWay();
  const last = askedLast.get(transport);
  if (last?.host !== host || last.way !== way) {
    askedLast.set(transport, { host, way });
    host.forget();
  }
  const cell_type = cell.cell_type as CellType;
  transport.ask({ type: 'Complete', cell_id: cellKey(cell.id), cell_type, ...question, ...host.around(cell) });
}
