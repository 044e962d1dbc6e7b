// Name of another person, with their colour in this server.

import * as React from 'react';
import type { Person } from './messages';
import { isAnothers } from './selectors';
import type { FullTurn } from './state';

/** Who a turn is of, where that is not `me`; nothing for one's own. */
export function AuthorName({ turn, me }: { turn: Pick<FullTurn, 'by'>; me: Person | null }): React.JSX.Element | null {
  return turn.by && isAnothers(turn, me?.id) ? (
    <span className="spark-Person" style={{ borderColor: turn.by.color || undefined }}>
      {turn.by.name || turn.by.id}
    </span>
  ) : null;
}

/** Name of an agent, in one of JupyterLab's colours for collaborators: the same one for the same name. */
export function AgentName({ name }: { name: string }): React.JSX.Element {
  const sum = [...name].reduce((total, letter) => total + (letter.codePointAt(0) ?? 0), 0);
  return (
    <span className="spark-Person" style={{ borderColor: `var(--jp-collaborator-color${(sum % 7) + 1})` }}>
      {name}
    </span>
  );
}
