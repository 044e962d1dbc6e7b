// Findings of a proposal, each linked to its line.

import * as React from 'react';
import { InlineCode } from '../inlineCode';
import { toldSentences } from '../kernelTexts';
import type { Finding } from '../messages';
import { blocks, isHint } from '../selectors';
import { t } from '../translation';

/** A line of a cell, from 1. */
export type LinePlace = Pick<Finding, 'line' | 'column'>;

type Jump = (place: LinePlace) => void;

/** The findings; hints are folded behind one line, or left out where the list is `brief`. */
export function FindingList({ findings, jump, brief = false }: { findings: readonly Finding[]; jump: Jump; brief?: boolean }): React.JSX.Element | null {
  const hints = brief ? [] : findings.filter(isHint);
  const others = findings.filter(one => !isHint(one));
  return others.length + hints.length === 0 ? null : (
    <ul className="spark-Findings" aria-label={t('Findings')}>
      {others.map((one, n) => (
        <FindingItem key={n} finding={one} jump={jump} brief={brief} />
      ))}
      {hints.length > 0 && <FoldedHints hints={hints} jump={jump} />}
    </ul>
  );
}

/** Hints are right, and seldom what matters. */
function FoldedHints({ hints, jump }: { hints: readonly Finding[]; jump: Jump }): React.JSX.Element {
  const rules = [...new Set(hints.map(({ rule }) => rule))].join(', ');
  return (
    <li className="spark-Hints">
      <details>
        <summary>
          {hints.length === 1 ? t('A hint') : t('%1 hints', hints.length)}: {rules}
        </summary>
        <ul className="spark-Findings">
          {hints.map((one, n) => (
            <FindingItem key={n} finding={one} jump={jump} />
          ))}
        </ul>
      </details>
    </li>
  );
}

function FindingItem({ finding, jump, brief = false }: { finding: Finding; jump: Jump; brief?: boolean }): React.JSX.Element {
  const severity = blocks(finding) ? 'block' : isHint(finding) ? 'hint' : 'warn';
  const kind = finding.allowed ? t('Allowed (%1)', finding.allowed) : { block: t('Blocks'), hint: t('Hints'), warn: t('Warns') }[severity];
  return (
    <li className="spark-Finding" data-severity={severity}>
      <LineLinks lines={[finding.line, ...(finding.also ?? [])]} column={finding.column} jump={jump} />
      {!brief && <span className="spark-Finding-kind">{kind}</span>}
      <span className="spark-Finding-text">
        <InlineCode text={brief ? toldSentences(finding.message) : textOf(finding)} />
      </span>
      {!brief && (
        <span className="spark-Finding-rule" title={finding.page}>
          {finding.rule}
        </span>
      )}
    </li>
  );
}

/** "Line 5", "Lines 5, 6": a link to each. `column` is of the first. */
export function LineLinks({ lines, column, jump }: { lines: readonly number[]; column?: number; jump: Jump }): React.JSX.Element {
  return (
    <span className="spark-Finding-lines">
      {lines.map((line, n) => (
        <React.Fragment key={line}>
          {n > 0 && ', '}
          <button type="button" className="spark-Finding-jump" title={t('Go to line %1', line)} onClick={() => jump(n === 0 ? { line, column } : { line })}>
            {n > 0 ? line : lines.length > 1 ? t('Lines %1', line) : t('Line %1', line)}
          </button>
        </React.Fragment>
      ))}
    </span>
  );
}

/** What is wrong, what to do, and the code's own error where it ran in a copy. */
function textOf({ message, remedy, raised }: Finding): string {
  return [toldSentences(message), toldSentences(remedy ?? ''), raised ? t('It raised: %1', raised) : ''].filter(Boolean).join(' ');
}
