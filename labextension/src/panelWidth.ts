// Width of the side panel at its first opening.

import { SplitPanel, type Widget } from '@lumino/widgets';

/** Pixels. JupyterLab opens a side panel so narrow that everything in it wraps. */
const WIDTH = 360;
/** Pixels: a panel that is at least so wide was made so by the user. */
const NARROW = 300;
const KEY = 'spark-jupyter:panel-width';

/** Make the panel wide enough, once in this browser: what the user makes of it afterwards stays. */
export function widenOnce(panel: Widget): void {
  const { split, child } = splitAround(panel);
  if (!split || !child || !panel.isVisible || window.localStorage.getItem(KEY) !== null) {
    return;
  }
  window.localStorage.setItem(KEY, String(WIDTH));
  const sizes = split.relativeSizes();
  const own = split.widgets.indexOf(child);
  const total = split.node.clientWidth;
  const wanted = WIDTH / total;
  if (child.node.clientWidth < NARROW && total > 3 * WIDTH) {
    const others = sizes.reduce((sum, size, n) => sum + (n === own || split.widgets[n].isHidden ? 0 : size), 0);
    split.setRelativeSizes(sizes.map((size, n) => (n === own ? wanted : (size / others) * (1 - wanted))));
  }
}

/** The horizontal split that a widget is in, and the part of it that holds the widget. */
function splitAround(widget: Widget): { split: SplitPanel | null; child: Widget | null } {
  let child: Widget = widget;
  for (let parent = widget.parent; parent; parent = parent.parent) {
    if (parent instanceof SplitPanel && parent.orientation === 'horizontal') {
      return { split: parent, child };
    }
    child = parent;
  }
  return { split: null, child: null };
}
