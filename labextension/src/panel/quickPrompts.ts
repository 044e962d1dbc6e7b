// Prompts about the active cell, figure or answer that need no words.

import { EXPLAIN_CELL, FIX_CELL } from '../buttonPrompts';
import { NEXT_HINT, WHY } from '../constants';
import type { NotebookView } from '../notebookView';
import { lastFigure, look } from '../promptImages';
import { knownTurns } from '../selectors';
import { EMPTY, type State } from '../state';

/** What they are about. */
interface Subject {
  readonly view: NotebookView | null;
  readonly state: State | null;
  /** Whether the active cell's output holds an error that a new turn could be asked to fix. */
  readonly canFix: boolean;
}

export class QuickPrompts {
  constructor(private readonly _model: Subject) {}

  /** Have the error of the active cell fixed; `text` is what the user knows of it. */
  async fix(text = ''): Promise<void> {
    const edit = this._model.canFix ? this._model.view?.activeCellId : null;
    await (edit && this._model.view?.prompt(text || FIX_CELL, { target: { edit }, intent: 'fix' }));
  }

  /** Have the active cell explained, or a question about it answered. */
  async explain(text = ''): Promise<void> {
    const after = this._model.view?.activeCellId;
    await (after && this._model.view?.prompt(text || EXPLAIN_CELL, { target: { after }, intent: 'explain' }));
  }

  /** Ask for a hint on the active cell; without a question for the next one. */
  async hint(text = ''): Promise<void> {
    await this._model.view?.prompt(text || NEXT_HINT, { target: { after: this._model.view.activeCellId }, intent: 'hints' });
  }

  /** Have the checks of the active cell run in a copy, and the first difference explained. */
  async why(): Promise<void> {
    await this._model.view?.prompt(WHY, { target: { after: this._model.view.activeCellId }, intent: 'hints' });
  }

  /** Have the last figure compared with what was asked for. */
  async look(text = ''): Promise<void> {
    const view = this._model.view;
    await (view && look(view, lastFigure(view.session.notebook, view.session.store.state), text));
  }

  /** Hand the last answer to the deep model; `text` is what is wrong with it. */
  async deepen(text = ''): Promise<void> {
    const last = knownTurns(this._model.state ?? EMPTY).findLast(turn => turn.outcome === 'completed');
    await (last && this._model.view?.session.deep.handUp(last.id, text));
  }
}
