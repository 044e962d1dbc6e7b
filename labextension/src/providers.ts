// Commands that choose the provider and send the user's settings.
//
// Which providers there are is in the store.

import type { ImageSupport, UseProvider } from './messages';
import { deepWish, providerWish, type Settings, suggestionWish } from './settings';
import type { Store } from './store';
import type { Transport } from './transport';

/** A provider that is to answer, as in `UseProvider`. */
export type ProviderWish = Omit<UseProvider, 'type'>;

/** What the user's settings said of who answers when a kernel heard it; for this tab. */
const CONFIGURED_KEY = 'spark-jupyter:configured:';

/** What is used of a notebook's session. */
interface Session {
  readonly store: Store;
  readonly transport: Pick<Transport, 'send'>;
}

/** What the panel and the settings say of who answers. */
export class Providers {
  constructor(private readonly _session: Session) {}

  /** Ask which there are, and which model files are in the user's folder. */
  list({ modelFolder }: Pick<Settings, 'modelFolder'>): void {
    void this._session.transport.send({ type: 'ListProviders', model_folder: modelFolder });
  }

  /** Download a model of the catalogue to the user's folder, or stop that. */
  download(name: string, stop: boolean, { modelFolder }: Pick<Settings, 'modelFolder'>): void {
    void this._session.transport.send({ type: 'DownloadModel', name, stop, model_folder: modelFolder });
  }

  /** Ask for the rules that go along with prompts, and for the skills. */
  listRules(): void {
    void this._session.transport.send({ type: 'ListRules' });
  }

  /** Let another provider answer, or find out whether it would. */
  use(wish: ProviderWish): void {
    void this._session.transport.send({ type: 'UseProvider', ...wish });
  }

  /** Have this person's prompts use their own key for the provider in use; empty: the kernel's again; null: only ask. */
  setOwnKey(key: string | null): void {
    void this._session.transport.send({ type: 'SetOwnKey', key });
  }

  listModels(): void {
    void this._session.transport.send({ type: 'ListModels' });
  }

  /** Whether the model in use reads images, and its provider may get them; null where the kernel does not say in so many milliseconds. */
  async imageSupport(patience = 0): Promise<ImageSupport | null> {
    const { store, transport } = this._session;
    const before = store.state.imageSupport;
    await transport.send({ type: 'CheckImages' });
    await store.until(state => state.imageSupport !== before, patience);
    return store.state.imageSupport;
  }

  /** The user's word that the provider in use may get images. */
  allowImages(): void {
    void this._session.transport.send({ type: 'AllowImages' });
  }

  selectModel(model: string, tier: string | null = null, mode: string | null = null): void {
    void this._session.transport.send({ type: 'SelectModel', model, tier, mode });
  }

  /**
   * Say all that the user's settings say; where they say nothing, the kernel's own configuration counts. Who answers is said once to each
   * kernel: what was chosen there since stays, until `follow`.
   */
  configure(settings: Settings): void {
    const { rehearse, repair, checkpoints, refine, withhold, warnOnly } = settings;
    if (!this._key) {
      return;
    }
    void this._session.transport.send({
      type: 'Configure',
      rehearse: rehearse || null,
      repair: repair || null,
      checkpoints: checkpoints || null,
      refine: refine || null,
      conversations: settings.keepConversations ? null : 'off',
      rules: settings.projectRules ? null : 'off',
      withhold: withhold || null,
      warn_only: warnOnly.length > 0 ? warnOnly : null,
      suggest: suggestionWish(settings),
      refine_budget: settings.refineBudget || null,
      deep: deepWish(settings),
      fallback: settings.fallback || null,
      warn_cost: settings.warnCost || null,
      stop_cost: settings.stopCost || null
    });
    this.listRules();
    if (this._heard === null) {
      this.follow(settings, { saved: true });
    }
  }

  /** Whether the settings have come to name somebody else since this kernel heard them. */
  isBehind(settings: Settings): boolean {
    return this._heard !== null && this._heard !== JSON.stringify(providerWish(settings));
  }

  /** Let who stands in the settings answer here, too. `saved`: nobody said so for this notebook, so the environment goes before them. */
  follow(settings: Settings, { saved = false } = {}): void {
    const wish = providerWish(settings);
    if (wish) {
      this.use({ ...wish, ...(saved && { saved }) });
    } else if (this._heard !== null && this._heard !== 'null') {
      this.use({ own: true }); // they named somebody, and name nobody now
    }
    this.heard(settings);
  }

  /** This kernel knows what the settings say of who answers. */
  heard(settings: Settings): void {
    if (this._key) {
      window.sessionStorage.setItem(this._key, JSON.stringify(providerWish(settings)));
    }
  }

  private get _heard(): string | null {
    return this._key ? window.sessionStorage.getItem(this._key) : null;
  }

  /** Of the kernel's extension, as long as it is loaded; empty where it has not said Hello. */
  private get _key(): string {
    const life = this._session.store.state.hello?.life;
    return life ? CONFIGURED_KEY + life : '';
  }
}
