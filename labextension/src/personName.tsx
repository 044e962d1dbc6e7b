// Name of another person, with their colour in this server.

import * as React from 'react';
import type { Person } from './messages';
import { isAnothers } from './selectors';
import type { FullTurn } from './state';

/** Who a turn is of, where that is not `me`; nothing for one's own. */
export function AuthorName({ turn, me }: { turn: Pick<FullTurn, 'by'>; me: Person | null }): React.JSX.Element | null {
  return turn.by && isAnothers(turn, me?.id) ? <Name colour={turn.by.color || undefined} name={turn.by.name || turn.by.id} /> : null;
}

/** Name of an agent, in one of JupyterLab's colours for collaborators: the same one for the same name. */
export function AgentName({ name }: { name: string }): React.JSX.Element {
  const sum = [...name].reduce((total, letter) => total + (letter.codePointAt(0) ?? 0), 0);
  return <Name colour={`var(--jp-collaborator-color${(sum % 7) + 1})`} name={name} />;
}

/** The blank behind it parts it from the prompt for who hears both read. */
function Name({ colour, name }: { colour: string | undefined; name: string }): React.JSX.Element {
  return (
    <>
      <span className="spark-Person" style={{ borderColor: colour }}>
        {name}
      </span>{' '}
    </>
  );
}
