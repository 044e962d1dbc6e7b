// React hook that renders before the input event ends.

import * as React from 'react';

/**
 * Makes handlers after which their component is drawn at once. Of a box that shows what the model holds React puts back what it drew last, where
 * nothing is drawn before the event ends: the caret would go to the end, what an input method composes would be lost, a tick would vanish for
 * a moment.
 */
export function useSyncRender(): <E>(handle: (event: E) => void) => (event: E) => void {
  const [, draw] = React.useReducer((count: number) => count + 1, 0);
  return handle => event => {
    handle(event);
    draw();
  };
}
