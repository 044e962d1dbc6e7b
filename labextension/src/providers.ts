// Who answers in one notebook's kernel: what the user chooses, and what their settings say. What there is stands in the store.

import type { ChooseDeep, UseProvider } from './messages';
import { deepWish, providerWish, type Settings, suggestionWish } from './settings';
import type { Store } from './store';
import type { Transport } from './transport';

/** A provider that is to answer, as in `UseProvider`. */
export type ProviderWish = Omit<UseProvider, 'type'>;

/** What the user's settings said of deep work when a kernel heard it; for this tab. */
const DEEP_KEY = 'spark-jupyter:deep:';

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

  /** Let another provider answer, or find out whether it would. */
  use(wish: ProviderWish): void {
    void this._session.transport.send({ type: 'UseProvider', ...wish });
  }

  listModels(): void {
    void this._session.transport.send({ type: 'ListModels' });
  }

  selectModel(model: string): void {
    void this._session.transport.send({ type: 'SelectModel', model });
  }

  /** Say what the user's settings say. Who answers is said once to each kernel: what was chosen there since stays, until `follow`. */
  configure(settings: Settings): void {
    const { rehearse, checkpoints, refine, withhold, warnOnly } = settings;
    if (!this._key) {
      return;
    }
    void this._session.transport.send({
      type: 'Configure',
      rehearse: rehearse || null,
      checkpoints: checkpoints || null,
      refine: refine || null,
      withhold: withhold || null,
      warn_only: warnOnly,
      suggest: suggestionWish(settings),
      deep: this._deepNews(settings),
      fallback: settings.fallback || null,
      warn_cost: settings.warnCost || null,
      stop_cost: settings.stopCost || null
    });
    if (this._heard === null) {
      this.follow(settings);
    }
  }

  /** Who is to do deep work, where this kernel has not heard it as it is now: what was chosen there since is left alone. */
  private _deepNews(settings: Settings): ChooseDeep | null {
    const key = DEEP_KEY + this._session.store.state.hello?.life;
    const wish = deepWish(settings);
    const said = JSON.stringify(wish);
    if (wish === null || window.sessionStorage.getItem(key) === said) {
      return null;
    }
    window.sessionStorage.setItem(key, said);
    return wish;
  }

  /** Whether the settings have come to name somebody else since this kernel heard them. */
  isBehind(settings: Settings): boolean {
    return this._heard !== null && providerWish(settings) !== null && this._heard !== JSON.stringify(providerWish(settings));
  }

  /** Let who stands in the settings answer here, too. */
  follow(settings: Settings): void {
    const wish = providerWish(settings);
    if (wish) {
      this.use(wish);
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
    return this._key && window.sessionStorage.getItem(this._key);
  }

  /** Of the kernel's extension, as long as it is loaded; empty where it has not said Hello. */
  private get _key(): string {
    const life = this._session.store.state.hello?.life;
    return life ? CONFIGURED_KEY + life : '';
  }
}
