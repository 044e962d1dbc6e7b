// The footer below a cell for which something is proposed: its state, its findings, and what can be done with it.

import { Widget } from '@lumino/widgets';
import { EMPTY_CELL, PASSIVE_LINE } from './constants';
import { h, patch, plain, withCode } from './dom';
import { contentHash } from './hash';
import type { Finding, Findings, Permission, Aside, Surprise, TrialResult } from './messages';
import { differs, type OtherCells } from './proofView';
import { blocks, cutOf, isDecidable, isHint, wantsSecondYes } from './selectors';
import type { FullProposal, State } from './state';
import { surprisesView } from './surprisesView';
import { failed, trialView } from './trialView';

/** A line of a cell, from 1. */
export type Place = Pick<Finding, 'line' | 'column'>;

/** What the footer can ask for, by the name in its buttons' `data-action`. */
export type Action =
  | 'accept'
  | 'continue'
  | 'run'
  | 'run-anyway'
  | 'dont-run'
  | 'diff'
  | 'try'
  | 'cancel-try'
  | 'reject'
  | 'stop'
  | 'next-hunk'
  | 'previous-hunk'
  | 'accept-hunk'
  | 'reject-hunk';

/** How the diff of an edit stands. */
export interface Hunks {
  readonly count: number;
  /** From 0. */
  readonly current: number;
  /** Whether a change of it was decided by itself. */
  readonly partly: boolean;
  /** Whether the diff is on the screen. */
  readonly shown: boolean;
  /** Whether the cell was changed after the edit began. */
  readonly stale: boolean;
  /** How many places the user changed that the edit changes too. */
  readonly conflicts: number;
}

/** All that a footer shows. */
export interface FooterModel {
  readonly state: FullProposal['state'];
  /** Whether the user has stopped the writing, and the kernel has not said so yet. */
  readonly stopping: boolean;
  readonly kind: FullProposal['kind'];
  readonly code: boolean;
  readonly findings: readonly Finding[];
  /** What is to be known of its lines and is no finding. */
  readonly asides: readonly Aside[];
  /** What its Try did that is to be known first; nothing where the text is another one by now. */
  readonly surprises: readonly Surprise[];
  /** Whether the slower checks still look at it: Run waits for them. */
  readonly inspecting: boolean;
  readonly blocked: boolean;
  readonly cut: Findings | null;
  readonly hunks: Hunks | null;
  readonly trying: boolean;
  readonly trial: TrialResult | null;
  /** How what was tried stands to what would run now; null where nothing was tried. */
  readonly tried: 'same' | 'changed' | null;
  /** Why Try can't work; empty where it can. */
  readonly noTry: string;
  /** Whether this tab writes; another one shows only. */
  readonly writer: boolean;
  /** What is missing where the writing was stopped in the middle; empty where it is whole, or the user has changed it. */
  readonly unfinished: string;
  readonly recalled: FullProposal['recalled'];
  /** What is to be done, for which a second yes is wanted; null where none is. */
  readonly asks: Confirmation | null;
}

/** The footer's model for a proposal. `standing` is the source that would run now. */
export function footerModel(state: State, proposal: FullProposal, hunks: Hunks | null, standing: () => string): FooterModel {
  const { hello } = state;
  const trial = state.trials.get(proposal.cell_id) ?? null;
  const tried = trial?.source_hash ? (trial.source_hash === contentHash(standing()) ? 'same' : 'changed') : null;
  return {
    state: proposal.state,
    stopping: state.stopping.has(proposal.turn_id),
    kind: proposal.kind,
    code: proposal.cell_type === 'code',
    findings: proposal.findings,
    asides: proposal.asides,
    surprises: tried === 'changed' ? [] : proposal.surprises,
    inspecting: proposal.inspecting,
    blocked: wantsSecondYes(proposal),
    cut: cutOf(state, proposal.cell_id),
    hunks,
    trying: proposal.trying || state.trying.has(proposal.cell_id),
    trial,
    tried,
    noTry: hello ? hello.try_unavailable ?? '' : 'The kernel that proposed this is gone.',
    writer: hello?.writer ?? true,
    unfinished: proposal.unfinished && standing() === proposal.source ? proposal.unfinished : '',
    recalled: proposal.recalled,
    asks: null
  };
}

/** What wants a second yes. */
export type Confirmation = 'run' | 'accept';

/** The question, the no and the yes. */
const QUESTIONS: Record<Confirmation, readonly [string, string, string]> = {
  run: ['The guardrail blocks this cell. Run it all the same?', 'Don’t run', 'Run anyway'],
  accept: ['This cell does not parse. Keep it all the same?', 'Don’t keep', 'Accept anyway']
};

