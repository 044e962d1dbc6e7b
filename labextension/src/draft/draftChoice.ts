// Choice of draft mode for a notebook, kept in this tab.

import type { NotebookSession } from '../notebookSession';

/** Session storage lives as long as the tab; a notebook can't write there, so it can't choose for its reader. */
const KEY = 'spark-jupyter:drafts:';

/** Whether the user wants drafts in this notebook, also after its kernel was restarted. */
export function draftsHere(path: string): boolean {
  return window.sessionStorage.getItem(KEY + path) === 'yes';
}

/** Whether code is drafted for what is typed in that notebook. */
export function draftsOn(session: NotebookSession | undefined): boolean {
  return session?.store.state.hello?.drafts ?? false;
}

/** Switch draft mode of a notebook; its next kernel is told, too. */
export function switchDrafts(session: NotebookSession, on: boolean): void {
  if (on) {
    window.sessionStorage.setItem(KEY + session.context.path, 'yes');
  } else {
    window.sessionStorage.removeItem(KEY + session.context.path);
  }
  void session.transport.send({ type: 'SwitchDrafts', on });
}
