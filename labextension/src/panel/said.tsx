// What a turn said in words: its notes, what could be asked instead, and why it ended where it failed. In the panel, and at a cell.

import type { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import * as React from 'react';
import { offered, withoutOffers } from '../offered';
import type { FullTurn } from '../state';
import { Notes } from './notes';

interface SaidProps {
  readonly turn: FullTurn;
  readonly rendermime: IRenderMimeRegistry;
  /** Put a prompt into the box. */
  readonly reuse: (prompt: string) => void;
}

export function Said({ turn, rendermime, reuse }: SaidProps): React.JSX.Element {
  const offers = turn.outcome === null ? [] : offered(turn.notes);
  return (
    <>
      {turn.notes.trim() && <Notes text={withoutOffers(turn.notes)} rendermime={rendermime} />}
      {offers.length > 0 && (
        <div className="spark-Ideas" role="group" aria-label="What could be asked instead">
          {offers.map(words => (
            <button key={words} type="button" className="spark-Idea" title="Put this into the box" onClick={() => reuse(words)}>
              {words}
            </button>
          ))}
        </div>
      )}
      {turn.reason && <div className="spark-Turn-reason">{turn.reason}</div>}
    </>
  );
}