/** The label of a state, in the footer and for screen readers. */
export function stateLabel(model: Pick<FullProposal, 'state' | 'kind' | 'byRunning'>, stopping = false): string {
  switch (model.state) {
    case 'streaming':
      return stopping ? 'Stopping…' : model.kind === 'edit' ? 'Editing…' : 'Writing…';
    case 'blocked':
      return 'Blocked';
    case 'accepted':
      return model.byRunning ? 'Accepted by running it' : 'Accepted';
    case 'rejected':
      return 'Rejected';
    case 'reverted':
      return 'Reverted';
    case 'ready':
      return model.kind === 'edit' ? 'Proposed edit' : 'Proposed';
  }
}

const PASSIVE = new RegExp(PASSIVE_LINE);

/** The name of a cell: its first line that is no import, comment or magic. */
export function nameOf(source: string): string {
  const lines = source.split('\n').filter(line => line.trim());
  return lines.find(line => !PASSIVE.test(line)) ?? lines[0] ?? EMPTY_CELL;
}

/** The footer of one cell. */
export class ProposalFooter extends Widget {
  private _shown = '';
  /** What had the keyboard's focus before it came in here. */
  focusedBefore: Element | null = null;

  constructor(
    private readonly _act: (action: Action, allow?: readonly Permission[]) => void,
    private readonly _jump: (place: Place) => void,
    /** The shortcut of an action, empty where it has none. */
    private readonly _keys: (action: Action) => string,
    private readonly _cells: OtherCells
  ) {
    super();
    this.addClass('spark-Footer');
    this.node.setAttribute('role', 'group');
    this.node.addEventListener('focusin', ({ relatedTarget: before }) => {
      this.focusedBefore = before instanceof Element && !this.node.contains(before) ? before : this.focusedBefore;
    });
  }

  /** Show a model; nothing happens where it is shown already. */
  render(model: FooterModel): void {
    const key = JSON.stringify(model);
    if (key === this._shown) {
      return;
    }
    this._shown = key;
    const focused = this._focusedAction();
    this.node.setAttribute('aria-label', `Spark: ${stateLabel(model, model.stopping)}`);
    this.node.dataset.state = model.blocked ? 'blocked' : model.state;
    patch(this.node, [
      ...(model.surprises.length > 0 ? [surprisesView(model.surprises)] : []),
      this._bar(model),
      ...(model.asks ? [this._question(model, model.asks)] : []),
      ...(model.recalled ? [h('div', { class: 'spark-Footer-note' }, `${FROM_FILE} ${model.recalled === 'changed' ? ALTERED : ''}${UNJUDGED}`)] : []),
      ...(model.hunks?.stale ? [h('div', { class: 'spark-Footer-note' }, staleNote(model.hunks))] : []),
      ...(model.unfinished ? [h('div', { class: 'spark-Footer-note' }, model.unfinished)] : []),
      ...(model.cut ? [cutNote(model.cut, model.findings, model.unfinished ? 'Cut: ' : 'Cut and written anew: ')] : []),
      ...(model.findings.length > 0 ? [this._findings(model.findings)] : []),
      ...model.asides.map(({ line, message }) => h('div', { class: 'spark-Footer-note' }, ...placesOf({ line }, this._jump), ' ', message)),
      ...(model.trial ? [this._trial(model, model.trial)] : [])
    ]);
    if (focused && this._focusedAction() === null) {
      this.focusAction(focused);
    }
  }

  /** Put the keyboard's focus on what comes first: what surprises is read before anything is kept. */
  focusFirst(): void {
    const surprises = this.node.querySelector<HTMLElement>('.spark-Surprises');
    if (surprises) {
      surprises.focus({ preventScroll: true });
    } else {
      this.focusAction('accept');
    }
  }

  /** Put the keyboard's focus on a button, or on the first where that one is missing. */
  focusAction(action: Action): void {
    const buttons = [...this.node.querySelectorAll<HTMLButtonElement>('button:not([disabled])')];
    (buttons.find(button => button.dataset.action === action) ?? buttons[0])?.focus({ preventScroll: true });
  }

  private _focusedAction(): Action | null {
    const active = document.activeElement;
    return active instanceof HTMLElement && this.node.contains(active) ? ((active.dataset.action as Action) ?? 'accept') : null;
  }

  private _bar(model: FooterModel): HTMLElement {
    return h(
      'div',
      { class: 'spark-Footer-bar' },
      h('span', { class: 'spark-Footer-state' }, stateLabel(model, model.stopping)),
      ...(model.state === 'streaming' ? [this._stop(model)] : []),
      ...(isDecidable(model) ? this._decisions(model) : []),
      ...(model.trial && !model.trying && model.tried !== 'changed' ? [digest(model.trial)] : []),
      ...(model.trying ? [h('span', { class: 'spark-Footer-checking' }, 'Trying…')] : []),
      ...(model.inspecting ? [h('span', { class: 'spark-Footer-checking', title: 'Run waits until that is done' }, 'Checking…')] : []),
      ...(model.hunks?.shown && model.hunks.count > 0 && !isOneChange(model) && model.state !== 'streaming' ? [this._hunks(model.hunks)] : [])
    );
  }

