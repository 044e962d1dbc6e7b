// What a Try showed, below the cell. Everything is text, but for pictures, and tables from which all that is live has been taken.

import { Sanitizer } from '@jupyterlab/apputils';
import { h } from './dom';
import type { Effect, Output, TrialResult } from './messages';

const BASE64 = /^[A-Za-z0-9+/=\s]+$/;
const PICTURES = ['image/png', 'image/jpeg'] as const;
// eslint-disable-next-line no-control-regex
const CONTROLS = /\u001b\[[0-9;?]*[ -/]*[@-~]|[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

/** As spark_jupyter/trial/sanitise.py: the kernel has done it, and what comes from a kernel is looked at here once more. */
const HTML = {
  allowedTags:
    'table thead tbody tfoot tr th td caption colgroup col div p span br hr b i em strong u s sub sup small code pre ul ol li dl dt dd h1 h2 h3 h4 h5 h6 blockquote'.split(' '),
  allowedAttributes: { '*': ['colspan', 'rowspan', 'scope', 'align', 'valign'] },
  allowedSchemes: [],
  disallowedTagsMode: 'discard' as const
};

/** How the result of a Try stands to what would be run now. */
export interface TrialContext {
  /** Whether the source has changed since it was tried. */
  readonly stale: boolean;
  /** Show a line (from 1) of the cell. */
  readonly jump: (line: number) => void;
}

/** What a Try came to, in one line. */
export function trialHeadline(trial: TrialResult): string {
  const text = trial.summary || trial.problem || (trial.error ? 'failed in a copy' : 'ran in a copy');
  return text.charAt(0).toUpperCase() + text.slice(1).replace(/\.$/, '');
}

/** The result of a Try. */
export function trialView(trial: TrialResult, { stale, jump }: TrialContext): HTMLElement {
  const outputs = trial.outputs ?? [];
  const effects = trial.effects ?? [];
  const line = trial.error_line;
  // The headline has a traceback's last line; the rest is for who wants to know more.
  const tracebacks = outputs.filter(output => output.kind === 'error');
  const shown = [
    ...outputs.filter(output => output.kind !== 'error').map(outputView),
    ...tracebacks.map(({ text }) => h('details', { class: 'spark-Trial-traceback' }, h('summary', {}, 'Traceback'), h('pre', { class: 'spark-Trial-error', tabindex: 0 }, plain(text ?? '').replace(/^-+\n/, '')))),
    ...(effects.length > 0 ? [h('ul', { class: 'spark-Trial-effects', 'aria-label': 'Effects' }, ...effects.map(effectItem))] : [])
  ];
  return h(
    'section',
    { class: 'spark-Trial', 'aria-label': 'What trying it showed', 'data-failed': String(!!(trial.error || trial.problem)), 'data-stale': String(stale), 'data-rehearsed': String(trial.rehearsed ?? false) },
    h('div', { class: 'spark-Trial-headline' }, `${trialHeadline(trial)}. Nothing was kept.`, ...(line ? [' ', jumpButton(line, jump)] : [])),
    stale && h('div', { class: 'spark-Trial-stale' }, 'Changed since it was tried: what runs is not what is shown here.'),
    trial.moving && h('div', { class: 'spark-Footer-note' }, 'The kernel was running a cell meanwhile, so this may differ when it is run.'),
    // What nobody asked for takes a line, until somebody does.
    ...(trial.rehearsed && shown.length > 0 ? [h('details', { class: 'spark-Trial-more' }, h('summary', {}, 'Output and effects'), ...shown)] : shown)
  );
}

function jumpButton(line: number, jump: (line: number) => void): HTMLElement {
  return h('button', { type: 'button', class: 'spark-Finding-jump', title: `Go to line ${line}`, onclick: () => jump(line) }, `Line ${line}`);
}

function outputView(output: Output): HTMLElement {
  const data = output.data ?? {};
  for (const type of PICTURES) {
    if (data[type] && BASE64.test(data[type])) {
      return h('img', { class: 'spark-Trial-image', alt: 'Picture that the cell would show', src: `data:${type};base64,${data[type]}` });
    }
  }
  if (data['text/html']) {
    const view = h('div', { class: 'spark-Trial-html jp-RenderedHTMLCommon', tabindex: 0 });
    view.innerHTML = new Sanitizer().sanitize(data['text/html'], HTML);
    return view;
  }
  return h('pre', { class: 'spark-Trial-output', 'data-kind': output.kind, tabindex: 0 }, plain(output.text || (data['text/plain'] ?? '')));
}

/** Without what would move a terminal's cursor or colour its text. */
function plain(text: string): string {
  return text.replace(CONTROLS, '');
}

const SIGNS: Readonly<Record<Effect['action'], string>> = {
  new: 'new',
  changed: 'changed',
  deleted: 'deleted',
  written: 'would be written',
  moved: 'would be moved',
  removed: 'would be removed',
  used: 'used'
};

function effectItem(effect: Effect): HTMLElement {
  const { kind, name, action, before = '', after = '', detail = '', refused = false } = effect;
  const change = before && after ? `${before} → ${after}` : after || before;
  return h(
    'li',
    { class: 'spark-Effect', 'data-kind': kind, 'data-refused': String(refused) },
    h('span', { class: 'spark-Effect-kind' }, kind === 'shell' ? 'process' : kind),
    h('code', { class: 'spark-Effect-name' }, name),
    h('span', { class: 'spark-Effect-action' }, refused ? 'refused' : SIGNS[action]),
    change && h('span', { class: 'spark-Effect-change' }, change),
    detail && h('span', { class: 'spark-Effect-detail' }, detail)
  );
}
