// Draft below a cell: its lines, what its copy showed, its keys.

import { ReactWidget } from '@jupyterlab/apputils';
import { MessageLoop } from '@lumino/messaging';
import { Widget } from '@lumino/widgets';
import * as React from 'react';
import { flushSync } from 'react-dom';
import { Button } from '../button';
import { REPAIRED } from '../constants';
import { isResultLine, resultLine } from '../footer/trialResult';
import { FoldedOutput } from '../footer/trialView';
import { InlineCode } from '../inlineCode';
import { told, toldSentences } from '../kernelTexts';
import type { Drafted, DraftedCell } from '../messages';
import { promptOffers } from '../promptOffers';
import { t } from '../translation';
import { type DraftLine, linesOf } from './draftLines';

/** What is asked of its owner. */
export interface DraftOwner {
  /** `edit`: and have the cursor at the end of that line of it. */
  readonly take: (options: { run: boolean; edit?: number }) => void;
  readonly hide: () => void;
  /** Have words in place of those that were drafted for: they were meant in more than one way. */
  readonly choose: (words: string) => void;
  /** The shortcut of a command, empty where it has none. */
  readonly keys: (command: string) => string;
}

/** Pixels above the draft that stay in view: the last of the words. */
const WORDS = 80;

/** The draft of one cell's words. It is no part of the notebook. */
export class DraftWidget extends ReactWidget {
  private _drafted: Drafted | null = null;
  private _lines: (readonly DraftLine[])[] = [];
  private _isCurrent = true;
  private _serial = 0;
  private _chosen = 0;
  /** The lines that a finding blocks: one that stays is so until it is judged again. */
  private _blocked: ReadonlySet<number> = new Set();

  constructor(
    private readonly _owner: DraftOwner,
    private readonly _isPrompt = false
  ) {
    super();
    this.addClass('spark-Draft');
    this.node.setAttribute('role', 'group');
    this.node.setAttribute('aria-label', t('Draft, not part of the notebook'));
    this.node.addEventListener('mousedown', event => {
      event.preventDefault(); // the keys stay with the text
      this._isPrompt && event.stopPropagation(); // the cell becomes no other place for the prompt
    });
    this.hide();
  }

  /** Whether it can be taken: some of it is written for the words as they are. */
  get canBeTaken(): boolean {
    return this._isCurrent && this._drafted?.state !== 'writing' && (this._drafted?.cells ?? []).length > 0;
  }

  /** Show how a draft stands. */
  showDraft(drafted: Drafted): void {
    const { cells = [], state = 'writing' } = drafted;
    this._chosen = drafted.draft_id === this._drafted?.draft_id ? this._chosen : 0;
    const writes = state === 'writing';
    if (writes && cells.length === 0) {
      this._drafted = { ...drafted, cells: this._drafted?.cells ?? [] };
      this._isCurrent = false;
    } else {
      this._drafted = drafted;
      this._isCurrent = true;
      const count = writes ? Math.max(cells.length, this._lines.length) : cells.length;
      this._lines = Array.from({ length: count }, (_, n) =>
        n < cells.length ? linesOf(this._lines[n] ?? [], cells[n].source.trimEnd(), writes && n === cells.length - 1, () => (this._serial += 1)) : this._lines[n]
      );
      const found = cells.flatMap(({ blocked = [] }, n) => blocked.map(line => this._lines[n].at(line - 1)?.id ?? -1));
      this._blocked = new Set([...found, ...(writes ? this._blocked : [])]);
    }
    this._sync();
  }

  /** Have all of it in view, as far as the words stay there: who writes at the lower edge would not see that there is one. */
  reveal(): void {
    const scroller = this.node.closest('.jp-WindowedPanel-outer');
    const [seen, own] = [scroller, this.node].map(one => one?.getBoundingClientRect());
    if (scroller && seen && own && own.top < seen.bottom + WORDS && own.bottom > seen.bottom) {
      scroller.scrollTop += Math.max(0, Math.min(own.bottom - seen.bottom, own.top - seen.top - WORDS));
    }
  }

  /** The lines that are to be taken, from its first on; 0: all of them. */
  get chosen(): number {
    return this._chosen;
  }

  /** Choose one line more, or one less. */
  choose(more: number): void {
    const all = this._lines.reduce((sum, lines) => sum + lines.length, 0);
    this._chosen = Math.min(all, Math.max(0, this._chosen + more));
    this._sync();
  }

  /** The id of what is shown. */
  get draftId(): string {
    return this._drafted?.draft_id ?? '';
  }

  /** Whether what is shown is for other words than those that stand there now: they have gone on, or are as before again. */
  markStale(stale = true): void {
    this._isCurrent = !stale;
    this._sync();
  }

