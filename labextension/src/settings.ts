// The user's settings, read from JupyterLab's registry.

import type { ISettingRegistry } from '@jupyterlab/settingregistry';
import { type ISignal, Signal } from '@lumino/signaling';

/** As in settings/plugin.json, where each is described. */
export interface Settings {
  readonly hidden: boolean;
  readonly openAtStart: boolean;
  readonly adaptive: boolean;
  readonly follow: boolean;
  readonly marks: boolean;
}

export const DEFAULTS: Settings = { hidden: false, openAtStart: false, adaptive: true, follow: true, marks: true };

/** The settings as they are now. */
export class SettingsModel {
  private readonly _changed = new Signal<this, Settings>(this);
  private _value = DEFAULTS;

  get value(): Settings {
    return this._value;
  }

  get changed(): ISignal<this, Settings> {
    return this._changed;
  }

  /** Take the values from the registry, now and whenever they change. */
  async connect(registry: ISettingRegistry, plugin: string): Promise<void> {
    const settings = await registry.load(plugin);
    const take = () => {
      this._value = { ...DEFAULTS, ...(settings.composite as Partial<Settings>) };
      this._changed.emit(this._value);
    };
    settings.changed.connect(take);
    take();
  }
}
