// Metadata mark of a cell whose proposal is pending.
//
// Programs that run the file without Spark skip such a cell by its tag.

import type { ISharedCell } from '@jupyter/ydoc';
import { isObject } from './validate';
import { METADATA_KEY } from './constants';

/** nbclient, and with it `jupyter execute`, nbconvert and papermill, leaves a cell with this tag alone (`skip_cells_with_tag`). */
const LEFT_ALONE = 'skip-execution';

/** Whether a cell says that it waits for a decision. */
export function isProposed(cell: ISharedCell): boolean {
  const said = cell.getMetadata(METADATA_KEY) as unknown;
  return isObject(said) && said.proposed === true;
}

/**
 * Until it is decided; also where this page or its kernel goes before that. `life` is the one of the extension that proposes it: as long
 * as that lives, it alone knows how the proposal stands.
 */
export function markProposed(cell: ISharedCell, life = ''): void {
  cell.setMetadata(METADATA_KEY, { proposed: true, ...(life ? { life, cell: cell.id } : {}) });
  cell.setMetadata('tags', [...tagsOf(cell).filter(tag => tag !== LEFT_ALONE), LEFT_ALONE]);
}

/** Whether the extension of that `life` has proposed this very cell, and not one of which it is a copy. */
export function isProposedBy(cell: ISharedCell, life: string): boolean {
  return life !== '' && lifeIn(cell) === life;
}

/** The life of the extension that has proposed this very cell; empty where that is not known, as for a copy. */
export function lifeIn(cell: ISharedCell): string {
  const said = cell.getMetadata(METADATA_KEY) as unknown;
  return isObject(said) && typeof said.life === 'string' && said.cell === cell.id ? said.life : '';
}

/** It was decided on: from now on it runs wherever its notebook does. What else it says of itself is its keeper's. */
export function markDecided(cell: ISharedCell): void {
  if (isProposed(cell)) {
    const tags = tagsOf(cell).filter(tag => tag !== LEFT_ALONE);
    if (tags.length > 0) {
      cell.setMetadata('tags', tags);
    } else {
      cell.deleteMetadata('tags');
    }
  }
}

function tagsOf(cell: ISharedCell): string[] {
  const tags = cell.getMetadata('tags') as unknown;
  return Array.isArray(tags) ? tags.filter((tag): tag is string => typeof tag === 'string') : [];
}