  /** The second yes, in place. Its reasons stand below it as findings. */
  private _question(model: FooterModel, about: Confirmation): HTMLElement {
    const [said, no, yes] = QUESTIONS[about];
    const reasons = model.findings.filter(blocks).map(finding => finding.message);
    return h(
      'div',
      { class: 'spark-Footer-question', role: 'alertdialog', 'aria-label': said, 'aria-description': reasons.join(' ') },
      h('span', {}, model.recalled && about === 'run' ? `${UNJUDGED} Run it all the same?` : said),
      this._button('dont-run', no, 'Leave it as it is (Esc)'),
      this._button('run-anyway', yes, 'Do it, although a finding blocks it')
    );
  }

  private _stop(model: FooterModel): HTMLElement {
    const button = this._button('stop', 'Stop', 'Stop writing, as Esc does here; what is written stays as a proposal');
    button.setAttribute('aria-disabled', String(model.stopping)); // not gone: it may have the focus
    return button;
  }

  private _decisions(model: FooterModel): HTMLElement[] {
    const although = model.surprises.length > 0 ? ', although it surprises' : '';
    const run = model.blocked ? 'Keep and run; asks once more, because a finding blocks it' : `Keep, run and move on${TRIED[model.tried ?? 'never']}${although}`;
    const shown = model.hunks?.shown ?? false;
    const all = model.kind === 'edit' && !isOneChange(model) ? ' all' : '';
    const accept = this._button('accept', `Accept${all}`, 'Keep');
    accept.classList.toggle('spark-mod-primary', isSound(model));
    return [
      ...(model.unfinished ? [this._continue()] : []),
      accept,
      ...(model.code && !model.unfinished ? [this._button('run', model.blocked ? 'Run…' : 'Run', run)] : []),
      ...(model.kind === 'edit' ? [this._button('diff', 'Diff', shown ? 'Show the cell as it is' : 'Show what changes', shown)] : []),
      ...(model.code ? [this._try(model)] : []),
      this._button('reject', `Reject${all}`, 'Discard')
    ];
  }

  private _continue(): HTMLElement {
    const button = this._button('continue', 'Continue', 'Have the rest of this cell written');
    button.classList.add('spark-mod-primary');
    return button;
  }

  private _try(model: FooterModel): HTMLElement {
    if (model.trying && !model.noTry) {
      return this._button('cancel-try', 'Stop', 'Stop trying it, as Esc does here');
    }
    const button = this._button('try', 'Try', model.noTry || 'Run in a copy of the kernel; nothing is kept');
    // aria-disabled instead of disabled: the reason must be reachable by the keyboard and a screen reader.
    if (model.noTry) {
      button.setAttribute('aria-disabled', 'true');
      button.setAttribute('aria-label', `Try: ${model.noTry}`);
    }
    return button;
  }

  private _trial(model: FooterModel, trial: TrialResult): HTMLElement {
    const allow = model.noTry || model.trying ? null : (permissions: readonly Permission[]) => this._act('try', permissions);
    return trialView(trial, { stale: model.tried === 'changed', jump: line => this._jump({ line }), allow, cells: this._cells });
  }

  private _hunks(hunks: Hunks): HTMLElement {
    return h(
      'span',
      { class: 'spark-Footer-hunks', role: 'group', 'aria-label': 'Changes one by one' },
      this._button('previous-hunk', '↑', 'Change before'),
      h('span', { class: 'spark-Footer-count' }, `${hunks.current + 1} of ${hunks.count}`),
      this._button('next-hunk', '↓', 'Next change'),
      this._button('accept-hunk', 'Accept this', 'Accept this change'),
      this._button('reject-hunk', 'Reject this', 'Reject this change')
    );
  }

  private _button(action: Action, label: string, title: string, pressed?: boolean): HTMLButtonElement {
    const onclick = (event: globalThis.Event) => {
      const disabled = (event.currentTarget as HTMLElement).getAttribute('aria-disabled') === 'true';
      if (!disabled) {
        this._act(action);
      }
    };
    const name = label.length < 2 ? title : undefined;
    const keys = this._keys(action);
    const tooltip = keys ? `${title} (${keys})` : title;
    return h('button', { type: 'button', class: 'spark-Button', title: tooltip, 'data-action': action, 'aria-pressed': pressed === undefined ? undefined : String(pressed), 'aria-label': name, onclick }, label);
  }