  private _sync(): void {
    const isEmpty = this._lines.every(lines => lines.length === 0) && !this._drafted?.problem && this._choices.length === 0;
    this.setHidden(isEmpty);
    this.node.dataset.state = this._isCurrent ? (this._drafted?.state ?? 'writing') : 'stale';
    flushSync(() => MessageLoop.sendMessage(this, Widget.Msg.UpdateRequest));
  }

  protected override render(): React.JSX.Element | null {
    const drafted = this._drafted;
    if (!drafted) {
      return null;
    }
    const { cells = [], problem = '' } = drafted;
    const above = this._lines.map((_, n) => this._lines.slice(0, n).reduce((sum, lines) => sum + lines.length, 0));
    return (
      <>
        {this._lines.map((lines, n) => (
          <DraftedCellView
            key={n}
            lines={lines}
            cell={this._isCurrent ? cells[n] : undefined}
            blocked={this._blocked}
            chosen={this._chosen - above[n]}
            edit={this.canBeTaken && !this._isPrompt ? line => this._owner.take({ run: false, edit: line + above[n] }) : undefined}
          />
        ))}
        {this._choices.length > 0 && (
          <div className="spark-Draft-choices" role="group" aria-label={t('What is meant?')}>
            <span>{t('What is meant?')}</span>
            {this._choices.map(words => (
              <button key={words} type="button" className="spark-Idea" title={t('Put this in place of your words')} onClick={() => this._owner.choose(words)}>
                {words}
              </button>
            ))}
          </div>
        )}
        <div className="spark-Draft-foot">
          <span className="spark-Draft-state" title={problem ? undefined : t('Not part of the notebook')}>
            {problem ? toldSentences(problem) : this._stateText(drafted)}
          </span>
          {this.canBeTaken && !this._isPrompt && (
            <>
              {this._button(t('Take'), t('Put it into the notebook. Click into it to take it and go on writing there.'), 'take', () => this._owner.take({ run: false }))}
              {this._button(t('Take and run'), t('Put it into the notebook and run it'), 'run', () => this._owner.take({ run: true }))}
              {this._button(t('Hide'), t('Hide it until the words change'), 'hide', () => this._owner.hide())}
            </>
          )}
        </div>
      </>
    );
  }

  /** The readings between which the answer asks. */
  private get _choices(): readonly string[] {
    return this._isCurrent && this._drafted?.state !== 'writing' ? promptOffers(this._drafted?.notes ?? '') : [];
  }

  private _button(label: string, title: string, command: string, onClick: () => void): React.JSX.Element {
    const keys = this._owner.keys(`spark:draft-${command}`);
    return <Button label={keys ? `${label} (${keys})` : label} title={title} action={command} className="spark-Draft-button" onClick={onClick} />;
  }

  private _stateText({ state, cells = [] }: Drafted): string {
    if (!this._isCurrent || state === 'writing') {
      return t('Draft …');
    }
    const blocked = cells.some(cell => (cell.blocked ?? []).length > 0);
    if (this._chosen > 0) {
      return this._chosen === 1 ? t('Draft, its first line') : t('Draft, its first %1 lines', this._chosen);
    }
    if (this._isPrompt && state === 'done') {
      return t('Draft of the answer. Enter proposes it.');
    }
    return state === 'trying' ? t('Draft, running in a copy …') : blocked ? t('Draft, blocked') : t('Draft');
  }
}

/** One cell. While it is written its lines come one by one; what was found of it comes when it is whole. */
function DraftedCellView(props: { lines: readonly DraftLine[]; cell?: DraftedCell; blocked: ReadonlySet<number>; chosen: number; edit?: (line: number) => void }): React.JSX.Element {
  const { lines, cell, blocked, chosen, edit } = props;
  const { reason = '', trial, surprise = '', repairs = 0 } = cell ?? {};
  const result = trial ? resultLine(trial) : null;
  const outputs = (trial?.outputs ?? []).filter(output => output.kind !== 'error' && !(trial && isResultLine(output, trial)));
  return (
    <div className="spark-Draft-cell">
      <pre className="spark-Draft-code">
        {lines.map(({ id, text }, n) => (
          <div key={id} className="spark-Draft-line" data-chosen={n < chosen || undefined} data-blocked={blocked.has(id) || undefined} onClick={edit && (() => edit(n))}>
            {text || ' '}
          </div>
        ))}
      </pre>
      {reason && <div className="spark-Draft-reason">{toldSentences(reason)}</div>}
      {surprise && (
        <div className="spark-Draft-surprise">
          {t('Surprise:')} <InlineCode text={told(surprise)} />
        </div>
      )}
      {result && (
        <div className="spark-Draft-result" data-outcome={result.outcome} title={result.details}>
          {[result.text, ...(repairs > 0 ? [t(REPAIRED[Math.min(repairs, REPAIRED.length - 1)])] : [])].join(' · ')}
        </div>
      )}
      {outputs.map((output, n) => (
        <FoldedOutput key={n} output={output} />
      ))}
    </div>
  );
}
