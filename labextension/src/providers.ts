// Who answers in one notebook's kernel: what the user chooses, and what their settings say. What there is stands in the store.

import type { UseProvider } from './messages';
import { type Settings, suggestionWish } from './settings';
import type { Store } from './store';
import type { Transport } from './transport';

/** A provider that is to answer, as in `UseProvider`. */
export type ProviderWish = Omit<UseProvider, 'type'>;

/** Kernels that have heard the user's settings; for this tab. */
const CONFIGURED_KEY = 'spark-jupyter:configured:';

/** What is used of a notebook's session. */
interface Session {
  readonly store: Store;
  readonly transport: Pick<Transport, 'send'>;
}

/** What the panel and the settings say of who answers. */
export class Providers {
  constructor(private readonly _session: Session) {}

  /** Ask which there are. */
  list(): void {
    void this._session.transport.send({ type: 'ListProviders' });
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

  /** Say what the user's settings say: all of it to a kernel that has not heard it, else what concerns no choice made there since. */
  configure(settings: Settings): void {
    const { profile, baseUrl, model, keyVariable, rehearse, checkpoints, withhold, warnOnly } = settings;
    const life = this._session.store.state.hello?.life;
    if (!life) {
      return;
    }
    void this._session.transport.send({
      type: 'Configure',
      rehearse: rehearse || null,
      checkpoints: checkpoints || null,
      withhold: withhold || null,
      warn_only: warnOnly,
      suggest: suggestionWish(settings)
    });
    const known = window.sessionStorage.getItem(CONFIGURED_KEY + life) !== null;
    window.sessionStorage.setItem(CONFIGURED_KEY + life, 'yes');
    if (!known && (profile || baseUrl)) {
      this.use({ profile, base_url: baseUrl, model, key_env: keyVariable });
    }
  }
}
