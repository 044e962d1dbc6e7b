// Test whether an element can be seen within another that scrolls.

/** Whether some of a node is on the screen within another one. A notebook takes cells that are far away out of the page. */
export function isInSight(node: Element | undefined, within: Element): boolean {
  if (!node?.isConnected) {
    return false;
  }
  const { top, bottom } = node.getBoundingClientRect();
  const frame = within.getBoundingClientRect();
  return Math.min(bottom, frame.bottom) > Math.max(top, frame.top);
}
