// Choice of the model, its tier, and an agent's mode.

import { Notification } from '@jupyterlab/apputils';
import * as React from 'react';
import type { NotebookView } from '../notebookView';
import type { State } from '../state';
import { t } from '../translation';
import { tierText } from './tierText';

/** The models that end of which a person was told. */
const told = new Set<string>();

/** A model that ends is said once, with its successor. */
export function ModelPicker({ state, view }: { state: State; view: NotebookView }): React.JSX.Element | null {
  const { hello, models, model, serving } = state;
  const { providers } = view.session;
  const ending = models.find(one => one.id === model)?.ending || serving.ending || '';
  React.useEffect(() => tell(ending), [ending]);
  const names = models.map(one => one.id);
  const options = names.includes(model) || !model ? names : [model, ...names];
  const modes = serving.modes ?? [];
  // An agent names its models and modes when it is asked: there is nothing yet that could be clicked to ask.
  const asks = options.length + modes.length === 0 && !hello?.offline ? hello?.provider : '';
  React.useEffect(() => {
    if (asks) {
      providers.listModels();
    }
  }, [asks]);
  if (hello?.offline || options.length + modes.length === 0) {
    return null; // recipes are no model: the header says so, and connects one
  }
  const tier = serving.tier ?? '';
  const tiers = serving.tiers ?? [];
  const known = tiers.some(one => one.name === tier) ? tiers : [...tiers, { name: tier }];
  const list = () => providers.listModels();
  return (
    <>
      {options.length > 0 && (
        <select className="spark-ModelPicker" aria-label={t('Model')} title={ending || undefined} value={model} onFocus={list} onChange={event => providers.selectModel(event.target.value, tier || null)}>
          {options.map(name => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
      )}
      {modes.length > 0 && (
        <select className="spark-ModelPicker" aria-label={t('Mode')} title={t('How the agent works, in its own words')} value={serving.mode ?? ''} onFocus={list} onChange={event => providers.selectModel(model, tier || null, event.target.value)}>
          {modes.map(name => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
      )}
      {tiers.length > 0 && (
        <select
          className="spark-ModelPicker"
          aria-label={t('Tier')}
          title={t('How fast the model is served: measured speed, dollars per million tokens in and out')}
          value={tier}
          onFocus={list}
          onChange={event => providers.selectModel(model, event.target.value || 'default')}
        >
          {known.map(one => (
            <option key={one.name} value={one.name}>
              {tierText(one)}
            </option>
          ))}
        </select>
      )}
    </>
  );
}

function tell(ending: string): void {
  if (ending && !told.has(ending)) {
    told.add(ending);
    Notification.warning(ending, { autoClose: false });
  }
}
