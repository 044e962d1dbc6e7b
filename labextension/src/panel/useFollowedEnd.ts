// React hook that keeps the end of a list in view.

import * as React from 'react';

/** Pixels from the end within which the list follows what is added. */
const NEAR_END = 60;

interface FollowedEnd<T extends HTMLElement> {
  readonly list: React.RefObject<T>;
  readonly onScroll: (event: React.UIEvent) => void;
}

/** The end stays in view unless the user has scrolled away from it; a change of `restarts` brings it back. */
export function useFollowedEnd<T extends HTMLElement>(restarts: React.DependencyList): FollowedEnd<T> {
  const list = React.useRef<T>(null);
  const following = React.useRef(true);
  const width = React.useRef(0);
  React.useEffect(() => {
    following.current = true;
  }, restarts);
  React.useEffect(() => {
    const node = list.current;
    if (!node) {
      return;
    }
    // Notes are rendered later than the list, so the DOM itself is watched.
    const follow = () => {
      width.current = node.clientWidth;
      if (following.current) {
        node.scrollTop = node.scrollHeight;
      }
    };
    const observer = new MutationObserver(follow);
    observer.observe(node, { childList: true, subtree: true, characterData: true });
    const sizes = new ResizeObserver(follow); // a panel that is opened, and what stands above and below the list
    sizes.observe(node);
    follow();
    return () => {
      observer.disconnect();
      sizes.disconnect();
    };
  }, []);
  const onScroll = ({ currentTarget: { scrollHeight, scrollTop, clientHeight, clientWidth } }: React.UIEvent) => {
    if (clientWidth === width.current) { // or the browser scrolls for lines that are broken anew
      following.current = scrollHeight - scrollTop - clientHeight < NEAR_END;
    }
  };
  return { list, onScroll };
}
