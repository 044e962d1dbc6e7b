// The person at this page, as Jupyter Server knows them.

import type { User } from '@jupyterlab/services';
import type { Person } from './messages';

/** Who the server's `/api/me` says is here; null before it has answered. */
export function personOf(identity: User.IIdentity | null): Person | null {
  return identity ? { id: identity.username, name: identity.display_name || identity.name, color: identity.color ?? '' } : null;
}

/** A person's name for a file. A server without accounts gives each browser a number and a name by chance: these say nothing there. */
export function lastingName(person: Person | null): string {
  return person && !/^[0-9a-f]{32}$/.test(person.id) ? person.name || person.id : '';
}
