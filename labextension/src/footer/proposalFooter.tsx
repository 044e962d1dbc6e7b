// Footer below a proposed cell: state, buttons, result, findings.

import { ReactWidget } from '@jupyterlab/apputils';
import { runIcon } from '@jupyterlab/ui-components';
import { MessageLoop } from '@lumino/messaging';
import { Widget } from '@lumino/widgets';
import * as React from 'react';
import { flushSync } from 'react-dom';
import { Button } from '../button';
import { InlineCode } from '../inlineCode';
import { told, toldSentences } from '../kernelTexts';
import type { Findings, Permission } from '../messages';
import { blocks, hasDiff, isDecidable } from '../selectors';
import { AuthorName } from '../personName';
import { PressGuard } from '../panel/pressGuard';
import { FindingList, type LinePlace, LineLinks } from './findingList';
import { type Action, type Confirmation, currentTrial, type FooterModel, type Hunks, isOneChange, primaryAction, stateLabel } from './footerModel';
import type { OtherCells } from './proofView';
import { SurpriseList } from './surpriseList';
import { type ResultLine, resultLine } from './trialResult';
import { TrialView } from './trialView';
import { t } from '../translation';

/** What the footer asks of its owner. */
export interface FooterOwner {
  readonly act: (action: Action, allow?: readonly Permission[]) => void;
  readonly jump: (place: LinePlace) => void;
  /** The shortcut of an action, empty where it has none. */
  readonly keys: (action: Action) => string;
  /** Have a model look at the figure of the cell's Try. */
  readonly look: () => void;
  readonly cells: OtherCells;
}

/** The footer of one cell. */
export class ProposalFooter extends ReactWidget {
  /** What had the keyboard's focus before it came in here. */
  focusedBefore: Element | null = null;
  private readonly _pressGuard = new PressGuard(this.node);
  private _model: FooterModel | null = null;
  private _shown = '';

  constructor(private readonly _owner: FooterOwner) {
    super();
    this.addClass('spark-Footer');
    this.node.setAttribute('role', 'group');
    this.node.addEventListener('focusin', ({ relatedTarget: before }) => {
      this.focusedBefore = before instanceof Element && !this.node.contains(before) ? before : this.focusedBefore;
    });
    this._pressGuard.released.connect(() => this._model && this.showModel(this._model));
  }

  /** Show a model at once; nothing happens where it is shown already. While a button is pressed nothing moves. */
  showModel(model: FooterModel): void {
    this._model = model;
    const key = JSON.stringify(model);
    if (key === this._shown || this._pressGuard.isDown) {
      return;
    }
    this._shown = key;
    const focused = this._focusedAction();
    this.node.setAttribute('aria-label', `Spark: ${stateLabel(model, model.stopping)}`);
    this.node.dataset.state = model.blocked ? 'blocked' : model.state;
    flushSync(() => MessageLoop.sendMessage(this, Widget.Msg.UpdateRequest));
    if (focused && this._focusedAction() === null) {
      this.focusAction(focused);
    }
  }

  /** Put the keyboard's focus on what comes first: a surprise is read before anything is kept. */
  focusFirst(): void {
    const surprises = this.node.querySelector<HTMLElement>('.spark-Surprises');
    if (surprises) {
      surprises.focus({ preventScroll: true });
    } else {
      this.focusAction((this._model && primaryAction(this._model)) ?? 'accept');
    }
  }

  /** Put the keyboard's focus on a button, or on the first where that one is missing. */
  focusAction(action: Action): void {
    const buttons = [...this.node.querySelectorAll<HTMLButtonElement>('button:not([disabled])')];
    (buttons.find(button => button.dataset.action === action) ?? buttons[0])?.focus({ preventScroll: true });
  }

  protected override render(): React.JSX.Element | null {
    return this._model && <Footer model={this._model} owner={this._owner} />;
  }

  private _focusedAction(): Action | null {
    const active = document.activeElement;
    return active instanceof HTMLElement && this.node.contains(active) ? ((active.dataset.action as Action) ?? 'accept') : null;
  }
}

interface Props {
  readonly model: FooterModel;
  readonly owner: FooterOwner;
}