  private _findings(findings: readonly Finding[]): HTMLElement {
    const items = (some: readonly Finding[]) => some.map(one => findingItem(one, this._jump));
    const hints = findings.filter(isHint);
    return h(
      'ul',
      { class: 'spark-Findings', 'aria-label': 'Findings' },
      ...items(findings.filter(one => !isHint(one))),
      ...(hints.length > 0 ? [foldedHints(hints, items(hints))] : [])
    );
  }
}

/** Whether it is an edit that makes one change: to decide that by itself is to decide all. */
function isOneChange({ hunks }: FooterModel): boolean {
  return hunks?.count === 1 && !hunks.partly;
}

/** Whether nothing speaks against keeping it: then that is the first thing to do. */
function isSound({ blocked, unfinished, surprises, trial, tried }: FooterModel): boolean {
  const shown = tried === 'changed' ? null : trial;
  return !blocked && !unfinished && surprises.length === 0 && !(shown && failed(shown)) && !differs(shown?.proof);
}

/** What came out, in a few words: the error, or the line of the output that says most. */
function digest(trial: TrialResult): HTMLElement {
  const bad = failed(trial);
  const said = bad ? trial.error || trial.problem || '' : trial.decisive ?? '';
  const text = plain(said).split('\n')[0];
  return h('span', { class: 'spark-Footer-digest', 'data-failed': String(bad), title: text }, text && `${bad ? '✗' : '→'} ${text}`);
}
const FROM_FILE = 'This proposal was read from the notebook.';
const ALTERED = 'Its text is not the one that was proposed. ';
const UNJUDGED = 'Nothing has checked it since.';

const TRIED = { never: '', same: '; just as it was tried', changed: '; it was changed since it was tried' } as const;

/** What was taken out while it was written, and why, unless what is `shown` below says that too. */
function cutNote({ cut = '', findings }: Findings, shown: readonly Finding[], what: string): HTMLElement {
  const news = findings.filter(finding => blocks(finding) && shown.every(one => one.message !== finding.message));
  const reasons = news.flatMap(finding => [' ', ...withCode(finding.message)]);
  return h('div', { class: 'spark-Footer-note' }, what, h('s', {}, h('code', {}, cut.trim())), ...reasons);
}

function staleNote({ conflicts }: Hunks): string {
  const begun = 'The cell was changed after this edit began; the difference is to the cell as it is now';
  const places = conflicts === 1 ? 'one place' : `${conflicts} places`;
  return conflicts === 0 ? `${begun}, and keeps that change.` : `${begun}. In ${places} both changed the same lines: look at them before you accept.`;
}

/** The hints behind one line that says which they are: right, and seldom what matters. */
function foldedHints(hints: readonly Finding[], items: readonly HTMLElement[]): HTMLElement {
  const rules = [...new Set(hints.map(({ rule }) => rule))].join(', ');
  const summary = h('summary', {}, `${hints.length === 1 ? 'A hint' : `${hints.length} hints`}: ${rules}`);
  return h('li', { class: 'spark-Hints' }, h('details', {}, summary, h('ul', { class: 'spark-Findings' }, ...items)));
}

/** A button for each line of which a finding says the same. */
function placesOf(finding: Place & { readonly line: number } & Partial<Pick<Finding, 'also'>>, jump: (place: Place) => void): (Node | string)[] {
  const button = (place: Place, text: string) => h('button', { type: 'button', class: 'spark-Finding-jump', title: `Go to line ${place.line}`, onclick: () => jump(place) }, text);
  const also = (finding.also ?? []).flatMap(line => [', ', button({ line }, String(line))]);
  return [button(finding, `${also.length > 0 ? 'Lines' : 'Line'} ${finding.line}`), ...also];
}

/** A finding as a list item whose buttons lead to its lines. */
export function findingItem(finding: Finding, jump: (place: Place) => void): HTMLElement {
  const kind = finding.allowed ? `Allowed (${finding.allowed})` : blocks(finding) ? 'Blocks' : isHint(finding) ? 'Hints' : 'Warns';
  return h(
    'li',
    { class: 'spark-Finding', 'data-severity': blocks(finding) ? 'block' : isHint(finding) ? 'hint' : 'warn' },
    h('span', { class: 'spark-Finding-lines' }, ...placesOf(finding, jump)),
    h('span', { class: 'spark-Finding-kind' }, kind),
    h('span', { class: 'spark-Finding-text' }, ...withCode(said(finding))),
    h('span', { class: 'spark-Finding-rule', title: finding.page }, finding.rule)
  );
}

/** What a finding says: what is wrong, what to do, and what the code's own error said where it ran in a copy. */
function said({ message, remedy, raised }: Finding): string {
  return [message, remedy, raised ? `It raised: ${raised}` : ''].filter(Boolean).join(' ');
}
