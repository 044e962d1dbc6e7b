// Auto-run: runs new cells of a completed turn without a click.
//
// The user chooses it for one notebook; it holds in this tab, until the tab is closed.

import { runnable, switchedOff, turnOf } from './selectors';
import type { State } from './state';
import type { NotebookSession } from './notebookSession';

/** Session storage lives as long as the tab; a notebook can't write there, so it can't choose for its reader. */
const KEY = 'spark-jupyter:auto-run:';

/** Whether new cells of this notebook run by themselves. */
export function runsByItself(session: NotebookSession): boolean {
  return window.sessionStorage.getItem(KEY + session.context.path) === 'yes';
}

/** Choose whether new cells of this notebook run by themselves. */
export function setRunsByItself(session: NotebookSession, yes: boolean): void {
  if (yes) {
    window.sessionStorage.setItem(KEY + session.context.path, 'yes');
  } else {
    window.sessionStorage.removeItem(KEY + session.context.path);
  }
}

/**
 * Watches one notebook's turns. What a turn that was seen streaming proposed runs when it is completed and every check has looked at
 * it, in order: new code cells only, up to the first that a finding blocks. Edits of the user's own cells always wait, and so does what an
 * agent proposes: it asks for each run.
 */
export class AutoRun {
  private readonly _live = new Set<string>();

  constructor(private readonly session: NotebookSession) {
    session.store.changed.connect((_, state) => this._onChange(state));
  }

  private _onChange(state: State): void {
    for (const turn of state.turns) {
      if (turn.outcome === null && !turn.agent) {
        this._live.add(turn.id);
      }
    }
    for (const turnId of this._live) {
      const cells = this._isChosen ? runnable(state, turnId) : [];
      // What is chosen after a turn has ended is not meant for its cells, also where a check still looks at them.
      if (cells && turnOf(state, turnId)?.outcome !== null) {
        this._live.delete(turnId);
        cells.forEach(cellId => this.session.decisions.run(cellId, { unasked: true }));
      }
    }
  }

  private get _isChosen(): boolean {
    return this.session.isWriter && runsByItself(this.session) && !switchedOff(this.session.store.state, 'auto_run');
  }
}