function Footer({ model, owner }: Props): React.JSX.Element {
  const { asides, cut, findings, hunks, question, recalled, surprises, trial, unfinished } = model;
  return (
    <>
      {surprises.length > 0 && <SurpriseList surprises={surprises} />}
      <Bar model={model} owner={owner} />
      {question && <Question model={model} owner={owner} about={question} />}
      {recalled && <Note>{recalled === 'changed' ? `${FROM_FILE} ${ALTERED}` : FROM_FILE}</Note>}
      {hunks?.stale && <Note>{staleNote(hunks)}</Note>}
      {unfinished && <Note>{unfinished}</Note>}
      {cut && <CutNote cut={cut} model={model} />}
      <FindingList findings={findings} jump={owner.jump} />
      {asides.map(({ line, message }) => (
        <Note key={`${line} ${message}`}>
          <LineLinks lines={[line]} jump={owner.jump} /> {told(message)}
        </Note>
      ))}
      {trial && (
        <TrialView
          trial={trial}
          stale={model.tried === 'changed'}
          jump={line => owner.jump({ line })}
          allow={model.noTry || model.trying ? null : permissions => owner.act('try', permissions)}
          look={owner.look}
          cells={owner.cells}
        />
      )}
    </>
  );
}

const FROM_FILE = t('This proposal was read from the notebook. It has not been checked since.');
const ALTERED = t('Its text differs from what was proposed.');

function Note({ children }: { children: React.ReactNode }): React.JSX.Element {
  return <div className="spark-Footer-note">{children}</div>;
}

// --- the first line -----------------------------------------------------------------------------------------------------------

function Bar({ model, owner }: Props): React.JSX.Element {
  const trial = model.trying ? null : currentTrial(model);
  const hasHunks = model.hunks?.shown && model.hunks.count > 0 && !isOneChange(model) && model.state !== 'streaming';
  return (
    <div className="spark-Footer-bar">
      <span className="spark-Footer-state">{stateLabel(model, model.stopping)}</span>
      <AuthorName turn={model} me={null} />
      {model.operation?.below && <Destination below={model.operation.below} cells={owner.cells} />}
      {buttonsFor(model).map(one => (
        <FooterButton key={one.action} {...one} primary={one.action !== 'stop' && primaryAction(model) === one.action} owner={owner} />
      ))}
      {hasHunks && model.hunks && <HunkSteps hunks={model.hunks} owner={owner} />}
      {trial && <Result line={resultLine(trial)} at={trial.error_line ?? null} jump={owner.jump} />}
      {model.untried && <span className="spark-Footer-untried">{model.untried}</span>}
      {model.trying && <span className="spark-Footer-checking">{t('Trying…')}</span>}
      {model.inspecting && (
        <span className="spark-Footer-checking" title={t('Run waits until the checks are done')}>
          {t('Checking…')}
        </span>
      )}
    </div>
  );
}

/** The result in a line; of an error also where it was raised. */
function Result({ line: { outcome, text, details }, at, jump }: { line: ResultLine; at: number | null; jump: FooterOwner['jump'] }): React.JSX.Element {
  return (
    <span className="spark-Footer-digest" data-outcome={outcome} data-failed={outcome === 'failed'} title={details}>
      {text} {at !== null && <LineLinks lines={[at]} jump={jump} />}
    </span>
  );
}

/** Where a cell is to be moved. */
function Destination({ below, cells }: { below: string; cells: FooterOwner['cells'] }): React.JSX.Element {
  return (
    <span>
      {t('below')} <Button label={cells.name(below)} title={t('Go to this cell')} onClick={() => cells.go(below)} />
    </span>
  );
}

interface ButtonSpec {
  readonly action: Action;
  readonly label: string;
  readonly title: string;
  readonly pressed?: boolean;
  readonly unavailable?: string;
}

function FooterButton({ owner, primary, ...spec }: ButtonSpec & { owner: FooterOwner; primary: boolean }): React.JSX.Element {
  const icon = spec.action === 'run' && !spec.label.endsWith('…') ? runIcon : undefined;
  return <Button {...spec} icon={icon} primary={primary} keys={owner.keys(spec.action)} onClick={() => owner.act(spec.action)} />;
}

/**
 * The buttons in their order. Where a trial fails meanwhile, Fix takes the first place and Run the last: under a pointer that is about to
 * press, nothing becomes an action that does more than the one before.
 */
function buttonsFor(model: FooterModel): readonly ButtonSpec[] {
  if (!isDecidable(model)) {
    return model.state === 'streaming' ? [stop(model)] : [];
  }
  const all = hasDiff(model) && !isOneChange(model);
  const fails = primaryAction(model) === 'fix';
  const runnable = model.code && (!model.operation || model.operation.kind === 'run');
  const runs = runnable && !model.unfinished ? [run(model)] : [];
  return [
    ...(model.unfinished ? [CONTINUE] : []),
    ...(fails ? [FIX] : []),
    ...(model.operation?.kind === 'run' ? [] : [accept(all)]),
    ...(fails ? [] : runs),
    ...(hasDiff(model) ? [diff(model)] : []),
    ...(runnable ? [tryOut(model)] : []),
    { action: 'reject', label: all ? t('Reject all') : t('Reject'), title: t('Discard it') },
    ...(fails ? runs : [])
  ];
}

