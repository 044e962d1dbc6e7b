// Edit of an earlier prompt: return to before it, with a preview.

import { closeIcon } from '@jupyterlab/ui-components';
import * as React from 'react';
import { Button } from '../button';
import type { Target } from '../messages';
import type { NotebookView } from '../notebookView';
import { plain } from '../plainText';
import { find } from '../sharedModel';
import type { FullTurn, State } from '../state';
import { t } from '../translation';
import type { Destination } from './destination';
import type { PanelModel } from './panelModel';
import { Changes } from './timeline';
import { toldSentences } from '../kernelTexts';

/** A return that the next prompt begins with. */
export interface Rewind {
  readonly moment: number;
  /** The name of what is left. */
  readonly branch: string;
  /** Where the cells of the turn went. */
  readonly target: Target;
}

/** Words of a prompt that name its branch. */
const WORDS = 4;

/** The return to before a turn; null where its cells were not accepted, so that there is nothing to leave. */
export function rewindBefore({ moments }: State, { id, prompt, target }: FullTurn): Rewind | null {
  const moment = moments.find(one => one.turn_id === id);
  const words = prompt.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  const name = ['branch', ...words.slice(0, WORDS)].join('-');
  const isTaken = (branch: string) => moments.some(one => one.name === branch);
  let branch = name;
  for (let number = 2; isTaken(branch); number += 1) {
    branch = `${name}-${number}`;
  }
  return moment ? { moment: moment.id, branch, target } : null;
}

/** The place of the earlier turn, where that is there again. */
export function placeOf({ target }: Rewind, view: NotebookView, otherwise: Destination): Destination {
  const place = target.edit ?? target.after;
  return place && otherwise.kind !== 'command' && find(view.session.notebook, place) ? { ...otherwise, target } : otherwise;
}

/** What sending would leave, above the prompt that is edited. */
export function RewindNote({ model }: { model: PanelModel }): React.JSX.Element | null {
  const { rewind, state, view, timeline } = model;
  if (!rewind || !state || !view) {
    return null;
  }
  const preview = state.preview?.moment_id === rewind.moment ? state.preview : null;
  return (
    <div className="spark-Rewind" role="group" aria-label={t('Edit an earlier prompt')}>
      <div className="spark-Rewind-head">
        <span>{t('Sending goes back to before this prompt. What followed it stays as %1 in the timeline.', rewind.branch)}</span>
        <Button label={t('Leave nothing: ask this at the end')} icon={closeIcon} iconOnly onClick={() => model.askAtEnd()} />
      </div>
      {timeline.problem && <div role="alert">{toldSentences(plain(timeline.problem))}</div>}
      {preview ? (
        <details>
          <summary>{t('What changes')}</summary>
          <Changes moment={rewind.moment} preview={preview} view={view} />
        </details>
      ) : (
        timeline.isBusy && <div role="status">{t('Comparing; it waits for the cell that runs…')}</div>
      )}
    </div>
  );
}
