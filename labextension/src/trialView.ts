// What a Try showed, below the cell. Everything is text, but for pictures, and tables from which all that is live has been taken.

import { Sanitizer } from '@jupyterlab/apputils';
import { HTML_ATTRIBUTES, HTML_DROPPED, HTML_ELEMENTS, PICTURES } from './constants';
import { h, plain } from './dom';
import { type OtherCells, proofView } from './proofView';
import type { Effect, Output, Permission, TrialResult } from './messages';

const BASE64 = /^[A-Za-z0-9+/=\s]+$/;

/** The kernel has done it, and what comes from a kernel is looked at here once more. */
const HTML = {
  allowedTags: [...HTML_ELEMENTS],
  allowedAttributes: { '*': [...HTML_ATTRIBUTES] },
  nonTextTags: [...HTML_DROPPED],
  allowedSchemes: [],
  disallowedTagsMode: 'discard' as const
};

/** How the result of a Try stands to what would be run now. */
export interface TrialContext {
  /** Whether the source has changed since it was tried. */
  readonly stale: boolean;
  /** Show a line (from 1) of the cell. */
  readonly jump: (line: number) => void;
  /** Try it again with this allowed; null where it can't be tried now. */
  readonly allow: ((permissions: readonly Permission[]) => void) | null;
  /** The other cells of the notebook. */
  readonly cells: OtherCells;
}

/** What a Try came to, in one line. */
export function trialHeadline(trial: TrialResult): string {
  const text = trial.summary || trial.problem || (trial.error ? 'failed in a copy' : 'ran in a copy');
  return text.charAt(0).toUpperCase() + text.slice(1).replace(/\.$/, '');
}

/** The result of a Try. */
export function trialView(trial: TrialResult, { stale, jump, allow, cells }: TrialContext): HTMLElement {
  const outputs = trial.outputs ?? [];
  const effects = trial.effects ?? [];
  const lacked = trial.lacked ?? [];
  // What is looked at is open: pictures, the head of a table, a few lines. What is long takes a line, until somebody opens it.
  const tracebacks = outputs.filter(output => output.kind === 'error');
  const shown = [
    ...outputs.filter(output => output.kind !== 'error' && !isDigest(output, trial)).map(output => folded(output, outputView(output))),
    ...tracebacks.map(({ text }) => h('details', { class: 'spark-Trial-traceback' }, h('summary', {}, 'Traceback'), h('pre', { class: 'spark-Trial-error', tabindex: 0 }, plain(text ?? '').replace(/^-+\n/, '')))),
    ...(effects.length > 0 ? [effectsView(effects, trial.rehearsed ?? false)] : [])
  ];
  return h(
    'section',
    { class: 'spark-Trial', 'aria-label': 'What trying it showed', 'data-failed': String(failed(trial)), 'data-stale': String(stale), 'data-rehearsed': String(trial.rehearsed ?? false) },
    h('div', { class: 'spark-Trial-headline' }, ...headline(trial, jump), `. ${trial.outside ? 'No variable was kept; what it did outside is real.' : 'Nothing was kept.'} ${trial.unenforced ?? ''}`.trim()),
    allow && lacked.length > 0 && allowButton(lacked, allow),
    stale && h('div', { class: 'spark-Trial-stale' }, 'Changed since it was tried: what runs is not what is shown here.'),
    trial.moving && h('div', { class: 'spark-Footer-note' }, 'What that cell does meanwhile may make it differ when it is run.'),
    trial.proof && proofView(trial.proof, cells),
    ...shown
  );
}

/** Whether the code is at fault. What a Try refuses says nothing against it. */
export function failed(trial: TrialResult): boolean {
  return Boolean((trial.error || trial.problem) && !trial.refused);
}

/** The headline, in which the line of the error leads there. */
function headline(trial: TrialResult, jump: (line: number) => void): readonly (Node | string)[] {
  const text = trialHeadline(trial);
  const line = trial.error_line;
  const place = ` (line ${line})`;
  const at = text.indexOf(place);
  if (!line) {
    return [text];
  }
  const [before, after] = at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + place.length)];
  return [before, ' (', jumpButton(line, jump), ')', after];
}

const PERMISSION_WORDS: Readonly<Record<Permission, string>> = { files: 'files', network: 'network', shell: 'processes', read: 'reading' };

function allowButton(permissions: readonly Permission[], allow: (permissions: readonly Permission[]) => void): HTMLElement {
  const what = permissions.map(permission => PERMISSION_WORDS[permission]).join(' and ');
  const title = 'Run in a copy of the kernel once more. What it does outside the copy then really happens.';
  return h('button', { type: 'button', class: 'spark-Button spark-Trial-allow', title, onclick: () => allow(permissions) }, `Try again with ${what} allowed`);
}

function jumpButton(line: number, jump: (line: number) => void): HTMLElement {
  return h('button', { type: 'button', class: 'spark-Finding-jump', title: `Go to line ${line}`, onclick: () => jump(line) }, `line ${line}`);
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

/** Whether an output that nobody asked for says no more than the first line of the footer does already. */
function isDigest({ text, data }: Output, { rehearsed, decisive }: TrialResult): boolean {
  return Boolean(rehearsed && decisive && Object.keys(data ?? {}).every(kind => kind === 'text/plain') && (text || data?.['text/plain'] || '').trim() === decisive);
}

/** Lines of text that are shown at once. */
const LINES = 8;

/** Text that is long, behind its length. Its end is the digest above. */
function folded(output: Output, view: HTMLElement): HTMLElement {
  const lines = view.tagName === 'PRE' ? (view.textContent ?? '').trimEnd().split('\n').length : 0;
  const what = output.kind === 'stderr' ? 'Warnings' : 'Output';
  return lines > LINES ? h('details', { class: 'spark-Trial-more' }, h('summary', {}, `${what}, ${lines} lines`), view) : view;
}

/** What changed. What nobody asked for takes a line, until somebody does. */
function effectsView(effects: readonly Effect[], folds: boolean): HTMLElement {
  const list = h('ul', { class: 'spark-Trial-effects', 'aria-label': 'Effects' }, ...effects.map(effectItem));
  const count = effects.length === 1 ? '1 effect' : `${effects.length} effects`;
  return folds ? h('details', { class: 'spark-Trial-more' }, h('summary', {}, count), list) : list;
}

const SIGNS: Readonly<Record<Effect['action'], string>> = {
  new: 'new',
  changed: 'changed',
  deleted: 'deleted',
  written: 'written',
  moved: 'moved',
  removed: 'removed',
  used: 'used',
  read: 'read'
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
