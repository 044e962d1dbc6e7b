// Timeline in the panel: moments, and what a return would change.

import { undoIcon } from '@jupyterlab/ui-components';
import * as React from 'react';
import { Button } from '../button';
import { told, toldSentences } from '../kernelTexts';
import type { MomentInfo, MomentPreview, VariableChange } from '../messages';
import type { NotebookView } from '../notebookView';
import { plain } from '../plainText';
import { streamingTurn } from '../selectors';
import type { State } from '../state';
import type { TimelineModel } from './timelineModel';
import { language, t } from '../translation';

/** Variables that are listed one by one. */
const MOST_SHOWN = 12;

/** The moments, the youngest first. */
export function Timeline({ timeline, state, view }: { timeline: TimelineModel; state: State; view: NotebookView }): React.JSX.Element {
  const moments = state.moments.toReversed();
  const lost = moments.filter(one => one.variables === 'lost');
  return (
    <section className="spark-Timeline" aria-label={t('Timeline')} onKeyDown={event => event.key === 'Escape' && timeline.toggle(false)}>
      <div className="spark-Timeline-head">
        <span>{t('Go back to a moment: cells, variables and conversation')}</span>
        <Button label={t('Save this moment…')} title={t('Keep it under a name')} disabled={timeline.isBusy} onClick={() => void timeline.save()} />
      </div>
      {timeline.problem && <div className="spark-Review-problem" role="alert">{toldSentences(plain(timeline.problem))}</div>}
      {moments.length === 0 && <p>{t('There is no moment yet: the next run makes one.')}</p>}
      {[...new Set(lost.map(({ why = '' }) => why))].map(why => (
        <p key={why} className="spark-Timeline-lost">
          {t('%1 of %2 moments are without variables.', lost.filter(one => (one.why ?? '') === why).length, moments.length)} {toldSentences(plain(why))}
        </p>
      ))}
      <ol aria-label={t('Moments')}>
        {moments.map(moment => (
          <Item key={moment.id} moment={moment} timeline={timeline} state={state} view={view} />
        ))}
      </ol>
    </section>
  );
}

interface ItemProps {
  readonly moment: MomentInfo;
  readonly timeline: TimelineModel;
  readonly state: State;
  readonly view: NotebookView;
}

function Item({ moment, timeline, state, view }: ItemProps): React.JSX.Element {
  const isShown = timeline.selected === moment.id;
  const when = new Date(moment.at * 1000);
  return (
    <li className="spark-Moment" data-kind={moment.name ? 'named' : moment.turn_id ? 'turn' : 'run'} aria-current={isShown || undefined}>
      <button
        type="button"
        className="spark-Moment-open"
        aria-expanded={isShown}
        title={t('Show what going back would change')}
        onClick={() => (isShown ? timeline.hide() : void timeline.show(moment.id))}
      >
        <time dateTime={when.toISOString()}>{when.toLocaleTimeString(language(), { timeStyle: 'medium' })}</time>
        <span className="spark-Moment-name">{labelOf(moment)}</span>
        <span className="spark-Moment-line">{plain(moment.line ?? '')}</span>
        {moment.variables === 'lost' && <span className="spark-Moment-lost" title={toldSentences(plain(moment.why ?? ''))}>{t('without variables')}</span>}
      </button>
      {isShown && <Preview moment={moment} preview={state.preview?.moment_id === moment.id ? state.preview : null} timeline={timeline} state={state} view={view} />}
    </li>
  );
}

function labelOf({ name, turn_id, number = 0 }: MomentInfo): string {
  return name ? plain(name) : turn_id ? t('before the prompt') : t('before [%1]', number);
}