const CONTINUE: ButtonSpec = { action: 'continue', label: t('Continue'), title: t('Write the rest of this cell') };
const FIX: ButtonSpec = { action: 'fix', label: t('Fix'), title: t('Repair the error; the change is proposed as a diff') };

function accept(all: boolean): ButtonSpec {
  return { action: 'accept', label: all ? t('Accept all') : t('Accept'), title: t('Keep it') };
}

function stop({ stopping }: FooterModel): ButtonSpec {
  return { action: 'stop', label: t('Stop'), title: t('Stop writing (Esc); what is written stays as a proposal'), unavailable: stopping ? t('Stopping…') : '' };
}

function run({ blocked, surprises, tried }: FooterModel): ButtonSpec {
  if (blocked) {
    return { action: 'run', label: t('Review…'), title: t('A finding blocks it: see why, and decide whether to run it') };
  }
  const although = surprises.length > 0 ? t(', although it surprises') : '';
  return { action: 'run', label: t('Run'), title: t('Keep it, run it and move on%1%2', TRIED[tried ?? 'never'], although) };
}

const TRIED = { never: '', same: t(': exactly what was tried'), changed: t(': edited since it was tried') } as const;

function diff({ hunks }: FooterModel): ButtonSpec {
  const shown = hunks?.shown ?? false;
  return { action: 'diff', label: t('Diff'), title: shown ? t('Show the cell as it is') : t('Show what changes'), pressed: shown };
}

function tryOut({ trying, noTry }: FooterModel): ButtonSpec {
  return trying && !noTry
    ? { action: 'cancel-try', label: t('Stop'), title: t('Stop trying it (Esc)') }
    : { action: 'try', label: t('Try'), title: t('Run it in a copy of the kernel; nothing is kept'), unavailable: noTry };
}

function HunkSteps({ hunks, owner }: { hunks: Hunks; owner: FooterOwner }): React.JSX.Element {
  const step = (action: Action, label: string, title: string) => (
    <Button action={action} label={label} title={title} keys={owner.keys(action)} onClick={() => owner.act(action)} />
  );
  return (
    <span className="spark-Footer-hunks" role="group" aria-label={t('Changes one by one')}>
      {step('previous-hunk', '↑', t('Previous change'))}
      <span className="spark-Footer-count">
        {t('%1 of %2', hunks.current + 1, hunks.count)}
      </span>
      {step('next-hunk', '↓', t('Next change'))}
    </span>
  );
}

// --- below it -----------------------------------------------------------------------------------------------------------------

/** The question, the no and the yes. */
const QUESTIONS: Record<Confirmation, readonly [string, string, string]> = {
  run: [t('The guardrail blocks this cell. Run it anyway?'), t('Don’t run'), t('Run anyway')],
  accept: [t('This cell does not parse. Keep it anyway?'), t('Don’t keep'), t('Accept anyway')]
};

/** The confirmation, in place. Its reasons are the findings below it. */
function Question({ model, owner, about }: Props & { about: Confirmation }): React.JSX.Element {
  const [text, no, yes] = QUESTIONS[about];
  const reasons = model.findings.filter(blocks).map(finding => toldSentences(finding.message));
  return (
    <div className="spark-Footer-question" role="alertdialog" aria-label={text} aria-description={reasons.join(' ')}>
      <span>{model.recalled && about === 'run' ? t('Nothing has checked this cell. Run it anyway?') : text}</span>
      <Button action="dont-run" label={no} title={t('Leave it as it is (Esc)')} onClick={() => owner.act('dont-run')} />
      <Button action="run-anyway" label={yes} title={t('Do it, although a finding blocks it')} onClick={() => owner.act('run-anyway')} />
    </div>
  );
}

/** Text that was removed while it streamed, and why, unless a finding shown below gives the same reason. */
function CutNote({ cut: { cut = '', findings }, model }: { cut: Findings; model: FooterModel }): React.JSX.Element {
  const reasons = findings.filter(finding => blocks(finding) && model.findings.every(one => one.message !== finding.message));
  return (
    <Note>
      {model.unfinished ? t('Removed: ') : t('Removed and rewritten: ')}
      <s>
        <code>{cut.trim()}</code>
      </s>
      {reasons.map((finding, n) => (
        <React.Fragment key={n}>
          {' '}
          <InlineCode text={toldSentences(finding.message)} />
        </React.Fragment>
      ))}
    </Note>
  );
}

function staleNote({ conflicts }: Hunks): string {
  const places = conflicts === 1 ? t('one place') : t('%1 places', conflicts);
  return conflicts === 0
    ? t('You changed this cell after the edit began. Your change is kept.')
    : t('You changed this cell after the edit began. In %1 both changed the same lines: look at them before you accept.', places);
}
