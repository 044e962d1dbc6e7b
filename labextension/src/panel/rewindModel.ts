// Edit of an earlier prompt: the return to before it.

import { PromiseDelegate } from '@lumino/coreutils';
import type { Target } from '../messages';
import type { NotebookView } from '../notebookView';
import { conversationTurns } from '../selectors';
import { find } from '../sharedModel';
import type { FullTurn, State } from '../state';
import type { Destination } from './destination';
import type { TimelineModel } from './timelineModel';

/** A return that the next prompt begins with. */
export interface Rewind {
  readonly moment: number;
  /** The name of what is left. */
  readonly branch: string;
  /** Where the cells of the turn went. */
  readonly target: Target;
}

/** Words of a prompt that name its branch. */
const WORDS = 4;

/** The return to before a turn; null where the kernel has told of no moment there. */
function rewindBefore({ moments }: State, { id, prompt, target }: FullTurn): Rewind | null {
  const moment = moments.find(one => one.turn_id === id);
  const words = prompt.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  const name = ['branch', ...words.slice(0, WORDS)].join('-');
  const isTaken = (branch: string) => moments.some(one => one.name === branch);
  let branch = name;
  for (let number = 2; isTaken(branch); number += 1) {
    branch = `${name}-${number}`;
  }
  return moment ? { moment: moment.id, branch, target } : null;
}

/** The place of the earlier turn, where that is there again. */
export function placeOf({ target }: Rewind, view: NotebookView, otherwise: Destination): Destination {
  const place = target.edit ?? target.after;
  return place && otherwise.kind !== 'command' && find(view.session.notebook, place) ? { ...otherwise, target } : otherwise;
}

/** The return with which the next prompt begins, if it is an earlier one that was edited. */
export class RewindModel {
  private _wanted: Rewind | null = null;
  /** The kernel is asked whether there is one. */
  private _asked: PromiseDelegate<void> | null = null;

  constructor(
    private readonly _timeline: TimelineModel,
    private readonly _state: () => State,
    private readonly _changed: () => void
  ) {}

  get wanted(): Rewind | null {
    return this._wanted;
  }

  /** Whether the kernel is asked for one: it answers when the cell that runs has ended. */
  get isAsking(): boolean {
    return this._asked !== null;
  }

  /** The prompt of a turn is edited, or of none. Where nothing of it was accepted the kernel has a moment there once it is asked for. */
  edit(turn: FullTurn | null): void {
    this._asked?.resolve(); // nobody waits for another prompt's
    this._asked = null;
    this._wanted = turn && rewindBefore(this._state(), turn);
    if (!turn) {
      return;
    }
    if (this._wanted) {
      this._timeline.look(this._wanted.moment);
    } else if (conversationTurns(this._state()).at(-1)?.id !== turn.id) {
      this._asked = new PromiseDelegate();
      void this._add(turn, this._asked);
    }
  }

  /** The return, when it is known whether there is one. */
  async settled(): Promise<Rewind | null> {
    await this._asked?.promise;
    return this._wanted;
  }

  private async _add(turn: FullTurn, asked: PromiseDelegate<void>): Promise<void> {
    const isThere = await this._timeline.before(turn.id);
    if (this._asked === asked) {
      this._asked = null;
      this._wanted = isThere ? rewindBefore(this._state(), turn) : null;
      this._changed();
    }
    asked.resolve();
  }
}
