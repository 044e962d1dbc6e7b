// Answer of a turn in words: notes, offers, reason of failure.

import type { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import * as React from 'react';
import { Button } from '../button';
import { toldSentences } from '../kernelTexts';
import { isRefusal, promptOffers, withoutOffers } from '../promptOffers';
import type { FullTurn } from '../state';
import { Notes } from './notes';
import { t } from '../translation';

interface TurnAnswerProps {
  readonly turn: FullTurn;
  readonly rendermime: IRenderMimeRegistry;
  /** Put a prompt into the box, to go where the turn's went. */
  readonly reuse: (prompt: string, turn: FullTurn) => void;
  /** Open the form that connects a model; null where that would not help. */
  readonly connect: (() => void) | null;
}

export function TurnAnswer({ turn, rendermime, reuse, connect }: TurnAnswerProps): React.JSX.Element {
  const offers = turn.outcome === null ? [] : promptOffers(turn.notes);
  return (
    <>
      {turn.notes.trim() && <Notes text={toldSentences(withoutOffers(turn.notes, connect !== null))} rendermime={rendermime} />}
      {offers.length > 0 && (
        <div className="spark-Ideas" role="group" aria-label={t('Prompts to try instead')}>
          {offers.map(words => (
            <button key={words} type="button" className="spark-Idea" title={t('Put this into the box')} onClick={() => reuse(words, turn)}>
              {words}
            </button>
          ))}
        </div>
      )}
      {connect && isRefusal(turn) && (
        <Button label={t('Connect a model…')} title={t('The recipes have no answer; a language model may')} className="spark-Turn-connect" onClick={connect} />
      )}
      {turn.reason && <div className="spark-Turn-reason">{toldSentences(turn.reason)}</div>}
    </>
  );
}
