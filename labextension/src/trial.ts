// What a Try showed, below the cell. Everything is text, but for PNG images.

import { h } from './dom';
import type { Effect, Output, TrialResult } from './messages';

const BASE64 = /^[A-Za-z0-9+/=\s]+$/;

/** The result of a Try. */
export function trialView(trial: TrialResult): HTMLElement {
  const headline = trial.problem || trial.summary || (trial.error ? 'It raised an error.' : 'It ran.');
  return h(
    'section',
    { class: 'spark-Trial', 'aria-label': 'What trying it showed', 'data-failed': trial.error || trial.problem ? 'true' : 'false' },
    h('div', { class: 'spark-Trial-headline' }, `Tried in a copy, nothing was kept. ${headline}`),
    trial.moving && h('div', { class: 'spark-Footer-note' }, 'The kernel was running a cell meanwhile, so this may differ when it is run.'),
    ...(trial.outputs ?? []).map(outputView),
    trial.error && h('pre', { class: 'spark-Trial-error' }, trial.error),
    (trial.effects ?? []).length > 0 &&
      h('ul', { class: 'spark-Trial-effects', 'aria-label': 'Effects' }, ...(trial.effects ?? []).map(effectItem))
  );
}

function outputView(output: Output): HTMLElement {
  const png = output.data?.['image/png'];
  if (png && BASE64.test(png)) {
    return h('img', { class: 'spark-Trial-image', alt: 'Image that the cell would show', src: `data:image/png;base64,${png}` });
  }
  return h('pre', { class: 'spark-Trial-output', 'data-kind': output.kind }, output.text || (output.data?.['text/plain'] ?? ''));
}

function effectItem(effect: Effect): HTMLElement {
  const change = effect.before || effect.after ? `: ${effect.before || '∅'} → ${effect.after || '∅'}` : '';
  const what = `${effect.kind} ${effect.name} ${effect.refused ? 'refused' : effect.action}${change}`;
  return h('li', { 'data-kind': effect.kind, 'data-refused': String(effect.refused ?? false) }, effect.detail ? `${what} (${effect.detail})` : what);
}
