// Hook for a page that is about to be closed or reloaded.
//
// When a page hides, its socket is about to be torn down and what is sent then may be lost. So the hook runs before, when the page is
// asked whether it may go; where the user stays after all, a second callback says so.

import { DisposableDelegate, type IDisposable } from '@lumino/disposable';

/** Milliseconds: a page that is still there so long after it was to be left was not left. */
const STAYED = 1000;
/** Milliseconds that a page is held so that its last words get out. */
const LINGER = 50;

/** `leave` says the last words, and whether there were any; `stayed` is called where the page is still there after them. */
export function onPageUnload(leave: () => boolean, stayed: () => void): IDisposable {
  const beforeUnload = () => {
    if (leave()) {
      linger();
      window.setTimeout(stayed, STAYED);
    }
  };
  const pageHide = () => void leave();
  window.addEventListener('beforeunload', beforeUnload);
  window.addEventListener('pagehide', pageHide);
  return new DisposableDelegate(() => {
    window.removeEventListener('beforeunload', beforeUnload);
    window.removeEventListener('pagehide', pageHide);
  });
}

/** Hold the page. What was just sent is read by another process of the browser, and a page that goes at once takes it along unread. */
function linger(): void {
  const end = performance.now() + LINGER;
  while (performance.now() < end);
}
