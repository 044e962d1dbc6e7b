// Result of a Try below the cell: data changes, comparison, outputs.
//
// All of it is text, but for pictures, and tables from which everything live has been removed.

import { Sanitizer } from '@jupyterlab/apputils';
import * as React from 'react';
import { Button } from '../button';
import { HTML_ATTRIBUTES, HTML_DROPPED, HTML_ELEMENTS, PICTURES } from '../constants';
import { toldParts, toldSentences } from '../kernelTexts';
import type { Effect, Output, Permission, TrialResult } from '../messages';
import { figureOf } from '../promptImages';
import { plain } from '../plainText';
import { type OtherCells, ProofView } from './proofView';
import { changeOf, changesData, isResultLine, outcomeOf, restOf, textOf, trialHeadline } from './trialResult';
import { t } from '../translation';

const BASE64 = /^[A-Za-z0-9+/=\s]+$/;

/** The kernel has sanitised it, and what comes from a kernel is sanitised here once more. */
const HTML = {
  allowedTags: [...HTML_ELEMENTS],
  allowedAttributes: { '*': [...HTML_ATTRIBUTES] },
  nonTextTags: [...HTML_DROPPED],
  allowedSchemes: [],
  disallowedTagsMode: 'discard' as const
};

export interface TrialViewProps {
  readonly trial: TrialResult;
  /** Whether the source has changed since it was tried. */
  readonly stale: boolean;
  /** Show a line (from 1) of the cell. */
  readonly jump: (line: number) => void;
  /** Try it again with this allowed; null where it can't be tried now. */
  readonly allow: ((permissions: readonly Permission[]) => void) | null;
  /** Have a model look at the figure. */
  readonly look: () => void;
  readonly cells: OtherCells;
}

/** What needs no reading is folded: the headline of a rehearsal that went well, new variables, long text. */
export function TrialView({ trial, stale, jump, allow, look, cells }: TrialViewProps): React.JSX.Element {
  const { outputs = [], effects = [], lacked = [], rehearsed = false } = trial;
  const failed = outcomeOf(trial) === 'failed';
  // The result line says it all: the error, why nothing was tried, or that nothing went wrong.
  const isSaid = outcomeOf(trial) === 'untried' ? restOf(trial) === '' : rehearsed || (failed && Boolean(trial.error));
  const isQuiet = isSaid && !trial.proof && !trial.unenforced && !trial.outside;
  const hasTraceback = outputs.some(output => output.kind === 'error');
  const changes = effects.filter(changesData);
  const others = effects.filter(one => !changesData(one));
  const headline = <Headline trial={trial} jump={jump} />;
  return (
    <div className="spark-Trial" role="group" aria-label={t('What the Try showed')} data-failed={failed} data-stale={stale} data-rehearsed={rehearsed}>
      {stale && <div className="spark-Trial-stale">{t('Edited since this preview. Try again to see what would run now.')}</div>}
      {!isQuiet && headline}
      {allow && lacked.length > 0 && <AllowButton lacked={lacked} allow={allow} />}
      {trial.moving && <div className="spark-Footer-note">{t('Another cell was running, so the result may differ when you run it.')}</div>}
      {trial.proof && <ProofView proof={trial.proof} cells={cells} />}
      {changes.length > 0 && <Effects effects={changes} label={t('Changed data')} />}
      {outputs.map((output, n) => output.kind !== 'error' && !isResultLine(output, trial) && <FoldedOutput key={n} output={output} />)}
      {figureOf(trial) && <Button label={t('Look')} title={t('Let a vision model compare the figure with the prompt')} className="spark-Trial-allow" onClick={look} />}
      {outputs.map((output, n) => output.kind === 'error' && <Traceback key={n} text={output.text ?? ''} headline={isQuiet ? headline : null} />)}
      {others.length > 0 && !rehearsed && <Effects effects={others} label={t('Effects')} />}
      {((isQuiet && !hasTraceback) || (rehearsed && others.length > 0)) && (
        <details className="spark-Trial-more">
          <summary>{others.length === 0 ? t('Details') : others.length === 1 ? t('1 effect') : t('%1 effects', others.length)}</summary>
          {isQuiet && !hasTraceback && headline}
          {others.length > 0 && <Effects effects={others} label={t('Effects')} />}
        </details>
      )}
    </div>
  );
}

/** The outcome in a sentence, in which the error's line is a link. */
function Headline({ trial, jump }: { trial: TrialResult; jump: (line: number) => void }): React.JSX.Element {
  const rest = restOf(trial); // what was not tried stands in the result line
  const text = rest || trialHeadline(trial);
  const line = rest ? null : trial.error_line;
  const place = ` (line ${line})`;
  const at = text.indexOf(place);
  const [before, after] = !line || at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + place.length)];
  const kept = trial.outside ? t('No variable was kept; its effects outside the copy are real.') : t('Nothing was kept.');
  return (
    <div className="spark-Trial-headline">
      {before}
      {line ? (
        <>
          {' ('}
          <button type="button" className="spark-Finding-jump" title={t('Go to line %1', line)} onClick={() => jump(line)}>
            {t('line %1', line)}
          </button>
          {')'}
        </>
      ) : null}
      {after}. {kept} {toldSentences(trial.unenforced ?? '')}
    </div>
  );
}

