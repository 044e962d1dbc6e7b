// The turns so far: prompt, notes, cells, what was withheld, the meter, and the way back.

import type { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import * as React from 'react';
import type { AttemptChanged, Meter, TrialResult } from '../messages';
import { isRefusal } from '../promptOffers';
import { isDecidable, isHint, isTakenBack, proposalsOf } from '../selectors';
import type { FullDeepWork, FullProposal, FullTurn, State } from '../state';
import { nameOf, stateLabel } from '../proposalFooter';
import { failed, trialHeadline } from '../trialView';
import type { NotebookView } from '../notebookView';
import { Attempts } from './attempts';
import { InlineCode } from './inlineCode';
import { DeepLog, HandUp } from './deepCards';
import { MeterLine } from './turnMeter';
import { TurnAnswer } from './turnAnswer';

const OUTCOMES = { completed: 'Done', cancelled: 'Stopped', superseded: 'Steered', failed: 'Failed' } as const;

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
  /** Ask the last prompt once more. */
  readonly again: () => void;
}

/** Pixels from the end within which the newest turn is kept in sight. */
const NEAR_END = 60;

/** So many turns are shown, and so many more each time that somebody asks for earlier ones. */
const SHOWN = 40;

/** The turns, oldest first, with the newest kept in sight unless the user has scrolled away from it. */
export function Turns({ state, pending, view, rendermime, reuse, connect, again }: TurnsProps): React.JSX.Element {
  const list = React.useRef<HTMLOListElement>(null);
  const following = React.useRef(true);
  const last = state.turns.at(-1);
  const [most, setMost] = React.useState(SHOWN);
  const shown = state.turns.slice(-most);
  const earlier = state.turns.length - shown.length;
  React.useEffect(() => {
    following.current = true;
  }, [last?.id, pending]);
  React.useEffect(() => {
    const node = list.current;
    if (!node) {
      return;
    }
    // Notes are rendered later than the list, so what is watched is the list as it stands.
    const follow = () => {
      if (following.current) {
        node.scrollTop = node.scrollHeight;
      }
    };
    const observer = new MutationObserver(follow);
    observer.observe(node, { childList: true, subtree: true, characterData: true });
    const sizes = new ResizeObserver(follow); // a panel that is opened, and what stands above and below the list
    sizes.observe(node);
    follow();
    return () => {
      observer.disconnect();
      sizes.disconnect();
    };
  }, []);
  const resume = React.useCallback(() => void view.session.resume(), [view]);
  const onScroll = ({ currentTarget: { scrollHeight, scrollTop, clientHeight } }: React.UIEvent) => {
    following.current = scrollHeight - scrollTop - clientHeight < NEAR_END;
  };
  return (
    <ol className="spark-Turns" ref={list} aria-label="Turns" tabIndex={0} onScroll={onScroll}>
      {earlier + state.forgotten > 0 && (
        <li className="spark-Turns-earlier">
          {earlier > 0 ? (
            <button type="button" className="spark-Button" onClick={() => setMost(most + SHOWN)}>
              Show earlier turns ({earlier.toLocaleString('en')})
            </button>
          ) : (
            <span>{state.forgotten.toLocaleString('en')} earlier turns are not kept any more.</span>
          )}
        </li>
      )}
      {shown.map(turn => (
        <TurnItem
          key={turn.id}
          turn={turn}
          stopping={state.stopping.has(turn.id)}
          proposals={proposalsOf(state, turn.id)}
          attempts={state.attempts.get(turn.id)}
          meter={state.meters.get(turn.id)}
          work={state.deep.get(turn.id)}
          handed={turn === last ? state.handed.get(turn.id) : undefined}
          trials={state.trials}
          trying={state.trying}
          view={view}
          rendermime={rendermime}
          reuse={reuse}
          connect={turn === last && state.hello?.offline ? connect : null}
          again={turn === last && turn.outcome !== null ? again : null}
          resume={turn === last && proposalsOf(state, turn.id).every(isDecidable) ? resume : null}
        />
      ))}
      {pending !== null && (
        <li className="spark-Turn" data-outcome="asked">
          <div className="spark-Turn-head">
            <span className="spark-Turn-prompt">{pending}</span>
            <span className="spark-Turn-outcome">Sending…</span>
          </div>
        </li>
      )}
    </ol>
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
  readonly trying: State['trying'];
  readonly view: NotebookView;
  readonly rendermime: IRenderMimeRegistry;
  readonly reuse: (prompt: string, turn: FullTurn) => void;
  readonly connect: (() => void) | null;
  readonly again: (() => void) | null;
  readonly resume: (() => void) | null;
}

/** A turn whose values are the same is not rendered again: values are replaced, never changed. */
const TurnItem = React.memo(Item, (before, after) => {
  const same = before.proposals.length === after.proposals.length && before.proposals.every((one, n) => one === after.proposals[n]);
  const raced = before.attempts === after.attempts && before.trials === after.trials && before.trying === after.trying;
  return same && raced && before.turn === after.turn && before.stopping === after.stopping && before.meter === after.meter && before.view === after.view && before.work === after.work && before.handed === after.handed && before.again === after.again && before.connect === after.connect && before.resume === after.resume;
});

function Item({ turn, stopping, proposals, attempts, meter, work, handed, trials, trying, view, rendermime, reuse, connect, again, resume }: TurnProps): React.JSX.Element {
  const refused = isRefusal(turn);
  const outcome = refused ? 'No' : turn.outcome ? OUTCOMES[turn.outcome] : stopping ? 'Stopping…' : isWriting(turn, proposals, meter) ? 'Writing…' : 'Waiting…';
  const revertible = turn.outcome !== null && proposals.some(one => !isTakenBack(one));
  return (
    <li className="spark-Turn" data-turn={turn.id} data-outcome={refused ? 'refused' : (turn.outcome ?? 'streaming')}>
      <div className="spark-Turn-head">
        <span className="spark-Turn-prompt">
          {turn.steers && <span className="spark-Turn-steer">Steer: </span>}
          {turn.prompt}
        </span>
        <span className="spark-Turn-outcome">{outcome}</span>
      </div>
      <TurnAnswer turn={turn} rendermime={rendermime} reuse={reuse} connect={connect} />
      {turn.withheld.length > 0 && (
        <div className="spark-Turn-withheld">Not sent to the model: {turn.withheld.join(', ')}.</div>
      )}
      {turn.folded > 0 && (
        <div className="spark-Turn-withheld" title="The model’s window has no room for all of the conversation: of older turns it was told what was asked, and what you decideMode.">
          {turn.folded === 1 ? 'One earlier turn' : `${turn.folded} earlier turns`} told to the model in short.
        </div>
      )}
      {proposals.length > 0 && (
        <ul className="spark-Turn-cells" aria-label="Cells of this turn">
          {proposals.map(proposal => (
            <CellLink
              key={proposal.cell_id}
              proposal={proposal}
              trial={trials.get(proposal.cell_id)}
              trying={trying.has(proposal.cell_id)}
              view={view}
            />
          ))}
        </ul>
      )}
      {attempts && (
        <Attempts
          turnId={turn.id}
          attempts={attempts}
          open={turn.outcome !== null && turn.outcome !== 'superseded' && proposals.every(isDecidable)}
          choose={index => view.session.decisions.chooseAttempt(turn.id, index)}
        />
      )}
      {work && <DeepLog work={work} />}
      {handed && <HandUp reason={handed} handUp={() => void view.session.deep.handUp(turn.id)} />}
      <div className="spark-Turn-foot">
        {meter && <MeterLine meter={meter} />}
        {turn.may_go_on && resume && (
          <button type="button" className="spark-Button" title="Have the rest written: the model may only write so much at once" onClick={resume}>
            Continue
          </button>
        )}
        {again && (
          <button type="button" className="spark-Button" title="Ask this once more; what it proposed and still isProposed is rejected" onClick={again}>
            Again
          </button>
        )}
        {turn.outcome !== null && (
          <button type="button" className="spark-Button" title="Put these words into the box, to change them" onClick={() => reuse(turn.prompt, turn)}>
            Edit
          </button>
        )}
        {revertible && (
          <button
            type="button"
            className="spark-Button"
            title="Take back every cell of this turn"
            onClick={() => view.session.decisions.revert(turn.id)}
          >
            Revert
          </button>
        )}
      </div>
    </li>
  );
}

interface CellProps {
  readonly proposal: FullProposal;
  readonly trial: TrialResult | undefined;
  readonly trying: boolean;
  readonly view: NotebookView;
}

function CellLink({ proposal, trial, trying, view }: CellProps): React.JSX.Element {
  const findings = proposal.findings.filter(finding => !isHint(finding));
  return (
    <li>
      <button
        type="button"
        className="spark-CellLink"
        title="Go to this cell"
        data-state={proposal.state}
        onClick={() => void view.goTo(proposal.cell_id)}
      >
        <span className="spark-CellLink-state">{stateLabel(proposal)}</span>
        <code>{nameOf(proposal.source)}</code>
      </button>
      {isDecidable(proposal) && proposal.surprises.length > 0 && (
        <ul className="spark-Surprises" aria-label="Surprises">
          {proposal.surprises.map(({ message, rule }) => (
            <li key={message} className="spark-Surprise" data-rule={rule}>
              <span className="spark-Surprise-kind">Surprise:</span> <InlineCode text={message} />
            </li>
          ))}
        </ul>
      )}
      {(trying || trial) && (
        <div className="spark-CellLink-trial" data-failed={!trying && trial !== undefined && failed(trial)}>
          {trying || !trial ? 'Trying it in a copy of the kernel…' : `${trialHeadline(trial)}${trial.decisive ? ` → ${trial.decisive}` : ''}`}
        </div>
      )}
      {findings.length > 0 && (
        <ul className="spark-Findings" aria-label="Findings">
          {findings.map((finding, index) => (
            <li key={index} className="spark-Finding" data-severity={finding.severity}>
              <span className="spark-Finding-lines">
                {[finding.line, ...(finding.also ?? [])].map((line, n) => (
                  <button key={line} type="button" className="spark-Finding-jump" onClick={() => view.jump(proposal.cell_id, n ? { line } : finding)}>
                    {n ? line : `Line ${line}`}
                  </button>
                ))}
              </span>
              <span className="spark-Finding-text">
                <InlineCode text={finding.message} />
              </span>
            </li>
          ))}
        </ul>
      )}
      {isDecidable(proposal) && proposal.asides.map(({ line, message }) => (
        <div key={`${line} ${message}`} className="spark-CellLink-aside">
          <button type="button" className="spark-Finding-jump" onClick={() => view.jump(proposal.cell_id, { line })}>
            Line {line}
          </button>{' '}
          {message}
        </div>
      ))}
    </li>
  );
}

/** Whether anything has come of it; of attempts nothing is shown before one is chosen. */
function isWriting({ notes }: FullTurn, proposals: readonly FullProposal[], meter: Meter | undefined): boolean {
  return !meter?.wait && (notes !== '' || proposals.length > 0 || (meter?.output_tokens ?? 0) > 0);
}
