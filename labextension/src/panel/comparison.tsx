// Two answers side by side: results, code, and what differs by value.

import * as React from 'react';
import { Button } from '../button';
import { DifferenceItems } from '../footer/proofView';
import { SurpriseList } from '../footer/surpriseList';
import { outcomeOf, resultLine } from '../footer/trialResult';
import { FoldedOutput } from '../footer/trialView';
import type { AttemptChanged, Proof, TrialResult } from '../messages';
import { plain } from '../plainText';
import { t } from '../translation';
import { sentence } from './attempts';

interface ComparisonProps {
  readonly attempts: readonly AttemptChanged[];
  /** What keeping one does now: it is proposed, it opens in a turn of its own, or nothing while they are written. */
  readonly keeps: 'proposed' | 'opened' | null;
  readonly choose: (index: number) => void;
}

/** Nothing of either is in the notebook before one is kept. */
export function Comparison({ attempts, keeps, choose }: ComparisonProps): React.JSX.Element {
  const proof = attempts.find(one => one.compared)?.compared;
  return (
    <section className="spark-Comparison" aria-label={t('Two answers')}>
      <ol>
        {attempts.map(one => (
          <Column key={one.index} answer={one} heading={heading(one, attempts)} keeps={keeps} choose={choose} />
        ))}
      </ol>
      {proof && <Differences proof={proof} />}
    </section>
  );
}

/** What sets it apart: its prompt, or its model where both have one prompt. */
function heading(answer: AttemptChanged, all: readonly AttemptChanged[]): string {
  return all.every(one => one.prompt === answer.prompt) ? answer.model : (answer.prompt ?? '');
}

function Column({ answer, heading, keeps, choose }: { answer: AttemptChanged; heading: string } & Omit<ComparisonProps, 'attempts'>): React.JSX.Element {
  const { index, source, results = [], reason } = answer;
  const isTold = results.some(one => outcomeOf(one) !== 'tested');
  return (
    <li aria-label={t('Answer %1', index + 1)} data-state={answer.state}>
      <b>{`${index + 1}. ${plain(heading)}`}</b>
      {results.map((result, n) => (
        <Result key={n} result={result} />
      ))}
      {(results.length === 0 || (reason && !isTold)) && <div className="spark-Attempts-reason">{plain(sentence(answer))}</div>}
      {source && (
        <details className="spark-Trial-more">
          <summary>{t('Code')}</summary>
          <pre className="spark-Attempts-source" tabIndex={0}>
            {source}
          </pre>
        </details>
      )}
      {answer.proposed && <span className="spark-Attempts-proposed">{t('Kept')}</span>}
      {keeps === 'opened' && source && !answer.proposed && <div className="spark-Attempts-reason">{t('It stays until the kernel restarts.')}</div>}
      {keeps && source && !answer.proposed && (
        <Button
          label={keeps === 'proposed' ? t('Keep this one') : t('Open this one')}
          title={keeps === 'proposed' ? t('Propose its cells in the notebook; the other stays here') : t('Propose its cells in a new turn')}
          primary={keeps === 'proposed'}
          onClick={() => choose(index)}
        />
      )}
    </li>
  );
}

function Result({ result }: { result: TrialResult }): React.JSX.Element {
  const { outcome, text, details } = resultLine(result);
  return (
    <div className="spark-Comparison-result" data-outcome={outcome}>
      {(result.surprises?.length ?? 0) > 0 && <SurpriseList surprises={result.surprises ?? []} brief />}
      <div title={details}>{text}</div>
      {result.outputs?.map((output, n) => output.kind !== 'error' && <FoldedOutput key={n} output={output} />)}
    </div>
  );
}

function Differences({ proof }: { proof: Proof }): React.JSX.Element {
  const said = { same: t('Both give the same result.'), differs: t('What differs, from 1 to 2:'), unclear: t('No difference found, but not everything can be compared.') }[proof.verdict];
  return (
    <div className="spark-Comparison-differences" role="status">
      <b>{said}</b>
      <ul className="spark-Proof" aria-label={t('What differs')}>
        <DifferenceItems {...proof} />
      </ul>
    </div>
  );
}