const PERMISSION_WORDS: Readonly<Record<Permission, string>> = { files: t('files'), network: t('network'), shell: t('processes'), read: t('reading') };

function AllowButton({ lacked, allow }: { lacked: readonly Permission[]; allow: (permissions: readonly Permission[]) => void }): React.JSX.Element {
  const what = lacked.map(permission => PERMISSION_WORDS[permission]).join(t(' and '));
  const title = t('Run it in a copy of the kernel again. What it does outside the copy then really happens.');
  return <Button label={t('Try again with %1 allowed', what)} title={title} className="spark-Trial-allow" onClick={() => allow(lacked)} />;
}

function Traceback({ text, headline }: { text: string; headline: React.ReactNode }): React.JSX.Element {
  return (
    <details className="spark-Trial-traceback">
      <summary>{t('Traceback')}</summary>
      {headline}
      <pre className="spark-Trial-error" tabIndex={0}>
        {plain(text).replace(/^-+\n/, '')}
      </pre>
    </details>
  );
}

/** Lines of text that are shown at once. */
const LINES = 8;

/** Text that is long is folded behind its length; the result line has its end. */
export function FoldedOutput({ output }: { output: Output }): React.JSX.Element {
  const lines = isText(output) ? textOf(output).trimEnd().split('\n').length : 0;
  const what = output.kind === 'stderr' ? t('Warnings') : t('Output');
  return lines <= LINES ? (
    <OutputView output={output} />
  ) : (
    <details className="spark-Trial-more">
      <summary>
        {t('%1, %2 lines', what, lines)}
      </summary>
      <OutputView output={output} />
    </details>
  );
}

function OutputView({ output }: { output: Output }): React.JSX.Element {
  const { data = {}, kind } = output;
  const picture = pictureOf(output);
  if (picture) {
    return <img className="spark-Trial-image" alt={t('Picture that the cell would show')} src={`data:${picture};base64,${data[picture]}`} />;
  }
  if (data['text/html'] && !isText(output)) {
    const html = new Sanitizer().sanitize(data['text/html'], HTML);
    return <div className="spark-Trial-html jp-RenderedHTMLCommon" tabIndex={0} dangerouslySetInnerHTML={{ __html: html }} />;
  }
  return (
    <pre className="spark-Trial-output" data-kind={kind} tabIndex={0}>
      {plain(textOf(output))}
    </pre>
  );
}

function pictureOf({ data = {} }: Output): string | undefined {
  return PICTURES.find(type => data[type] && BASE64.test(data[type]));
}

function isText(output: Output): boolean {
  const { 'text/html': html, 'text/plain': text = '' } = output.data ?? {};
  return !pictureOf(output) && !(html && (isTable(html) || text === '' || text.startsWith('<')));
}

/** Without its style and scripts only a table still looks as it was meant: a model's diagram is better said in its text. */
function isTable(html: string): boolean {
  return new DOMParser().parseFromString(html, 'text/html').querySelector('body > table, body > div > table') !== null;
}

function Effects({ effects, label }: { effects: readonly Effect[]; label: string }): React.JSX.Element {
  return (
    <ul className="spark-Trial-effects" aria-label={label}>
      {effects.map((effect, n) => (
        <EffectItem key={n} effect={effect} />
      ))}
    </ul>
  );
}

const EFFECT_KINDS: Readonly<Record<Effect['kind'], string>> = {
  file: t('file'),
  network: t('network'),
  package: t('package'),
  shell: t('process'),
  thread: t('thread'),
  variable: t('variable')
};
const ACTIONS: Readonly<Record<Effect['action'], string>> = {
  changed: t('changed'),
  deleted: t('deleted'),
  moved: t('moved'),
  new: t('new'),
  read: t('read'),
  removed: t('removed'),
  used: t('used'),
  written: t('written')
};

function EffectItem({ effect }: { effect: Effect }): React.JSX.Element {
  const { kind, name, action, before, after, detail, refused = false } = effect;
  return (
    <li className="spark-Effect" data-kind={kind} data-refused={refused}>
      <span className="spark-Effect-kind">{EFFECT_KINDS[kind]}</span>
      <code className="spark-Effect-name">{name}</code>
      <span className="spark-Effect-action">{refused ? t('refused') : ACTIONS[action]}</span>
      {(before || after) && <span className="spark-Effect-change">{changeOf(effect)}</span>}
      {detail && <span className="spark-Effect-detail">{toldParts(detail, '; ')}</span>}
    </li>
  );
}
