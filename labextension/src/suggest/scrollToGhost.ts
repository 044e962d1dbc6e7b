// Scrolls so that ghost text of several lines is in view.

import type { EditorView } from '@codemirror/view';

/** Scroll, with the frame that shows the lines below the cursor's, as little as brings them into sight; the cursor's own stays in it. */
export function bringIntoSight(view: EditorView): void {
  view.requestMeasure({
    key: bringIntoSight,
    read: () => {
      const lines = view.dom.querySelector('div.spark-Ghost');
      const cursor = view.coordsAtPos(view.state.selection.main.head);
      const scroller = lines && scrollerOf(view.dom);
      if (!lines || !cursor || !scroller) {
        return null;
      }
      const seen = scroller.getBoundingClientRect();
      const hidden = lines.getBoundingClientRect().bottom - seen.bottom;
      return { scroller, by: Math.min(hidden, cursor.top - seen.top) };
    },
    write: found => {
      if (found && found.by > 0) {
        found.scroller.scrollTop += Math.ceil(found.by);
      }
    }
  });
}

function scrollerOf(element: Element): Element | null {
  const above = element.parentElement;
  const scrolls = above && above.scrollHeight > above.clientHeight && /auto|scroll/.test(getComputedStyle(above).overflowY);
  return scrolls || !above ? above : scrollerOf(above);
}
