// Commands to deep work of one kernel.
//
// Its state is in the store.

import type { ISharedNotebook } from '@jupyter/ydoc';
import { notebookCells } from './notebookCells';
import { newId } from './ids';
import type { BeginDeep, ChooseDeep, DirectDeep, Target } from './messages';
import { turnOf } from './selectors';
import type { State } from './state';
import type { Store } from './store';
import type { Transport } from './transport';

/** What is used of a notebook's session. */
interface Session {
  readonly store: Store;
  readonly transport: Transport;
  readonly notebook: ISharedNotebook;
}

/** What one is begun with beside its text. */
export interface DeepOptions {
  readonly target?: Target;
  readonly active?: string | null;
  /** The turn whose answer it takes on. */
  readonly handsUp?: string;
  readonly images?: BeginDeep['images'];
  /** How long each answer may take, at a lower price. */
  readonly within?: BeginDeep['within'];
}

/** Who is to do deep work; null: as it is. */
export interface GearWish extends Pick<ChooseDeep, 'model' | 'profile' | 'effort' | 'tier'> {
  readonly minutes: number;
}

/** What the panel and the commands say to deep work. */
export class DeepWorkCommands {
  constructor(private readonly session: Session) {}

  /** Begin one; it works in the background. */
  async begin(text: string, { target = {}, active = null, handsUp, images = [], within = '' }: DeepOptions = {}): Promise<void> {
    const cells = notebookCells(this.session.notebook);
    await this.session.transport.send({ type: 'BeginDeep', work_id: newId('t'), text, target, active, cells, hands_up: handsUp ?? null, images, within });
  }

  /** Hand the answer of a turn to the deep model; `text` says what is wrong with it. */
  async handUp(turnId: string, text = ''): Promise<void> {
    const turn = turnOf(this.session.store.state, turnId);
    if (turn) {
      const last = this.session.store.state.all.findLast(one => one.turn_id === turnId && one.kind === 'insert');
      const target = last ? { after: last.cell_id } : turn.target;
      await this.begin(text && `${turn.prompt}\n${text}`, { target, handsUp: turnId });
    }
  }

  steer(workId: string, text: string): void {
    void this.session.transport.send({ type: 'SteerDeep', work_id: workId, text });
  }

  /** The plan is these lines now: a step each, and what must hold at the end. */
  editPlan(workId: string, lines: readonly string[]): void {
    void this.session.transport.send({ type: 'EditPlan', work_id: workId, ...planOf(lines) });
  }

  direct(workId: string, what: DirectDeep['what']): void {
    const cells = what === 'go-on' ? notebookCells(this.session.notebook) : null;
    void this.session.transport.send({ type: 'DirectDeep', work_id: workId, what, cells });
  }

  /** Who does deep work from now on, for so many `minutes` at most (0: as many as now). A `profile` is another provider than that of turns. */
  choose({ minutes, ...who }: GearWish): void {
    const known = this.session.store.state.hello?.deep.budget ?? {};
    const budget = minutes > 0 ? { ...known, seconds: Math.min(minutes * 60, 86_400) } : null;
    void this.session.transport.send({ type: 'ChooseDeep', ...who, budget });
  }

  /** Tell the kernel of those that it does not know. */
  restore({ deep, orphans }: State): void {
    const works = [...deep.values()].filter(work => orphans.has(work.id));
    if (works.length > 0) {
      void this.session.transport.send({ type: 'RestoreDeep', works });
    }
  }
}

/** What lines say of a plan: a line that begins with `assert` is what must hold at the end, any other one a step. */
export function planOf(lines: readonly string[]): { readonly steps: readonly string[]; readonly checks: readonly string[] } {
  const said = lines.map(line => line.replace(/^\s*\d+[.)]\s*/, '').trim()).filter(Boolean);
  const isCheck = (line: string) => /^assert\b/.test(line);
  return { steps: said.filter(line => !isCheck(line)), checks: said.filter(isCheck) };
}
