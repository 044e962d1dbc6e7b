// Store that holds the state and signals its changes.

import { type ISignal, Signal } from '@lumino/signaling';
import { type Input, reduce } from './reducer';
import { EMPTY, type State } from './state';

/** The one place where a State is kept. */
export class Store {
  private readonly _changed = new Signal<this, State>(this);
  private _state: State = EMPTY;

  get state(): State {
    return this._state;
  }

  /** Emitted once for every group of inputs. */
  get changed(): ISignal<this, State> {
    return this._changed;
  }

  /** Take in one input without saying so: `emit` follows. */
  reduce(input: Input): State {
    this._state = reduce(this._state, input);
    return this._state;
  }

  /** Say that the state has changed. */
  emit(): void {
    this._changed.emit(this._state);
  }

  /** Take in inputs and say so. */
  dispatch(...inputs: Input[]): void {
    inputs.forEach(input => this.reduce(input));
    this.emit();
  }

  /** Resolved when `holds` holds of the state, or else after so many milliseconds. */
  async until(holds: (state: State) => boolean, patience: number): Promise<void> {
    if (holds(this._state)) {
      return;
    }
    await new Promise<void>(resolve => {
      const done = () => {
        clearTimeout(timer);
        this._changed.disconnect(onChange);
        resolve();
      };
      const onChange = () => holds(this._state) && done();
      const timer = setTimeout(done, patience);
      this._changed.connect(onChange);
    });
  }
}
