// Consent to what is on the screen alone.

import type { NotebookView } from './notebookView';

/** Do what says yes about a cell, where it is on the screen; else go there first: nobody says yes to what they do not see. */
export async function whenSeen(view: NotebookView, cellId: string, agree: () => void | Promise<void>): Promise<void> {
  const isSeen = isInSight(view.cell(cellId)?.node, view.panel.content.node);
  await (isSeen ? agree() : view.goTo(cellId, { decide: true }));
}

/** Whether some of a node is on the screen within another one. A notebook takes cells that are far away out of the page. */
function isInSight(node: Element | undefined, within: Element): boolean {
  if (!node?.isConnected) {
    return false;
  }
  const { top, bottom } = node.getBoundingClientRect();
  const frame = within.getBoundingClientRect();
  return Math.min(bottom, frame.bottom) > Math.max(top, frame.top);
}
