// List of turns: prompts, answers, cells, actions.

import type { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import { editIcon, refreshIcon, undoIcon } from '@jupyterlab/ui-components';
import * as React from 'react';
import { Button } from '../button';
import { toldPrompt } from '../buttonPrompts';
import { clockIcon } from '../icons';
import type { AttemptChanged, Meter, MomentInfo } from '../messages';
import type { NotebookView } from '../notebookView';
import { NEXT_HINT } from '../constants';
import { plain } from '../plainText';
import { waitsForTables } from '../runningCells';
import { AgentName, AuthorName } from '../personName';
import { isRefusal } from '../promptOffers';
import { branchesOf, conversationTurns, isDecidable, isTakenBack, proposalsOf, trialOf } from '../selectors';
import { find } from '../sharedModel';
import type { FullDeepWork, FullProposal, FullTurn, State } from '../state';
import { whyUntried } from '../footer/untried';
import { Attempts } from './attempts';
import { Comparison } from './comparison';
import { DeepLog, HandUp } from './deepCards';
import { ProposalLink } from './proposalLink';
import { TurnAnswer } from './turnAnswer';
import { MeterLine } from './turnMeter';
import { useFollowedEnd } from './useFollowedEnd';
import { language, t } from '../translation';

/** What is said of a turn that did not simply complete. */
const OUTCOMES = { completed: '', cancelled: t('Stopped'), superseded: t('Steered'), failed: t('Failed') } as const;

interface TurnsProps {
  readonly state: State;
  /** What was asked and is not being answered yet. */
  readonly pending: string | null;
  readonly view: NotebookView;
  readonly rendermime: IRenderMimeRegistry;
  /** Put a prompt into the box again, to go where the turn's went. */
  readonly reuse: (prompt: string, turn: FullTurn) => void;
  /** Open the form that connects a model. */
  readonly connect: () => void;
  /** Ask the last prompt again. */
  readonly retry: () => void;
  /** Show what a return to a moment would change. */
  readonly goBack: (moment: number) => void;
}

/** So many turns are shown, and so many more each time that somebody asks for earlier ones. */
const SHOWN = 40;

/** The turns, oldest first. */
export function Turns({ state, pending, view, rendermime, reuse, connect, retry, goBack }: TurnsProps): React.JSX.Element {
  const turns = conversationTurns(state);
  const branches = branchesOf(state);
  const last = turns.findLast(turn => !branches.has(turn.id));
  const [most, setMost] = React.useState(SHOWN);
  const shown = turns.slice(-most);
  const earlier = turns.length - shown.length;
  const end = useFollowedEnd<HTMLOListElement>([last?.id, pending]);
  const cut = last ? cutCell(last, proposalsOf(state, last.id), view) : null;
  const resume = React.useCallback(() => void (cut === null ? view.session.resume() : view.act(cut, 'continue')), [view, cut]);
  return (
    <ol className="spark-Turns" ref={end.list} aria-label={t('Turns')} tabIndex={0} onScroll={end.onScroll}>
      {earlier + state.forgotten > 0 && (
        <li className="spark-Turns-earlier">
          {earlier > 0 ? (
            <Button label={t('Show earlier turns (%1)', earlier.toLocaleString(language()))} onClick={() => setMost(most + SHOWN)} />
          ) : (
            <span>{t('%1 earlier turns are not kept.', state.forgotten.toLocaleString(language()))}</span>
          )}
        </li>
      )}
      {shown.map((turn, place) => {
        const branch = branches.get(turn.id);
        return branch ? (
          branch !== branches.get(shown[place - 1]?.id ?? '') && <Branch key={turn.id} branch={branch} goBack={goBack} />
        ) : (
          <TurnItem
            key={turn.id}
            turn={turn}
            stopping={state.stopping.has(turn.id)}
            proposals={proposalsOf(state, turn.id)}
            attempts={state.attempts.get(turn.id)}
            meter={state.meters.get(turn.id)}
            work={state.deep.get(turn.id)}
            handed={turn === last && hasModel(state) ? state.handed.get(turn.id) : undefined}
            trials={state.trials}
            untried={proposalsOf(state, turn.id).map(one => whyUntried(state, one, view.session.notebook)).join('\n')}
            trying={state.trying}
            passed={proposalsOf(state, turn.id).map(one => Number(state.proposals.get(one.cell_id) !== one)).join('')}
            view={view}
            rendermime={rendermime}
            reuse={reuse}
            connect={turn === last && state.hello?.offline ? connect : null}
            retry={turn === last && turn.outcome !== null && !turn.agent ? retry : null}
            moment={state.moments.find(one => one.turn_id === turn.id)?.id ?? 0}
            goBack={goBack}
            resume={turn === last && (cut !== null || (turn.may_go_on && proposalsOf(state, turn.id).every(isDecidable))) ? resume : null}
          />
        );
      })}
      {pending !== null && (
        <li className="spark-Turn" data-outcome="asked">
          <div className="spark-Turn-head">
            <span className="spark-Turn-prompt">{pending}</span>
          </div>
          <Progress text={waitsForTables(view.session) ? t('Waiting for the running cell, whose data may be meant…') : t('Sending…')} />
        </li>
      )}
    </ol>
  );
}

/** Turns that the model does not know any more: the moment brings them back. */
function Branch({ branch, goBack }: { branch: MomentInfo; goBack: (moment: number) => void }): React.JSX.Element {
  const count = branch.brings?.length ?? 0;
  return (
    <li className="spark-Turns-earlier" data-branch={branch.name}>
      <Button
        label={count === 1 ? t('%1: 1 turn', plain(branch.name ?? '')) : t('%1: %2 turns', plain(branch.name ?? ''), count)}
        title={t('These turns were left. Show what going back to them would change')}
        icon={clockIcon}
        onClick={() => goBack(branch.id)}
      />
    </li>
  );
}

interface TurnProps {
  readonly turn: FullTurn;
  readonly stopping: boolean;
  readonly proposals: readonly FullProposal[];
  readonly attempts: readonly AttemptChanged[] | undefined;
  readonly meter: Meter | undefined;
  /** The deep work that this turn proposes. */
  readonly work: FullDeepWork | undefined;
  /** Why its answer is offered to the deep model. */
  readonly handed: string | undefined;
  readonly trials: State['trials'];
  /** Why its cells were not tried, a line for each. */
  readonly untried: string;
  readonly trying: State['trying'];
  /** Which of its proposals a later one for the same cell stands over: a 1 for each that does, else a 0. */
  readonly passed: string;
  readonly view: NotebookView;
  readonly rendermime: IRenderMimeRegistry;
  readonly reuse: (prompt: string, turn: FullTurn) => void;
  readonly connect: (() => void) | null;
  readonly retry: (() => void) | null;
  readonly resume: (() => void) | null;
  /** The moment before it; 0 where there is none. */
  readonly moment: number;
  readonly goBack: (moment: number) => void;
}

/** A turn whose values are the same is not rendered again: values are replaced, never changed. */
const TurnItem = React.memo(Item, (before, after) => {
  const same = before.proposals.length === after.proposals.length && before.proposals.every((one, n) => one === after.proposals[n]);
  const names = ['attempts', 'trials', 'trying', 'untried', 'passed', 'turn', 'stopping', 'meter', 'view', 'work', 'handed', 'retry', 'connect', 'resume', 'moment'] as const;
  return same && names.every(name => before[name] === after[name]);
});

function Item(props: TurnProps): React.JSX.Element {
  const { turn, stopping, proposals, attempts, meter, work, handed, trials, trying, untried, passed, view, rendermime, reuse, connect } = props;
  const refused = isRefusal(turn);
  const isRunning = turn.outcome === null;
  return (
    <li className="spark-Turn" data-turn={turn.id} data-agent={turn.agent || undefined} data-outcome={refused ? 'refused' : (turn.outcome ?? 'streaming')}>
      <div className="spark-Turn-head">
        <span className="spark-Turn-prompt">
          <AuthorName turn={turn} me={view.session.person} />
          {turn.agent && <AgentName name={turn.agent} />}
          {turn.steers && <span className="spark-Turn-steer">{t('Steer:')} </span>}
          {attempts?.some(one => one.prompt) && <span className="spark-Turn-steer">{t('Try both:')} </span>}
          {(turn.prompt && toldPrompt(turn.prompt)) || t('Proposal found in the notebook')}
        </span>
      </div>
      {isRunning && <Running stopping={stopping} writing={isWriting(turn, proposals, meter)} />}
      <TurnAnswer turn={turn} rendermime={rendermime} reuse={reuse} connect={connect} />
      {turn.withheld.length > 0 && <div className="spark-Turn-withheld">{t('Not sent to the model: %1.', turn.withheld.join(', '))}</div>}
      {turn.folded > 0 && <Folded count={turn.folded} />}
      {proposals.length > 0 && (
        <ul className="spark-Turn-cells" aria-label={t('Cells of this turn')}>
          {proposals.map((proposal, n) => (
            <ProposalLink key={proposal.cell_id} proposal={proposal} trial={trialOf({ trials }, proposal)} trying={trying.has(proposal.cell_id)} untried={untried.split('\n')[n] ?? ''} passed={passed[n] === '1'} view={view} />
          ))}
        </ul>
      )}
      {attempts?.some(one => one.prompt) ? (
        <Comparison
          attempts={attempts}
          keeps={isRunning ? null : proposals.every(isDecidable) ? 'proposed' : 'opened'}
          choose={index => view.session.decisions.chooseAttempt(turn.id, index)}
        />
      ) : attempts ? (
        <Attempts
          turnId={turn.id}
          attempts={attempts}
          open={turn.outcome !== null && turn.outcome !== 'superseded' && proposals.every(isDecidable)}
          choose={index => view.session.decisions.chooseAttempt(turn.id, index)}
        />
      ) : null}
      {work && <DeepLog work={work} />}
      {handed && <HandUp reason={handed} keys={view.keysOf('deepen')} handUp={() => void view.session.deep.handUp(turn.id)} />}
      <TurnFoot {...props} outcome={refused ? t('No answer') : turn.outcome ? OUTCOMES[turn.outcome] : ''} />
    </li>
  );
}

/** What a turn does. While text comes nothing turns: the text is seen to grow, and a page that moves is drawn again in every frame. */
function Running({ stopping, writing }: { stopping: boolean; writing: boolean }): React.JSX.Element {
  if (writing && !stopping) {
    return <div className="spark-Turn-outcome">{t('Writing…')}</div>;
  }
  return <Progress text={stopping ? t('Stopping…') : t('Waiting…')} />;
}

/** What is waited for, with a spinner. */
function Progress({ text }: { text: string }): React.JSX.Element {
  return (
    <div className="spark-Turn-outcome">
      <span className="spark-Spinner" aria-hidden="true" />
      {text}
    </div>
  );
}

/** What came of the turn, and what can be done with it: icons that show while the turn is pointed at or has the focus. */
function TurnFoot({ turn, outcome, proposals, meter, view, reuse, retry, resume, moment, goBack }: TurnProps & { outcome: string }): React.JSX.Element {
  const revertible = turn.outcome !== null && proposals.some(one => !isTakenBack(one));
  return (
    <div className="spark-Turn-foot">
      {outcome && <span className="spark-Turn-outcome">{outcome}</span>}
      {meter && <MeterLine meter={meter} ended={turn.outcome !== null} />}
      {turn.hint > 0 && <span className="spark-Turn-outcome">{t('Hint %1 of %2', turn.hint, turn.hints)}</span>}
      {retry && turn.outcome === 'completed' && turn.hint > 0 && turn.hint < turn.hints && (
        <Button label={t('Next hint')} title={t('A hint that gives a little more')} primary onClick={() => void view.prompt(NEXT_HINT, { target: {}, intent: 'hints' })} />
      )}
      {resume && <Button label={t('Continue')} title={turn.may_go_on ? t('Write the rest: the answer was cut at its length limit') : t('Write the rest of this cell')} primary onClick={resume} />}
      <span className="spark-Turn-actions">
        {retry && <Button label={t('Retry')} title={t('Ask this again; open proposals of it are rejected')} icon={refreshIcon} iconOnly onClick={retry} />}
        {turn.outcome !== null && !turn.agent && <Button label={t('Edit prompt')} title={t('Put it into the box, to change it')} icon={editIcon} iconOnly onClick={() => reuse(turn.prompt, turn)} />}
        {moment !== 0 && <Button label={t('Back to before this prompt')} title={t('Show what going back would change')} icon={clockIcon} iconOnly onClick={() => goBack(moment)} />}
        {revertible && <Button label={t('Revert')} title={t('Take back every cell of this turn')} icon={undoIcon} iconOnly onClick={() => view.session.decisions.revert(turn.id)} />}
      </span>
    </div>
  );
}

function Folded({ count }: { count: number }): React.JSX.Element {
  return (
    <div className="spark-Turn-withheld" title={t('The whole conversation does not fit into the model’s context. Of older turns it gets the prompts and your decisions.')}>
      {count === 1 ? t('1 earlier turn is summarised for the model.') : t('%1 earlier turns are summarised for the model.', count)}
    </div>
  );
}

/** The new code cell in which an answer broke off, as its kernel or its provider went; null where nothing is to be written on. */
function cutCell({ outcome }: FullTurn, proposals: readonly FullProposal[], { session }: NotebookView): string | null {
  const last = proposals.at(-1);
  const isCut = outcome === 'failed' && last?.state === 'ready' && last.kind === 'insert' && last.cell_type === 'code';
  return isCut && find(session.notebook, last.cell_id) ? last.cell_id : null;
}

/** Whether a model answers, or does deep work: recipes can't do it better. */
function hasModel({ hello }: State): boolean {
  return hello !== null && (!hello.offline || (hello.deep?.provider ?? '') !== '');
}

/** Whether anything has come of it; of attempts nothing is shown before one is chosen. */
function isWriting({ notes }: FullTurn, proposals: readonly FullProposal[], meter: Meter | undefined): boolean {
  return !meter?.wait && (notes !== '' || proposals.length > 0 || (meter?.output_tokens ?? 0) > 0);
}
