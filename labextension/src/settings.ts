// User settings, read from JupyterLab's registry.

import type { ISettingRegistry } from '@jupyterlab/settingregistry';
import { type ISignal, Signal } from '@lumino/signaling';
import type { ChooseDeep, FindNextEdits, UseProvider } from './messages';
import { translateSettings } from './settingsTexts';
import type { Mode, Where } from './suggest/suggestionMode';
import type { VoiceEngine } from './voice/voiceModel';

/** Which model may be asked for next edits. */
export type ByModel = Required<FindNextEdits>['by_model'];

/** The plug-ins whose schemas in settings/ describe these: JupyterLab has a page for each. The first one had them all before. */
const PAGES = ['plugin', 'models', 'autocomplete', 'offers', 'trust', 'deep-work'].map(name => `spark-jupyter:${name}`);

/** As in settings/, where each is described. */
export interface Settings {
  readonly hidden: boolean;
  readonly openAtStart: boolean;
  readonly adaptive: boolean;
  readonly follow: boolean;
  readonly marks: boolean;
  readonly keepConversations: boolean;
  readonly projectRules: boolean;
  readonly recordInNotebook: boolean;
  readonly askBeforeOthers: boolean;
  readonly voice: VoiceEngine;
  readonly profile: string;
  readonly baseUrl: string;
  readonly model: string;
  readonly keyVariable: string;
  /** Empty: as the kernel's own configuration says. */
  readonly modelFolder: string;
  /** Empty: as the kernel's own configuration says. */
  readonly rehearse: '' | 'stream' | 'ready' | 'off';
  /** Empty: as the kernel's own configuration says. */
  readonly repair: '' | 'on' | 'off';
  /** Empty: as the kernel's own configuration says. */
  readonly checkpoints: '' | 'auto' | 'on' | 'off';
  /** Empty: as the kernel's own configuration says. */
  readonly refine: '' | 'on' | 'off';
  /** 0: as the kernel's own configuration says. */
  readonly refineBudget: number;
  /** Empty: as the kernel's own configuration says. */
  readonly withhold: '' | 'always' | 'remote';
  readonly warnOnly: readonly string[];
  readonly suggestions: Mode;
  readonly suggestIn: readonly Where[];
  readonly suggestTab: boolean;
  /** Requests by themselves; 0: as many as are wanted. */
  readonly suggestionsPerDay: number;
  readonly suggestProfile: string;
  readonly suggestBaseUrl: string;
  readonly suggestModel: string;
  readonly suggestKeyVariable: string;
  readonly nextEdits: boolean;
  readonly nextEditsByModel: ByModel;
  readonly deepProfile: string;
  readonly deepModel: string;
  /** Empty: as the provider has it. */
  readonly deepEffort: NonNullable<ChooseDeep['effort']>;
  /** 0: as the kernel's own configuration says. */
  readonly deepMinutes: number;
  /** 0: as the kernel's own configuration says. */
  readonly deepTokens: number;
  /** 0: as the kernel's own configuration says. */
  readonly deepDollars: number;
  readonly fallback: string;
  /** 0: as the kernel's own configuration says. */
  readonly warnCost: number;
  /** 0: as the kernel's own configuration says. */
  readonly stopCost: number;
}

export const DEFAULTS: Settings = {
  hidden: false,
  openAtStart: false,
  adaptive: true,
  follow: true,
  marks: true,
  keepConversations: true,
  projectRules: true,
  recordInNotebook: true,
  askBeforeOthers: true,
  voice: 'server',
  profile: '',
  baseUrl: '',
  model: '',
  keyVariable: '',
  modelFolder: '',
  rehearse: '',
  repair: '',
  checkpoints: '',
  refine: '',
  refineBudget: 0,
  withhold: '',
  warnOnly: [],
  suggestions: 'on',
  suggestIn: ['code', 'markdown', 'console'],
  suggestTab: true,
  suggestionsPerDay: 3000,
  suggestProfile: '',
  suggestBaseUrl: '',
  suggestModel: '',
  suggestKeyVariable: '',
  nextEdits: true,
  nextEditsByModel: 'local',
  deepProfile: '',
  deepModel: '',
  deepEffort: '',
  deepMinutes: 0,
  deepTokens: 0,
  deepDollars: 0,
  fallback: '',
  warnCost: 0,
  stopCost: 0
};

