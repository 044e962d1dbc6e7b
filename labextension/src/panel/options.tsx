// Options of prompts: attempts, deep work, auto-run, autocomplete.

import * as React from 'react';
import { Button } from '../button';
import { toldSentences } from '../kernelTexts';
import type { PanelModel, Within } from './panelModel';
import { NO_RACE } from './resolveInput';
import { Suggestions, type SuggestionsProps } from './suggestions';
import { useSyncRender } from './useSyncRender';
import { switchedOff } from '../selectors';
import { t } from '../translation';

const COUNTS = [1, 2, 3, 5];
const ROUNDS = [0, 1, 2, 3];

interface OptionsProps {
  readonly model: PanelModel;
  readonly disabled: boolean;
  readonly streaming: boolean;
  readonly suggestions: SuggestionsProps | null;
  readonly close: () => void;
}

export function Options({ model, disabled, streaming, suggestions, close }: OptionsProps): React.JSX.Element {
  const sync = useSyncRender();
  const noAutoRun = switchedOff(model.state, 'auto_run');
  const noDeep = toldSentences(model.state?.hello?.deep?.unavailable ?? '');
  return (
    <div className="spark-Options" role="group" aria-label={t('Options')}>
      <Attempts model={model} disabled={disabled || streaming} />
      {model.race.count > 1 && !streaming && <RaceOptions model={model} />}
      <TryBoth model={model} disabled={disabled || streaming} close={close} />
      <label
        className="spark-Prompt-choice"
        title={noDeep || t('A slower model plans it, writes it, runs it in a copy of the kernel and repairs it, in the background. Nothing changes before it is done and you accept.')}
      >
        <input type="checkbox" checked={model.deep} disabled={disabled || noDeep !== ''} onChange={sync(event => (model.deep = event.target.checked))} />
        {t('Deep')}
      </label>
      {model.destination.kind === 'deep' && <Window model={model} disabled={disabled} />}
      <label className="spark-Prompt-choice" title={noAutoRun || t('Run new cells when the answer is complete, up to the first that a finding blocks. For this notebook only, until this tab is closed.')}>
        <input type="checkbox" checked={model.autoRun && !noAutoRun} disabled={model.view === null || noAutoRun !== ''} onChange={sync(event => (model.autoRun = event.target.checked))} />
        {t('Auto-run')}
      </label>
      <label className="spark-Prompt-choice" title={t('Draft code below what you type in Markdown and comments. It is not part of the notebook until you take it.')}>
        <input type="checkbox" checked={model.drafts} disabled={model.view === null} onChange={sync(event => (model.drafts = event.target.checked))} />
        {t('Drafts')}
      </label>
      {suggestions && <Suggestions {...suggestions} />}
    </div>
  );
}

/** How long the answers of deep work may take: they cost less then. */
function Window({ model, disabled }: { model: PanelModel; disabled: boolean }): React.JSX.Element | null {
  const sync = useSyncRender();
  const windows = model.state?.hello?.deep?.windows ?? [];
  if (windows.length === 0) {
    return null;
  }
  const hint = t('Each answer may take so long, at a lower price. The provider works on while the notebook is closed; open it later, run its cells, and Go on uses the answers.');
  return (
    <>
      <label className="spark-Prompt-choice" title={hint}>
        {t('Answers')}
        <select className="spark-Prompt-count" value={model.within} disabled={disabled} onChange={sync(event => (model.within = event.target.value as Within))}>
          <option value="">{t('at once')}</option>
          {windows.map(hours => (
            <option key={hours} value={hours}>
              {t('within %1 h, for less', parseInt(hours))}
            </option>
          ))}
        </select>
      </label>
      {model.within && <div className="spark-Options-note">{hint}</div>}
    </>
  );
}

/** Why nothing can be tried here; empty where it can. */
function noTry({ state }: PanelModel): string {
  return toldSentences(state?.hello?.try_unavailable ?? '');
}

/** How many answers are written at once. */
function Attempts({ model, disabled }: { model: PanelModel; disabled: boolean }): React.JSX.Element {
  const sync = useSyncRender();
  const without = noTry(model);
  return (
    <label className="spark-Prompt-choice" title={without || t('This many answers are written at once and tried in copies of the kernel; the first that passes is proposed.')}>
      {t('Attempts')}
      <select
        className="spark-Prompt-count"
        aria-label={t('Attempts')}
        value={model.race.count}
        disabled={disabled || without !== ''}
        onChange={sync(event => (model.race = { ...model.race, other: undefined, count: Number(event.target.value) }))}
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

/** Have the next prompt answered twice, and the answers compared. */
function TryBoth({ model, disabled, close }: { model: PanelModel; disabled: boolean; close: () => void }): React.JSX.Element {
  const without = noTry(model);
  const begin = () => {
    model.race = { ...NO_RACE, other: { kind: 'prompt', value: '' } };
    close();
  };
  return (
    <Button
      label={t('Try both…')}
      title={without || t('Two prompts or two models: both answers run in copies of the kernel and are compared by value; you keep one.')}
      className="spark-Options-both"
      disabled={disabled || without !== ''}
      onClick={begin}
    />
  );
}

/** What the attempts must pass. */
function RaceOptions({ model }: { model: PanelModel }): React.JSX.Element {
  const { race } = model;
  const sync = useSyncRender();
  return (
    <div className="spark-Prompt-race" role="group" aria-label={t('What the attempts must pass')}>
      <input
        type="text"
        className="spark-Prompt-check"
        aria-label={t('Check')}
        title={t('Python that raises where an answer is wrong. Without it, an answer passes when it runs. Asserts in the prompt and doctests in the answer count too.')}
        placeholder={t('Check: assert f(3) == 5')}
        value={race.check}
        onChange={sync(event => (model.race = { ...race, check: event.target.value }))}
      />
      <label className="spark-Prompt-choice" title={t('For the prompts after this one, too')}>
        <input type="checkbox" checked={race.pinned ?? false} onChange={sync(event => (model.race = { ...race, pinned: event.target.checked }))} />
        {t('Keep')}
      </label>
      <label className="spark-Prompt-choice" title={t('How often a failing answer is corrected')}>
        {t('Repeat')}
        <select
          className="spark-Prompt-count"
          aria-label={t('Rounds after a failure')}
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
