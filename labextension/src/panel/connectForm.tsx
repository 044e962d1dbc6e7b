// Form that connects a model: provider, address, model, key.

import { Notification } from '@jupyterlab/apputils';
import * as React from 'react';
import { Button } from '../button';
import type { State } from '../state';
import type { ProviderWish } from '../providers';
import { isPlaced } from '../settings';
import type { NotebookView } from '../notebookView';
import type { PanelModel } from './panelModel';

interface FormProps {
  readonly model: PanelModel;
  readonly view: NotebookView;
  readonly state: State;
}

/** It closes when the provider has answered. A key that is pasted is kept for this session of the kernel only. */
export function ConnectForm({ model, view, state }: FormProps): React.JSX.Element {
  const [profile, setProfile] = React.useState('');
  const [baseUrl, setBaseUrl] = React.useState('');
  const [name, setName] = React.useState('');
  const [variable, setVariable] = React.useState('');
  const [key, setKey] = React.useState('');
  const [everywhere, setEverywhere] = React.useState(false);
  const [asked, setAsked] = React.useState<State['answered'] | undefined>(undefined);
  const form = React.useRef<HTMLFormElement>(null);
  React.useLayoutEffect(() => takeFocus(form.current), []);
  const known = state.providers.find(provider => provider.name === profile);
  const waiting = asked !== undefined && asked === state.answered;
  const answer = asked === undefined || waiting ? null : state.answered;
  const done = answer !== null && answer.ok && !answer.only_test;
  const said = React.useRef<HTMLDivElement>(null);
  React.useEffect(() => {
    if (answer) {
      said.current?.scrollIntoView({ block: 'nearest' }); // in a low window it is below what can be seen
    }
  }, [answer]);
  React.useEffect(() => {
    if (done) {
      Notification.success(answer.message, { autoClose: 5000 });
      model.connecting = false;
    }
  }, [done]);
  const wish = (only_test: boolean): ProviderWish => ({ profile, base_url: baseUrl.trim(), model: name.trim(), key_env: variable.trim(), key, only_test });
  const ask = (only_test: boolean) => {
    setAsked(state.answered);
    view.session.providers.use(wish(only_test));
    if (!only_test && everywhere) {
      const kept = { profile, baseUrl: baseUrl.trim(), model: name.trim(), keyVariable: variable.trim() };
      void model.settings.keep(kept).then(() => view.session.providers.heard(model.settings.value));
    }
  };
  const files = state.modelFiles;
  const { modelFolder } = model.settings.value;
  // A model file is a provider of its own: whoever chooses one has said all that there is to say.
  const choose = (value: string) => {
    const isFile = files.includes(value);
    setProfile(isFile ? '' : value);
    setBaseUrl(isFile ? '' : baseUrl);
    setName(isFile ? value : files.includes(name) ? '' : name);
  };
  const complete = isPlaced({ profile, base_url: baseUrl.trim(), model: name });
  return (
    <form
      ref={form}
      className="spark-Connect"
      aria-label="Connect a model"
      onSubmit={event => {
        event.preventDefault();
        ask(false);
      }}
      onKeyDown={event => event.key === 'Escape' && (model.connecting = false)}
    >
      <label>
        Provider
        <select value={!profile && files.includes(name) ? name : profile} onChange={event => choose(event.target.value)}>
          <option value="">Other</option>
          {state.providers.map(provider => (
            <option key={provider.name} value={provider.name}>
              {provider.title || provider.name}
              {provider.has_key ? ' (key found)' : ''}
            </option>
          ))}
          {files.length > 0 && (
            <optgroup label="Model files, run on this machine">
              {files.map(file => (
                <option key={file} value={file}>
                  {file.split(/[\\/]/).pop()}
                </option>
              ))}
            </optgroup>
          )}
        </select>
      </label>
      {modelFolder && files.length === 0 && state.providers.length > 0 && (
        <div className="spark-Connect-note">There is no model file (.gguf) in {modelFolder}, the folder that your settings name.</div>
      )}
      {profile === '' && <BaseUrl value={baseUrl} placeholder="http://localhost:8000/v1" onChange={setBaseUrl} />}
      <label>
        API key, for this session only
        <input
          type="password"
          autoComplete="off"
          value={key}
          placeholder={known?.has_key ? `found in ${known.key_env}` : ''}
          onChange={event => setKey(event.target.value)}
        />
      </label>
      <label>
        Model
        <input type="text" list="spark-connect-models" value={name} placeholder={known?.model || 'the first one, or FILE.gguf'} onChange={event => setName(event.target.value)} />
        <datalist id="spark-connect-models">{[...(state.answered?.models ?? []), ...(profile ? [] : files)].map(one => <option key={one} value={one} />)}</datalist>
      </label>
      <details className="spark-Connect-more">
        <summary>More</summary>
        {profile !== '' && <BaseUrl value={baseUrl} placeholder={known?.base_url || ''} onChange={setBaseUrl} />}
        <label>
          Environment variable with the API key
          <input type="text" value={variable} placeholder={known?.key_env || 'none'} onChange={event => setVariable(event.target.value)} />
        </label>
      </details>
      <label className="spark-Connect-check" title="Kept in JupyterLab’s settings; a pasted key is never kept">
        <input type="checkbox" checked={everywhere} onChange={event => setEverywhere(event.target.checked)} />
        Use in all notebooks
      </label>
      <div className="spark-Connect-buttons">
        <Button label="Test" title="Connect, list the models, and change nothing" disabled={!complete || waiting} onClick={() => ask(true)} />
        <Button label="Connect" type="submit" primary disabled={!complete || waiting} />
        <Button label="Cancel" onClick={() => (model.connecting = false)} />
      </div>
      <div className="spark-Connect-answer" ref={said} role="status" data-ok={answer ? String(answer.ok) : undefined}>
        {waiting ? 'Connecting…' : answer?.message}
      </div>
    </form>
  );
}

function BaseUrl({ value, placeholder, onChange }: { value: string; placeholder: string; onChange: (value: string) => void }): React.JSX.Element {
  return (
    <label>
      Base URL
      <input type="url" value={value} placeholder={placeholder} onChange={event => onChange(event.target.value)} />
    </label>
  );
}

/** The focus goes to a form's first field as it opens, and back to where it was when it closes. */
function takeFocus(form: HTMLFormElement | null): () => void {
  const before = document.activeElement;
  form?.querySelector('select')?.focus();
  return () => {
    if (form?.contains(document.activeElement) && before instanceof HTMLElement) {
      before.focus();
    }
  };
}
