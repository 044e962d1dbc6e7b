// Id of this tab for one document, stable over a reload.

import { UUID } from '@lumino/coreutils';
import { contentHash } from './hash';

/** Names this document in this tab. Kept over a reload, so that the kernel knows the tab again; never shared by two tabs. */
export function clientId(path: string): string {
  return `${tabId()}-${contentHash(path).slice(0, 8)}`;
}

const TAB_KEY = 'spark-jupyter:tab';
let tab = '';

function tabId(): string {
  if (!tab) {
    tab = window.sessionStorage.getItem(TAB_KEY) ?? UUID.uuid4();
    // A duplicated tab gets a copy of the storage: the id lies there only while no page has it.
    window.sessionStorage.removeItem(TAB_KEY);
    window.addEventListener('pagehide', () => window.sessionStorage.setItem(TAB_KEY, tab));
    window.addEventListener('pageshow', () => window.sessionStorage.removeItem(TAB_KEY));
  }
  return tab;
}
