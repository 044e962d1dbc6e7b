// Unique ids for requests to the kernel.

import { UUID } from '@lumino/coreutils';

/** A name that nothing else has; `kind` is the letter that it begins with. */
export function newId(kind: 'd' | 'i' | 'n' | 'r' | 's' | 't'): string {
  return kind + UUID.uuid4().replace(/-/g, '').slice(0, 12);
}
