// What a proof says of an edit, in its footer: what differs first, time and memory of both, what could not be compared, the cells below.

import { h, withCode } from './dom';
import type { Difference, Proof, Refined } from './messages';

/** The cells of the notebook, by their ids. */
export interface OtherCells {
  /** What a person knows one by. */
  readonly name: (cellId: string) => string;
  readonly go: (cellId: string) => void;
}

/** Seconds from which on a person waits for a cell. */
const NOTABLE = 0.2;

/** What a proof says beyond its headline, which has what differs first, or what can't be compared. */
export interface Beyond {
  readonly differences: readonly Difference[];
  /** So many more differ. */
  readonly more: number;
  readonly unclear: readonly string[];
  /** Time and memory of both, where somebody minds. */
  readonly costs: string;
  readonly below: readonly string[];
}

/** See `Beyond`. */
export function beyond(proof: Proof): Beyond {
  const { differences = [], more = 0, unclear = [], below = [] } = proof;
  return { differences: differences.slice(1), more, unclear: unclear.slice(proof.verdict === 'unclear' ? 1 : 0), costs: costs(proof), below };
}

/** All that as a list; null where there is none of it. */
export function proofView(proof: Proof, cells: OtherCells): HTMLElement | null {
  const said = beyond(proof);
  const rows = [
    ...said.differences.map(difference),
    ...(said.more > 0 ? [h('li', {}, `≠ ${said.more} more`)] : []),
    ...said.unclear.map(one => h('li', {}, '? ', ...withCode(one))),
    ...(said.costs ? [h('li', { class: 'spark-Proof-cost' }, said.costs)] : []),
    ...(said.below.length > 0 ? [cellsBelow(said.below, cells)] : [])
  ];
  return rows.length > 0 ? h('ul', { class: 'spark-Proof', 'aria-label': 'Compared with the text as it was' }, ...rows) : null;
}

/** Whether the edit changes what comes out: then to keep it is not the first thing to do. */
export function differs(proof: Proof | null | undefined): boolean {
  return proof?.verdict === 'differs';
}

/** How far what comes out is the same: the sum of a column is rounded otherwise than that of its rows one by one. */
export function howSame({ digits = 0 }: Pick<Refined, 'digits'>): string {
  return digits > 0 ? `Same to ${digits} digits` : 'Same result';
}

function difference({ kind, name, detail }: Difference): HTMLElement {
  const what = kind === 'variable' ? [] : [h('span', { class: 'spark-Effect-kind' }, kind), ' '];
  return h('li', {}, '≠ ', ...what, h('code', { class: 'spark-Effect-name' }, name), ` ${detail}`);
}

function cellsBelow(below: readonly string[], { name, go }: OtherCells): HTMLElement {
  const links = below.map(cellId => h('button', { type: 'button', class: 'spark-Finding-jump', title: 'Go to this cell', onclick: () => go(cellId) }, name(cellId)));
  const text = below.length === 1 ? '1 cell below uses what differs: ' : `${below.length} cells below use what differs: `;
  const commas = links.flatMap((link, index) => (index ? [', ', link] : [link]));
  return h('li', {}, text, ...commas, '. ', h('code', {}, '%spark rerun'), ' says what would change there.');
}

/** Empty where nobody minds, or the headline says it. */
function costs({ seconds_before = 0, seconds = 0, memory_before = 0, memory = 0, summary = '' }: Proof): string {
  const times = `${duration(seconds_before)} → ${duration(seconds)}`;
  const slow = Math.max(seconds_before, seconds) >= NOTABLE && !summary.includes(times);
  const large = Math.abs(memory_before - memory) >= 1 << 20;
  const parts = [
    ...(slow ? [times] : []),
    ...(large ? [`peak memory ${size(memory_before)} → ${size(memory)}`] : [])
  ];
  return parts.length > 0 ? `Before → with the edit: ${parts.join(', ')}` : '';
}

function duration(seconds: number): string {
  return seconds >= 0.05 ? `${seconds.toFixed(1)} s` : `${Math.round(seconds * 1000)} ms`;
}

function size(bytes: number): string {
  return bytes >= 1 << 30 ? `${(bytes / 2 ** 30).toFixed(1)} GB` : `${Math.round(bytes / 2 ** 20)} MB`;
}
