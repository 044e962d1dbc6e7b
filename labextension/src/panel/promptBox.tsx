// The prompt box, and above it where the words will go.

import * as React from 'react';
import { isFree, streamingTurn } from '../selectors';
import { useSyncRender } from './useSyncRender';
import type { PanelModel } from './panelModel';
import { PromptInput } from './promptInput';

/** The box at the panel's end. */
export function PromptBox({ model }: { model: PanelModel }): React.JSX.Element {
  const { destination, state, sending } = model;
  const streaming = state !== null && streamingTurn(state) !== null;
  const disabled = destination.kind === 'none';
  return (
    <div className="spark-Prompt">
      <PromptInput model={model} rows={3}>
        <Decisions model={model} />
        <QuickActions model={model} />
      </PromptInput>
      {model.race.count > 1 && !streaming && <RaceOptions model={model} />}
      <div className="spark-Prompt-bar">
        <Choices model={model} disabled={disabled || streaming} />
        <DeepChoice model={model} disabled={disabled} />
        <span className="spark-Prompt-buttons">
          {(streaming || model.pending !== null) && (
            <button type="button" className="spark-Button" title="Stop (Esc)" onClick={() => model.stop()}>
              Stop
            </button>
          )}
          <button
            type="button"
            className="spark-Button spark-mod-primary"
            title={streaming ? 'Redirect what is being written (Enter)' : 'Send (Enter; Shift-Enter makes a new line)'}
            disabled={disabled || sending || !model.canSend || !model.draft.trim()}
            onClick={() => void model.send()}
          >
            {streaming && destination.kind === 'steer' ? 'Steer' : 'Send'}
          </button>
        </span>
      </div>
    </div>
  );
}

/** How the next prompt is meant, and what becomes of its cells. */
function Choices({ model, disabled }: { model: PanelModel; disabled: boolean }): React.JSX.Element {
  const sync = useSyncRender();
  return (
    <span className="spark-Prompt-choices">
      <label className="spark-Prompt-choice" title="Propose a change of the active cell instead of new cells">
        <input
          type="checkbox"
          checked={model.editing}
          disabled={disabled}
          onChange={sync(event => (model.editing = event.target.checked))}
        />
        Edit this cell
      </label>
      <label
        className="spark-Prompt-choice"
        title="Run new cells when the answer is whole, up to the first that a finding blocks. For this notebook only, until this tab is closed."
      >
        <input
          type="checkbox"
          checked={model.autoRun}
          disabled={model.view === null}
          onChange={sync(event => (model.autoRun = event.target.checked))}
        />
        Auto-run
      </label>
      <AttemptsChoice model={model} disabled={disabled} />
    </span>
  );
}

/** Which gear takes the next prompt. */
function DeepChoice({ model, disabled }: { model: PanelModel; disabled: boolean }): React.JSX.Element {
  const sync = useSyncRender();
  const without = model.state?.hello?.deep?.unavailable ?? '';
  return (
    <label
      className="spark-Prompt-choice"
      title={without || 'A slower model plans it, writes it, runs it in a copy of the kernel and mends it, in the background. Nothing changes before it is done and you accept.'}
    >
      <input type="checkbox" checked={model.deep} disabled={disabled || without !== ''} onChange={sync(event => (model.deep = event.target.checked))} />
      Deep
    </label>
  );
}

const COUNTS = [1, 2, 3, 5];
const ROUNDS = [0, 1, 2, 3];

/** How many answers are to be written at once. */
function AttemptsChoice({ model, disabled }: { model: PanelModel; disabled: boolean }): React.JSX.Element {
  const sync = useSyncRender();
  const without = model.state?.hello?.try_unavailable ?? '';
  return (
    <label
      className="spark-Prompt-choice"
      title={without || 'So many answers are written at once and tried in copies of the kernel; the first that passes is proposed.'}
    >
      Attempts
      <select
        className="spark-Prompt-count"
        aria-label="Attempts"
        value={model.race.count}
        disabled={disabled || without !== ''}
        onChange={sync(event => (model.race = { ...model.race, count: Number(event.target.value) }))}
      >
        {COUNTS.map(count => (
          <option key={count} value={count}>
            {count}
          </option>
        ))}
      </select>
    </label>
  );
}

/** What the attempts must pass. */
function RaceOptions({ model }: { model: PanelModel }): React.JSX.Element {
  const { race } = model;
  const sync = useSyncRender();
  return (
    <div className="spark-Prompt-race" role="group" aria-label="What the attempts must pass">
      <input
        type="text"
        className="spark-Prompt-check"
        aria-label="Check"
        title="Python that raises where an answer is wrong. Without it, an answer passes when it runs. Asserts in the prompt and doctests in the answer count too."
        placeholder="Check: assert f(3) == 5"
        value={race.check}
        onChange={sync(event => (model.race = { ...race, check: event.target.value }))}
      />
      <label className="spark-Prompt-choice" title="For the prompts after this one, too">
        <input
          type="checkbox"
          checked={race.pinned ?? false}
          onChange={sync(event => (model.race = { ...race, pinned: event.target.checked }))}
        />
        Keep
      </label>
      <label className="spark-Prompt-choice" title="How often an answer that fails is told why and written again">
        Again
        <select
          className="spark-Prompt-count"
          aria-label="Rounds after a failure"
          value={race.rounds}
          onChange={sync(event => (model.race = { ...race, rounds: Number(event.target.value) }))}
        >
          {ROUNDS.map(count => (
            <option key={count} value={count}>
              {count}×
            </option>
          ))}
        </select>
      </label>
    </div>
  );
}

/** What can be asked without words, where the active cell failed. */
function QuickActions({ model }: { model: PanelModel }): React.JSX.Element | null {
  return model.canFix ? (
    <div className="spark-Quick">
      <span>The active cell failed.</span>
      <span className="spark-spacer" />
      <button type="button" className="spark-Button" onClick={() => void model.fix()}>
        Fix it
      </button>
    </div>
  ) : null;
}

/** Accept all and Reject all, where something waits. */
function Decisions({ model }: { model: PanelModel }): React.JSX.Element | null {
  const { view } = model;
  const waiting = view?.session.decisions.waiting ?? [];
  const count = waiting.length;
  const left = waiting.filter(one => !isFree(one)).length;
  const all = `Keeps ${count - left} of ${count} in this notebook${left > 0 ? '; what is blocked or unfinished, or failed or surprised in a copy, is left out' : ', of every turn'}`;
  if (!view || count === 0) {
    return null;
  }
  return (
    <div className="spark-Decisions" role="group" aria-label="Proposals that wait">
      <span>{count === 1 ? '1 proposal' : `${count} proposals`}</span>
      <span className="spark-Prompt-buttons">
        <button type="button" className="spark-Button" title={all} onClick={() => view.consent.acceptAll()}>
          {count === 1 ? 'Accept all' : `Accept all ${count}`}
        </button>
        <button type="button" className="spark-Button" onClick={() => view.session.decisions.rejectAll()}>
          {count === 1 ? 'Reject all' : `Reject all ${count}`}
        </button>
      </span>
    </div>
  );
}
