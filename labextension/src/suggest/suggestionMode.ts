// Mode of suggestions in a cell, and the reason for it.

import type { Hello } from '../messages';
import { t } from '../translation';

/** By themselves, only by a key, or not at all. */
export type Mode = 'on' | 'request' | 'off';

/** Where the user writes, as the settings name it. */
export type Where = 'code' | 'markdown' | 'console';

/** All that has a say. */
export interface Wishes {
  /** The user's settings. */
  readonly suggestions: Mode;
  readonly suggestIn: readonly Where[];
  /** What the user chose for this notebook; null: nothing. */
  readonly here: Mode | null;
  /** What the notebook's own metadata says under `spark.suggestions`; anything. */
  readonly notebook: unknown;
  /** The provider whose suggestions JupyterLab's own inline completer shows; null: none does. */
  readonly other: string | null;
  /** When the kernel itself makes any: `%spark suggestions`. */
  readonly kernel: Required<Hello>['suggestions'];
}

/** The outcome, and a sentence where it is not what the settings say. */
export interface Decision {
  readonly mode: Mode;
  readonly why: string;
}

const STRICT: readonly Mode[] = ['on', 'request', 'off'];

const BY_NOTEBOOK: Readonly<Record<Mode, string>> = {
  on: '',
  request: t('This notebook allows autocomplete on request only (Alt-\\).'),
  off: t('Autocomplete is switched off by this notebook: its author wants you to write the code yourself.')
};

const BY_KERNEL: Readonly<Record<Mode, string>> = {
  on: '',
  request: t('Autocomplete is on request only in this kernel (Alt-\\). %spark suggestions on changes that.'),
  off: t('Autocomplete is off in this kernel. %spark suggestions on turns it on.')
};

/** What holds: a notebook's own word is at least as strict as the user's, and the user can't override it. */
export function decideMode({ suggestions, here, notebook, other, kernel }: Wishes): Decision {
  const wanted = here ?? suggestions;
  const said = isMode(notebook) ? notebook : 'on';
  if (said === 'off' || STRICT.indexOf(said) > STRICT.indexOf(wanted)) {
    return { mode: said, why: BY_NOTEBOOK[said] };
  }
  const makes = kernel === 'ask' ? 'request' : kernel;
  if (STRICT.indexOf(makes) > STRICT.indexOf(wanted)) {
    return { mode: makes, why: BY_KERNEL[makes] };
  }
  if (other !== null && wanted !== 'off') {
    return { mode: 'off', why: t('JupyterLab’s inline completer is active (%1), so Spark shows no suggestions. Turn it off in the settings of the Inline Completer.', other) };
  }
  return { mode: wanted, why: '' };
}

/** What holds in one kind of cell: where suggestions are not wanted by themselves, they can be asked for. */
export function modeIn(where: Where, wishes: Wishes): Mode {
  const { mode } = decideMode(wishes);
  return mode === 'on' && !wishes.suggestIn.includes(where) ? 'request' : mode;
}

/** Whether a value is the name of a mode. */
export function isMode(value: unknown): value is Mode {
  return STRICT.includes(value as Mode);
}