function Preview({ moment, preview, timeline, state, view }: ItemProps & { preview: MomentPreview | null }): React.JSX.Element {
  if (!preview) {
    return (
      <div className="spark-Moment-preview" role="status">
        {timeline.isBusy ? (
          t('Comparing when the running cell ends…')
        ) : (
          <Button label={t('Show what changes')} onClick={() => void timeline.show(moment.id)} />
        )}
      </div>
    );
  }
  return (
    <div className="spark-Moment-preview" role="status">
      <Changes moment={moment.id} preview={preview} view={view} />
      <Button
        label={timeline.isBusy ? t('Going back…') : t('Go back')}
        title={t('The present state is saved as a moment, so you can return to it')}
        icon={undoIcon}
        primary
        unavailable={streamingTurn(state) ? t('Stop the answer first') : ''}
        disabled={timeline.isBusy}
        onClick={() => void timeline.go(moment.id)}
      />
    </div>
  );
}

/** What a return would change, and what can't come back. */
export function Changes({ moment, preview, view }: { moment: number; preview: MomentPreview; view: NotebookView }): React.JSX.Element {
  const lost = preview.variables === 'lost';
  return (
    <>
      <Lines title={t('Can’t be restored')} lines={staying(preview)} />
      <Lines title={t('Cells')} lines={[cellsText(view, moment)]} />
      {lost ? (
        <Lines title={t('Variables')} lines={[`${t('They are not kept: run the cells that came back.')} ${toldSentences(plain(preview.why ?? ''))}`.trimEnd()]} />
      ) : (
        <Variables preview={preview} />
      )}
      <Lines title={t('Files')} lines={filesBack(preview)} />
      <Lines title={t('Conversation')} lines={[conversationText(preview)]} />
    </>
  );
}

function Lines({ title, lines }: { title: string; lines: readonly string[] }): React.JSX.Element | null {
  return lines.length === 0 ? null : (
    <div>
      <b>{title}</b>
      <ul aria-label={title}>
        {lines.map((line, index) => (
          <li key={index}>{line}</li>
        ))}
      </ul>
    </div>
  );
}

function Variables({ preview }: { preview: MomentPreview }): React.JSX.Element {
  const { back = [], gone = [], parts = [] } = preview;
  const more = back.length - MOST_SHOWN;
  const lines = [
    ...back.slice(0, MOST_SHOWN).map(change),
    ...(more > 0 ? [t('and %1 more', more)] : []),
    ...(gone.length > 0 ? [t('Removed: %1', plain(gone.join(', ')))] : []),
    ...(parts.length > 0 ? [t('Also: %1', parts.map(part => told(plain(part))).join(', '))] : [])
  ];
  return <Lines title={t('Variables')} lines={lines.length > 0 ? lines : [t('No variable has changed')]} />;
}

function change({ name, now, then }: VariableChange): string {
  return plain(`${name}: ${now || t('not there')} → ${then}`);
}

function staying({ stays = [], files = [] }: MomentPreview): string[] {
  return [...stays.map(one => told(plain(one))), ...files.map(file => t('%1 was written and stays', plain(file)))];
}

function filesBack({ files_back = [], files_gone = [] }: MomentPreview): string[] {
  return [...files_back.map(file => t('%1 restored', plain(file))), ...files_gone.map(file => t('%1 removed', plain(file)))];
}

function cellsText(view: NotebookView, moment: number): string {
  const changes = view.session.moments.changes(moment);
  if (!changes) {
    return t('They stay as they are: this page was not open then');
  }
  const { changed, back, gone } = changes;
  const said = [changed > 0 && t('%1 changed back', changed), back > 0 && t('%1 restored', back), gone > 0 && t('%1 removed', gone)].filter(Boolean);
  return said.length > 0 ? said.join(', ') : t('No cell has changed');
}

function conversationText({ turns_gone = 0, turns_back = 0 }: MomentPreview): string {
  const said = [turns_gone > 0 && t('turns that the model no longer knows: %1', turns_gone), turns_back > 0 && t('turns that it knows again: %1', turns_back)].filter(Boolean);
  return said.length > 0 ? said.join(', ') : t('Nothing changes for the model');
}
