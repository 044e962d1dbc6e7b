// Undo of the last run, as a command with a notification.

import { Dialog, Notification, showDialog } from '@jupyterlab/apputils';
import type { ISharedCodeCell } from '@jupyter/ydoc';
import { UNDO, UNDO_PARTLY } from './constants';
import { runMagic } from './runMagic';
import { statusMessage } from './statusMessage';
import type { NotebookSession } from './notebookSession';
import { t } from './translation';
import { toldSentences } from './kernelTexts';

/** Characters of a notification that JupyterLab shows. */
const SHOWN = 140;
/** Milliseconds for which it stands that all went well. */
const STANDS = 10000;
/** Milliseconds after which it is said that it takes a while. */
const TAKES_A_WHILE = 300;
/** Looks at whether a notification is drawn by now, at most, and milliseconds between two. */
const LOOKS = 100;
const LOOKS_EVERY = 50;
/** Which run the kernel has undone, in what it says of that. */
const UNDONE = /^Undid the run of \[(\d+)\]/;

let last = '';

/** Have the kernel bring back what the last cell changed, and tell the user. `partly`: also where not all of it can come back. */
export async function undoLastRun(session: NotebookSession, { partly = false } = {}): Promise<void> {
  const { transport, context } = session;
  Notification.dismiss(last);
  const { session: connection } = context.sessionContext;
  const isBusy = connection?.kernel?.status === 'busy';
  const message = isBusy ? t('The run is undone when the running cell ends…') : t('Undoing the last run…');
  last = '';
  const timer = window.setTimeout(() => (last = Notification.emit(message, 'in-progress', { autoClose: false })), TAKES_A_WHILE);
  await transport.attach({ load: true });
  const kernel = connection?.kernel;
  const { ok, text } =
    kernel && transport.status === 'ready'
      ? await runMagic(kernel, partly ? UNDO_PARTLY : UNDO)
      : { ok: false, text: statusMessage(transport, session.store.state) ?? '' };
  window.clearTimeout(timer);
  forgetRun(session, ok ? text : '');
  const actions = [
    ...(!partly && text.includes(UNDO_PARTLY) ? [{ label: t('Restore the rest'), callback: () => void undoLastRun(session, { partly: true }) }] : []),
    ...(text.length > SHOWN ? [{ label: t('Show all'), callback: () => void show(said) }] : [])
  ];
  const said = toldSentences(text) || t('The run was not undone.');
  const options = { autoClose: ok && actions.length === 0 ? STANDS : (false as const), actions };
  const type = ok ? 'info' : 'warning';
  if (last) {
    const id = last;
    await drawn(id);
    Notification.update({ id, message: said, type, ...options });
  } else {
    last = Notification.emit(said, type, options);
  }
}

/** Have the cell whose run was undone look as one that has not run; its output stays, without the number. Where cells that an earlier kernel ran have that
 * number too, nobody can tell which it was. */
function forgetRun({ notebook }: NotebookSession, text: string): void {
  const number = Number(UNDONE.exec(text)?.[1]);
  const [cell, ...others] = notebook.cells.filter((one): one is ISharedCodeCell => one.cell_type === 'code' && (one as ISharedCodeCell).execution_count === number);
  if (cell && others.length === 0) {
    cell.execution_count = null;
    cell.setOutputs(cell.getOutputs().map(output => ('execution_count' in output ? { ...output, execution_count: null } : output)));
  }
}

/** Wait until JupyterLab has drawn a notification: one that changes before stays as it was. One that was closed or is not to be seen is waited for in vain. */
async function drawn(id: string): Promise<void> {
  for (let look = 0; look < LOOKS && !document.getElementById(id); look++) {
    await new Promise(resolve => window.setTimeout(resolve, LOOKS_EVERY));
  }
}

async function show(text: string): Promise<void> {
  await showDialog({ title: t('Undo of the last run'), body: text, buttons: [Dialog.okButton({ label: t('Close') })] });
}
