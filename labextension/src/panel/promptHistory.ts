// History of prompts typed in this tab.
//
// It is kept in memory only: a prompt may hold what nobody else is to read.

/** Prompts kept for one notebook. */
const MOST = 200;

/** The prompts of one notebook, walked through with Up and Down. What stands in the box when the walk begins is looked for in them. */
export class PromptHistory {
  private readonly _prompts: string[] = [];
  private _place = 0;
  private _sought: string | null = null;

  /** Remember a prompt; one that is there already becomes the youngest. */
  add(prompt: string): void {
    const known = this._prompts.indexOf(prompt);
    if (known >= 0) {
      this._prompts.splice(known, 1);
    }
    this._prompts.push(prompt);
    this._prompts.splice(0, this._prompts.length - MOST);
    this.stop();
  }

  /** Whether this prompt was typed in this tab. */
  has(prompt: string): boolean {
    return this._prompts.includes(prompt);
  }

  /** Whether a walk is under way. */
  get walking(): boolean {
    return this._sought !== null;
  }

  /** The next older prompt that holds what stood in the box; null where there is none. */
  older(draft: string): string | null {
    if (this._sought === null) {
      this._sought = draft;
      this._place = this._prompts.length;
    }
    return this._walk(-1);
  }

  /** The next younger one; at the end, what stood in the box. Null where no walk is under way. */
  newer(): string | null {
    if (this._sought === null) {
      return null;
    }
    const found = this._walk(1);
    if (found !== null) {
      return found;
    }
    const sought = this._sought;
    this.stop();
    return sought;
  }

  /** The user has typed: the next walk begins again. */
  stop(): void {
    this._sought = null;
  }

  private _walk(step: 1 | -1): string | null {
    const sought = (this._sought ?? '').trim().toLowerCase();
    for (let place = this._place + step; place >= 0 && place < this._prompts.length; place += step) {
      if (this._prompts[place].toLowerCase().includes(sought)) {
        this._place = place;
        return this._prompts[place];
      }
    }
    return null;
  }
}
