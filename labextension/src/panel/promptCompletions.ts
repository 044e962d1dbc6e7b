// Completions in the prompt box: commands, models, mentions.

import { type ISignal, Signal } from '@lumino/signaling';
import type { NotebookView } from '../notebookView';
import { skillsOf } from '../selectors';
import { t } from '../translation';
import { type Completable, completable, SLASH_COMMANDS } from './slashCommands';

/** One offer. */
export interface Completion {
  /** What it puts in the place of what was begun. */
  readonly text: string;
  /** What it is, where the text does not say it. */
  readonly what: string;
}

/** Offers shown at once. */
const MOST = 50;

/** The offers for what stands in the prompt box, and which of them is chosen. */
export class PromptCompletions {
  private readonly _changed = new Signal<this, void>(this);
  private _items: readonly Completion[] = [];
  private _chosen = 0;
  private _asked: Completable | null = null;

  get changed(): ISignal<this, void> {
    return this._changed;
  }

  get items(): readonly Completion[] {
    return this._items;
  }

  /** The place of the one that Enter takes; -1 where that is none. */
  get chosen(): number {
    return this._chosen;
  }

  /** The box holds `text` now, typed to its end. */
  async look(text: string, view: NotebookView | null): Promise<void> {
    const asked = completable(text);
    this._asked = asked;
    const items = asked && view ? await offers(asked, view) : [];
    if (this._asked === asked) {
      // What is whole already needs no completion: Enter sends it then.
      const whole = items.some(item => item.text.trim() === asked?.begun);
      this._items = items.filter(item => item.text.trim() !== asked?.begun).slice(0, MOST);
      this._chosen = whole ? -1 : 0;
      this._changed.emit();
    }
  }

  close(): void {
    this._asked = null;
    this._items = [];
    this._changed.emit();
  }

  move(step: 1 | -1): void {
    const from = this._chosen < 0 && step < 0 ? 0 : this._chosen;
    this._chosen = (from + step + this._items.length) % this._items.length;
    this._changed.emit();
  }

  /** `text` with an offer in the place of what was begun: the chosen one, or the first, where none is named. */
  put(text: string, item: Completion | undefined = this._items[Math.max(this._chosen, 0)]): string {
    const begun = this._asked?.begun ?? '';
    this.close();
    return item ? text.slice(0, text.length - begun.length) + item.text : text;
  }
}

async function offers({ kind, begun }: Completable, view: NotebookView): Promise<readonly Completion[]> {
  const starts = (text: string) => text.toLowerCase().startsWith(begun.toLowerCase());
  switch (kind) {
    case 'slash':
      return [
        ...SLASH_COMMANDS.filter(({ id }) => starts(id)).map(({ id, help }) => ({ text: `${id} `, what: help })),
        ...skillsOf(view.session.store.state)
          .filter(({ name }) => starts(name))
          .map(({ name, description }) => ({ text: `${name} `, what: description || t('a skill of this project') }))
      ];
    case 'model':
      return view.session.store.state.models.filter(model => starts(model.id)).map(model => ({ text: model.id, what: '' }));
    case 'mention':
      return (await view.session.mentions.list(begun)).map(text => ({ text, what: '' }));
  }
}
