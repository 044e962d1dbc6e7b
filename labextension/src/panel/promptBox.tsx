// Prompt box of the panel with its options and buttons.

import type { ICodeCellModel } from '@jupyterlab/cells';
import { settingsIcon, stopIcon } from '@jupyterlab/ui-components';
import * as React from 'react';
import { Button } from '../button';
import { isOpen, streamingTurn } from '../selectors';
import { sendIcon } from '../icons';
import { Options } from './options';
import type { PanelModel } from './panelModel';
import { MicrophoneButton } from './microphoneButton';
import { ModelPicker } from './modelPicker';
import { OtherAnswer } from './otherAnswer';
import { PromptInput } from './promptInput';
import { RewindNote } from './rewind';
import type { SuggestionsProps } from './suggestions';
import { useSyncRender } from './useSyncRender';
import { t } from '../translation';

/** The card at the panel's end. */
export function PromptBox({ model, suggestions }: { model: PanelModel; suggestions: SuggestionsProps | null }): React.JSX.Element {
  const { destination, state, sending, view } = model;
  const streaming = state !== null && streamingTurn(state) !== null;
  const disabled = destination.kind === 'none';
  const steers = streaming && destination.kind === 'steer';
  const box = React.useRef<HTMLDivElement>(null);
  const [open, setOpen] = useMenu(box, sending || streaming);
  return (
    <div className="spark-Prompt" ref={box} onKeyDown={event => open && event.key === 'Escape' && setOpen(false)}>
      {open && <Options model={model} disabled={disabled} streaming={streaming} suggestions={suggestions} close={() => setOpen(false)} />}
      <div className="spark-Card">
        <RewindNote model={model} />
        <PromptInput model={model} rows={2}>
          <FixOffer model={model} />
          <VoiceProblem model={model} />
        </PromptInput>
        <OtherAnswer model={model} />
        <div className="spark-Prompt-bar">
          {view && state && <ModelPicker state={state} view={view} />}
          {destination.kind !== 'hint' && <EditToggle model={model} disabled={disabled || streaming} />}
          <Chosen model={model} />
          <span className="spark-Prompt-buttons">
            <MicrophoneButton voice={model.voice} local={model.settings.value.voice === 'server'} disabled={disabled} />
            <Button label={t('Options')} title={t('Attempts, Try both, deep work, auto-run, autocomplete')} icon={settingsIcon} iconOnly pressed={open} onClick={() => setOpen(!open)} />
            {(streaming || model.pending !== null) && <Button label={t('Stop')} title={t('Stop (Esc)')} icon={stopIcon} onClick={() => model.stop()} />}
            <Button
              label={steers ? t('Steer') : t('Send')}
              title={streaming ? t('Redirect what is being written (Enter)') : t('Send (Enter; Shift-Enter makes a new line)')}
              icon={sendIcon}
              primary
              disabled={disabled || sending || !model.canSend || !model.draft.trim()}
              onClick={() => void model.send()}
            />
          </span>
        </div>
      </div>
    </div>
  );
}

/** Whether a menu is open: a press outside `box` closes it, and so does the beginning of an answer, whose buttons it would cover. */
function useMenu(box: React.RefObject<HTMLElement | null>, isAnswering: boolean): [boolean, (open: boolean) => void] {
  const [open, setOpen] = React.useState(false);
  React.useEffect(() => {
    if (isAnswering) {
      setOpen(false);
    }
  }, [isAnswering]);
  React.useEffect(() => {
    const close = ({ target }: PointerEvent) => box.current?.contains(target as Node) || setOpen(false);
    open && document.addEventListener('pointerdown', close, true);
    return () => document.removeEventListener('pointerdown', close, true);
  }, [box, open]);
  return [open, setOpen];
}

/** Whether the next prompt edits the active cell. */
function EditToggle({ model, disabled }: { model: PanelModel; disabled: boolean }): React.JSX.Element {
  const sync = useSyncRender();
  return (
    <label className="spark-Prompt-choice" title={t('Propose a change of the active cell instead of new cells')}>
      <input type="checkbox" checked={model.editing} disabled={disabled} onChange={sync(event => (model.editing = event.target.checked))} />
      {t('Edit this cell')}
    </label>
  );
}

/** The options that are not as usual: they stay in sight while their menu is closed. */
function Chosen({ model }: { model: PanelModel }): React.JSX.Element {
  const chosen = [...(model.race.count > 1 ? [t('%1 attempts', model.race.count)] : []), ...(model.deep ? [model.within ? t('Deep, within %1 h', parseInt(model.within)) : t('Deep')] : []), ...(model.autoRun ? [t('Auto-run')] : [])];
  return (
    <>
      {chosen.map(one => (
        <span key={one} className="spark-Chip">
          {one}
        </span>
      ))}
    </>
  );
}

/** Why nothing is heard. */
function VoiceProblem({ model }: { model: PanelModel }): React.JSX.Element | null {
  return model.voice.problem ? (
    <div className="spark-Options-note" role="status">
      {model.voice.problem}
    </div>
  ) : null;
}

/** The active cell failed: its text as it is, to which none is proposed. */
function FixOffer({ model }: { model: PanelModel }): React.JSX.Element | null {
  const { activeCell } = model.view?.panel.content ?? {};
  const proposal = model.state?.proposals.get(model.view?.activeCellId ?? '');
  const isChanged = (activeCell?.model as Partial<ICodeCellModel> | undefined)?.isDirty || (proposal && isOpen(proposal));
  return model.canFix && !isChanged ? (
    <div className="spark-Quick">
      <span>{t('The active cell failed.')}</span>
      {model.failedCheck && <Button label={t('Why is this wrong?')} title={t('Run its checks in a copy, and explain the first difference')} primary onClick={() => void model.quick.why()} />}
      <Button label={t('Fix it')} title={t('Repair the error; the change is proposed as a diff')} onClick={() => void model.quick.fix()} />
    </div>
  ) : null;
}
