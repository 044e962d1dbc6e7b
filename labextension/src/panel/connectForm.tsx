// Form that connects a model: provider cards, key, model, address.

import { Notification } from '@jupyterlab/apputils';
import * as React from 'react';
import { toldSentences } from '../kernelTexts';
import type { ProviderInfo } from '../messages';
import type { ProviderWish } from '../providers';
import { isPlaced } from '../settings';
import type { State } from '../state';
import type { NotebookView } from '../notebookView';
import { ModelFileOffers } from './modelFileOffers';
import type { PanelModel } from './panelModel';
import { t } from '../translation';

interface FormProps {
  readonly model: PanelModel;
  readonly view: NotebookView;
  readonly state: State;
}

/** Models that are listed below the field after a test; the field itself completes all of them. */
const MOST_LISTED = 8;

/** It closes when the provider has answered. Jupyter's server keeps a pasted key, for its address only. */
export function ConnectForm({ model, view, state }: FormProps): React.JSX.Element {
  const [profile, setProfile] = React.useState('');
  const [baseUrl, setBaseUrl] = React.useState('');
  const [name, setName] = React.useState('');
  const [variable, setVariable] = React.useState('');
  const [key, setKey] = React.useState('');
  const [everywhere, setEverywhere] = React.useState(false);
  const [asked, setAsked] = React.useState<State['answered'] | undefined>(undefined);
  const fields = React.useRef<HTMLDivElement>(null);
  const known = state.providers.find(provider => provider.name === profile);
  const waiting = asked !== undefined && asked === state.answered;
  const answer = asked === undefined || waiting ? null : state.answered;
  const done = answer !== null && answer.ok && !answer.only_test;
  React.useEffect(() => {
    if (done) {
      Notification.success(toldSentences(answer.message), { autoClose: 5000 });
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
  // A model file is a provider of its own: whoever chooses one has said all that there is to say.
  const choose = (provider: string, file: string) => {
    setProfile(provider);
    setBaseUrl('');
    setName(file);
    setAsked(undefined);
    window.requestAnimationFrame(() => fields.current?.querySelector('input')?.focus());
  };
  const listed = answer?.ok ? answer.models ?? [] : [];
  const complete = isPlaced({ profile, base_url: baseUrl.trim(), model: name });
  return (
    <form
      className="spark-Connect"
      aria-label={t('Connect a model')}
      onSubmit={event => {
        event.preventDefault();
        ask(false);
      }}
    >
      <Cards model={model} state={state} profile={profile} file={name} choose={choose} />
      <ModelFileOffers
        state={state}
        file={profile ? '' : name}
        choose={file => choose('', file)}
        download={(model_name, stop) => view.session.providers.download(model_name, stop, model.settings.value)}
      />
      <div className="spark-Connect-fields" ref={fields}>
        {profile === '' && <Field label={t('Base URL')} type="url" value={baseUrl} placeholder="http://localhost:8000/v1" onChange={setBaseUrl} />}
        <Field
          label={t('API key')}
          type="password"
          value={key}
          placeholder={known?.has_key ? t('found in %1', known.key_env) : known?.keeps_key ? t('kept by Jupyter') : known?.signs_in ? t('or your login at the cloud') : known && !known.key_env ? t('not needed') : t('Jupyter keeps it for this address')}
          onChange={setKey}
          link={known?.key_url ? { href: known.key_url, text: t('Get a key from %1', known.title || known.name) } : undefined}
        />
        <Field label={t('Model')} value={name} placeholder={known?.model || t('the first one, or FILE.gguf')} list={[...listed, ...(profile ? [] : state.modelFiles)]} onChange={setName} />
        {listed.length > 0 && (
          <div className="spark-Connect-models" role="group" aria-label={t('Models of this provider')}>
            {listed.slice(0, MOST_LISTED).map(one => (
              <button key={one} type="button" className="spark-Connect-model" aria-pressed={one === name} onClick={() => setName(one)}>
                {one}
              </button>
            ))}
          </div>
        )}
        <details>
          <summary>{t('More')}</summary>
          {profile !== '' && <Field label={t('Base URL')} type="url" value={baseUrl} placeholder={known?.base_url || ''} onChange={setBaseUrl} />}
          <Field label={t('Environment variable with the API key')} value={variable} placeholder={known?.key_env || t('none')} onChange={setVariable} />
        </details>
        <label className="spark-Connect-check" title={t('Kept in JupyterLab’s settings; a pasted key is not')}>
          <input type="checkbox" checked={everywhere} onChange={event => setEverywhere(event.target.checked)} />
          {t('Use in all notebooks')}
        </label>
      </div>
      <div className="spark-Connect-buttons">
        <div className="spark-Connect-answer" role="status" data-ok={answer ? String(answer.ok) : undefined}>
          {waiting ? t('Connecting…') : toldSentences(answer?.message ?? '')}
        </div>
        <button type="button" className="jp-Dialog-button jp-mod-reject jp-mod-styled" onClick={() => (model.connecting = false)}>
          {t('Cancel')}
        </button>
        <button
          type="button"
          className="jp-Dialog-button jp-mod-reject jp-mod-styled"
          title={t('Connect, list the models, and change nothing')}
          disabled={!complete || waiting}
          onClick={() => ask(true)}
        >
          {t('Test')}
        </button>
        <button type="submit" className="jp-Dialog-button jp-mod-accept jp-mod-styled" disabled={!complete || waiting}>
          {t('Connect')}
        </button>
      </div>
    </form>
  );
}

interface CardsProps {
  readonly model: PanelModel;
  readonly state: State;
  readonly profile: string;
  readonly file: string;
  readonly choose: (profile: string, file: string) => void;
}

/** Providers whose key was found come first, then those that need none, then the others. */
function Cards({ model, state, profile, file, choose }: CardsProps): React.JSX.Element {
  const { providers, modelFiles } = state;
  const { modelFolder } = model.settings.value;
  const rank = (one: ProviderInfo) => NOTES.indexOf(noteOf(one));
  const card = (id: string, title: string, note: string, pressed: boolean, onClick: () => void) => (
    <button key={id} type="button" className="spark-Connect-card" data-provider={id} aria-pressed={pressed} onClick={onClick}>
      <span>{title}</span>
      <span className="spark-Connect-note">{note}</span>
    </button>
  );
  return (
    <div className="spark-Connect-cards" role="group" aria-label={t('Provider')}>
      {[...providers].sort((one, other) => rank(one) - rank(other)).map(one => card(one.name, one.title || one.name, noteOf(one), profile === one.name, () => choose(one.name, '')))}
      {modelFiles.map(path => card(path, path.split(/[\\/]/).pop() ?? path, t('Model file'), !profile && file === path, () => choose('', path)))}
      {card('', t('Other'), t('By its base URL'), !profile && !modelFiles.includes(file), () => choose('', ''))}
      {modelFolder && modelFiles.length === 0 && providers.length > 0 && (
        <div className="spark-Connect-note">{t('There is no model file (.gguf) in %1, the folder that your settings name.', modelFolder)}</div>
      )}
    </div>
  );
}

/** What a card says of its provider, in the order of the cards. */
const NOTES = [t('Key found'), t('On this machine'), t('Needs a key'), t('Your cloud login')];

function noteOf({ has_key, keeps_key, signs_in, key_env, base_url = '' }: ProviderInfo): string {
  return NOTES[has_key || keeps_key ? 0 : signs_in ? 3 : !key_env || /\/\/(127\.|localhost)/.test(base_url) ? 1 : 2];
}

interface FieldProps {
  readonly label: string;
  readonly value: string;
  readonly placeholder: string;
  readonly type?: 'text' | 'url' | 'password';
  /** What the field completes. */
  readonly list?: readonly string[];
  readonly link?: { readonly href: string; readonly text: string };
  readonly onChange: (value: string) => void;
}

function Field({ label, value, placeholder, type = 'text', list, link, onChange }: FieldProps): React.JSX.Element {
  const id = React.useId();
  return (
    <div className="spark-Connect-field">
      <label htmlFor={id}>{label}</label>
      {link && (
        <a href={link.href} target="_blank" rel="noopener noreferrer">
          {link.text}
        </a>
      )}
      <input
        id={id}
        className="jp-mod-styled"
        type={type}
        autoComplete="off"
        value={value}
        placeholder={placeholder}
        list={list && `${id}-list`}
        onChange={event => onChange(event.target.value)}
      />
      {list && <datalist id={`${id}-list`}>{list.map(one => <option key={one} value={one} />)}</datalist>}
    </div>
  );
}
