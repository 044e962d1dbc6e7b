// Model of the timeline: moments, and the way back to one.

import { InputDialog } from '@jupyterlab/apputils';
import type { NotebookSession } from '../notebookSession';
import { runMagic } from '../runMagic';
import { statusMessage } from '../statusMessage';
import { t } from '../translation';

/** A name as `%spark save` takes it. */
const NAME = /^(?!\d+$)(?!cell$)[^\s#-]\S*$/;

/** A turn's id as it may stand in a line that is run: other clients make them. */
const TURN = /^[\w-]+$/;

/** Milliseconds for which the page's cells are waited for, once the kernel has gone back. */
const CELLS_PATIENCE = 5000;

/** What is done with the kernel's moments. */
export class TimelineModel {
  private _isOpen = false;
  private _selected: number | null = null;
  private _isBusy = false;
  private _problem = '';
  private _asked: Promise<boolean> = Promise.resolve(true);

  constructor(
    private readonly _session: () => NotebookSession | null,
    private readonly _changed: () => void
  ) {}

  /** Whether the moments are shown in place of the turns. */
  get isOpen(): boolean {
    return this._isOpen;
  }

  /** The moment that is looked at. */
  get selected(): number | null {
    return this._selected;
  }

  /** Whether the kernel is being asked. */
  get isBusy(): boolean {
    return this._isBusy;
  }

  /** What the kernel objects to. */
  get problem(): string {
    return this._problem;
  }

  /** Show the moments, or the turns again. */
  toggle(open = !this._isOpen): void {
    this._isOpen = open;
    this._selected = null;
    this._problem = '';
    this._changed();
  }

  /** Show one of them, with what a return to it would change. */
  async show(moment: number): Promise<void> {
    this._isOpen = true;
    this._selected = moment;
    await this._ask(`%spark back #${moment}`);
  }

  hide(): void {
    this._selected = null;
    this._changed();
  }

  /** Have the kernel add the moment before a turn that was not accepted; whether it knows one. */
  async before(turn: string): Promise<boolean> {
    while (this._isBusy) {
      await this._asked;
    }
    const known = TURN.test(turn) && (await this._ask(`%spark back #${turn}`));
    if (known) {
      await this._session()?.store.until(({ moments }) => moments.some(one => one.turn_id === turn), CELLS_PATIENCE);
    }
    this._problem = '';
    return known;
  }

  /** Have it said what a return to one of them would change. */
  look(moment: number): void {
    void this._ask(`%spark back #${moment}`);
  }

  /** Go back to one; what is left is a moment, too, of the name `branch` if there is one. Whether it went well, and the cells are there. */
  async go(moment: number, branch = ''): Promise<boolean> {
    await this._asked;
    const store = this._session()?.store;
    const before = store?.state.cameBack;
    const went = await this._ask(`%spark back #${moment} --yes${branch && ` --branch ${branch}`}`);
    if (went) {
      await store?.until(({ cameBack }) => cameBack !== before, CELLS_PATIENCE);
      await Promise.resolve(); // the cells are brought back behind the state
      this.toggle(false);
    }
    return went;
  }

  /** Keep the present moment under a name that the user gives. */
  async save(): Promise<void> {
    const { value } = await InputDialog.getText({ title: t('Name of this moment'), placeholder: t('before-cleaning'), okLabel: t('Save') });
    const name = value?.trim().replace(/\s+/g, '-') ?? '';
    if (NAME.test(name)) {
      await this._ask(`%spark save ${name}`);
    } else if (name) {
      this._problem = t('Give the moment a name that is not a number.');
      this._changed();
    }
  }

  /** Run a magic; whether it went well. */
  private _ask(code: string): Promise<boolean> {
    return this._isBusy ? Promise.resolve(false) : (this._asked = this._run(code));
  }

  private async _run(code: string): Promise<boolean> {
    const session = this._session();
    if (!session) {
      return false;
    }
    this._isBusy = true;
    this._problem = '';
    this._changed();
    await session.transport.attach({ load: true });
    const kernel = session.context.sessionContext.session?.kernel;
    const { ok, text } =
      kernel && session.transport.status === 'ready'
        ? await runMagic(kernel, code).catch(() => ({ ok: false, text: t('The kernel did not answer.') }))
        : { ok: false, text: statusMessage(session.transport, session.store.state) ?? '' };
    this._isBusy = false;
    this._problem = ok ? '' : text;
    this._changed();
    return ok;
  }
}
