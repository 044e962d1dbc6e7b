// Drafts of prompts, kept in the tab by the notebook's path.

import type { NotebookView } from '../notebookView';

const DRAFTS_KEY = 'spark-jupyter:draft:';

/** The words that were typed for a notebook and not sent; they outlive a reload. */
export function draftOf(view: NotebookView | null): string {
  return window.sessionStorage.getItem(draftKey(view)) ?? '';
}

/** Keep the words; empty: none. */
export function keepDraft(view: NotebookView | null, text: string): void {
  if (text) {
    window.sessionStorage.setItem(draftKey(view), text);
  } else {
    window.sessionStorage.removeItem(draftKey(view));
  }
}

function draftKey(view: NotebookView | null): string {
  return DRAFTS_KEY + (view?.session.context.path ?? '');
}