/** Who is to make suggestions; null: as the kernel's own configuration says. */
export function suggestionWish(settings: Settings): UseProvider | null {
  const wish = { profile: settings.suggestProfile, base_url: settings.suggestBaseUrl, model: settings.suggestModel };
  return Object.values(wish).some(Boolean) ? { type: 'UseProvider', ...wish, key_env: settings.suggestKeyVariable } : null;
}

/** Who is to answer; null: as the kernel's own configuration says. A model file is a place, too. */
export function providerWish({ profile, baseUrl, model, keyVariable }: Settings): Omit<UseProvider, 'type'> | null {
  return isPlaced({ profile, base_url: baseUrl, model }) ? { profile, base_url: baseUrl, model, key_env: keyVariable } : null;
}

/** Whether this says where a model is, and not only what it is called there. */
export function isPlaced({ profile, base_url, model }: Omit<UseProvider, 'type'>): boolean {
  return Boolean(profile || base_url || model?.trim().endsWith('.gguf'));
}

/** Who is to do deep work, and what it may use; null: as the kernel's own configuration says. */
export function deepWish(settings: Settings): ChooseDeep | null {
  const { deepProfile, deepModel, deepEffort, deepMinutes, deepTokens, deepDollars } = settings;
  const limits = { seconds: deepMinutes * 60 || null, tokens: deepTokens || null, dollars: deepDollars || null };
  const budget = Object.values(limits).some(Boolean) ? limits : null;
  if (!(deepProfile || deepModel || deepEffort || budget)) {
    return null;
  }
  return { type: 'ChooseDeep', model: deepModel || null, profile: deepProfile || null, effort: deepEffort || null, budget };
}

/** Have each page keep what a person set on the first one when that had all settings. */
async function moveOldSettings(pages: readonly ISettingRegistry.ISettings[]): Promise<void> {
  const [first, ...others] = pages;
  for (const [name, value] of Object.entries(first.user)) {
    const owner = others.find(page => name in (page.schema.properties ?? {}));
    if (owner && value !== undefined) {
      if (owner.get(name).user === undefined) {
        await owner.set(name, value as string);
      }
      await first.remove(name);
    }
  }
}

/** The settings as they are now. */
export class SettingsModel {
  private readonly _changed = new Signal<this, Settings>(this);
  private _value = DEFAULTS;
  private _pages: readonly ISettingRegistry.ISettings[] = [];

  get value(): Settings {
    return this._value;
  }

  get changed(): ISignal<this, Settings> {
    return this._changed;
  }

  /** Keep these for every notebook. Where there is no registry nothing is kept. */
  async keep(values: Partial<Settings>): Promise<void> {
    for (const [name, value] of Object.entries(values)) {
      await this._pages.findLast(page => name in (page.schema.properties ?? {}))?.set(name, value as string);
    }
  }

  /** Take the values from the registry, now and whenever they change. An administrator's overrides of the first page count for all. */
  async connect(registry: ISettingRegistry): Promise<void> {
    const pages = (this._pages = await Promise.all(PAGES.map(page => registry.load(page))));
    translateSettings(registry, PAGES);
    await moveOldSettings(pages).catch((error: unknown) => console.error('Spark: settings could not be moved', error));
    const take = () => {
      const composites = pages.map(page => page.composite).reverse();
      this._value = Object.assign({}, DEFAULTS, ...composites, ...pages.map(page => page.user)) as Settings;
      this._changed.emit(this._value);
    };
    pages.forEach(page => page.changed.connect(take));
    take();
  }
}
