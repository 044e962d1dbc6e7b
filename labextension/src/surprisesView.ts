// What a Try did to the data that a person wants to know first. It leads the footer; Accept is not the first thing to do then.

import { h, withCode } from './dom';
import type { Surprise } from './messages';

/** The surprises as a list that can have the focus. */
export function surprisesView(surprises: readonly Surprise[]): HTMLElement {
  return h('ul', { class: 'spark-Surprises', 'aria-label': 'Surprises', tabindex: -1 }, ...surprises.map(surpriseItem));
}

function surpriseItem({ message, remedy, rule }: Surprise): HTMLElement {
  return h(
    'li',
    { class: 'spark-Surprise', 'data-rule': rule },
    h('span', { class: 'spark-Surprise-kind' }, 'Surprise:'),
    ' ',
    ...withCode(message),
    remedy && h('span', { class: 'spark-Surprise-remedy' }, ' ', ...withCode(remedy))
  );
}
