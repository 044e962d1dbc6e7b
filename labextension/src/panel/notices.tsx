// Notices at the top of the panel: connection, settings, problems.

import { SessionContextDialogs } from '@jupyterlab/apputils';
import { PathExt } from '@jupyterlab/coreutils';
import { ContentsManager } from '@jupyterlab/services';
import { closeIcon } from '@jupyterlab/ui-components';
import * as React from 'react';
import { Button } from '../button';
import { toldSentences } from '../kernelTexts';
import type { Problem } from '../messages';
import type { NotebookView } from '../notebookView';
import { providerWish } from '../settings';
import type { State } from '../state';
import { promptPolicy, recordingBeside } from '../sharedModel';
import { switchedOff } from '../selectors';
import { statusMessage } from '../statusMessage';
import type { PanelModel } from './panelModel';
import { t } from '../translation';

/** What stands in the way, each with what to do about it. Nothing is shown where all is well. */
export function Notices({ model, view, state }: { model: PanelModel; view: NotebookView; state: State }): React.JSX.Element {
  const text = statusMessage(view.session.transport, state);
  const { hello, answered } = state;
  const policy = promptPolicy(view.session.notebook);
  const off = switchedOff(state, 'prompts');
  const recording = useExisting(view, recordingBeside(view.session.notebook), hello?.recording);
  return (
    <div className="spark-Status">
      {hello?.offered && (
        <div className="spark-Status-text" data-offered={hello.offered}>
          <span>{t('A model server was found on this machine: %1. Nothing is sent to it until you use it.', hello.offered_title || hello.offered)}</span>{' '}
          <Button label={t('Use it')} onClick={() => view.session.providers.use({ profile: hello.offered })} />
        </div>
      )}
      {recording && !hello?.recording && hello?.model !== recording && (
        <div className="spark-Status-text" data-recording={recording}>
          <span>{t('Recorded answers come with this notebook (%1). They need no model and no key.', recording)}</span>{' '}
          <Button label={t('Use them')} onClick={() => view.session.providers.use({ model: recording })} />
        </div>
      )}
      {!model.connecting && answered && !answered.ok && !answered.only_test && (
        <div className="spark-Status-text" role="alert" data-refused>
          {t('The chosen provider can’t be used, so nothing has changed: %1', toldSentences(answered.message))}
        </div>
      )}
      {!model.connecting && view.session.providers.isBehind(model.settings.value) && <Behind model={model} />}
      {hello?.writer === false && !view.session.collaborative && <div className="spark-Status-text">{t('Another tab writes into this notebook. Decide there; this tab shows the result.')}</div>}
      {hello?.rehearsal_unavailable && <div className="spark-Status-text">{t('New cells are not tried while they are written.')} {toldSentences(hello.rehearsal_unavailable)}</div>}
      {off && (
        <div className="spark-Status-text" data-switched-off="prompts" role="status">
          {off}
        </div>
      )}
      {policy !== 'on' && !off && (
        <div className="spark-Status-text" data-policy={policy}>
          {policy === 'hints'
            ? t('The author of this notebook wants you to write the code yourself. Spark answers with hints.')
            : t('The author of this notebook has switched prompts off.')}
        </div>
      )}
      {hello?.policy?.logged_by && <div className="spark-Status-text" data-logged>{t('Your prompts in this notebook are logged. Who can read them: %1.', hello.policy.logged_by)}</div>}
      {typeof hello?.policy?.prompts_left === 'number' && (
        <div className="spark-Status-text" data-prompts-left={hello.policy.prompts_left}>
          {t('%1 of %2 prompts left', hello.policy.prompts_left, hello.policy.prompt_limit ?? 0)}
        </div>
      )}
      {text && (
        <div className="spark-Status-text" data-status={view.session.transport.status} role="status">
          <span>{text}</span> <Remedy view={view} />
        </div>
      )}
    </div>
  );
}

/** The name of a file where it is in the notebook's folder; empty where it is not. It is looked for again when what is recorded changes. */
function useExisting({ session }: NotebookView, name: string, recorded = ''): string {
  const [found, setFound] = React.useState('');
  const folder = PathExt.dirname(session.context.localPath);
  React.useEffect(() => {
    let isCurrent = true;
    const contents = new ContentsManager();
    const files = name && !recorded ? contents.get(folder, { type: 'directory', content: true }) : Promise.resolve(null);
    files
      .then(directory => (directory?.content as { name: string }[] | undefined)?.some(file => file.name === name) ?? false)
      .catch(() => false)
      .then(there => isCurrent && setFound(there ? name : ''));
    return () => {
      isCurrent = false;
      contents.dispose();
    };
  }, [folder, name, recorded]);
  return found;
}

/** The button that does what the notice says, where one can. */
function Remedy({ view }: { view: NotebookView }): React.JSX.Element | null {
  const { session, panel } = view;
  switch (session.transport.status) {
    case 'no-kernel':
    case 'unsupported':
      return <Button label={t('Choose a kernel…')} onClick={() => void new SessionContextDialogs().selectKernel(panel.sessionContext)} />;
    case 'failed':
      return <Button label={t('Try again')} onClick={() => void session.transport.attach({ load: true })} />;
    default:
      return null;
  }
}

/** The settings name another provider than when this kernel was told, or none. */
function Behind({ model }: { model: PanelModel }): React.JSX.Element {
  const named = providerWish(model.settings.value) !== null;
  return (
    <div className="spark-Status-text" data-behind>
      <span>{named ? t('Your settings now name another provider.') : t('Your settings no longer name a provider.')}</span>{' '}
      <Button label={named ? t('Use it here') : t('Use the configured one')} title={t('Other notebooks start with it')} onClick={() => model.followSettings()} />
    </div>
  );
}

/** What went wrong and what to do about it. */
export function Problems({ problems, dismiss }: { problems: readonly Problem[]; dismiss: (problem: Problem) => void }): React.JSX.Element {
  return (
    <div className="spark-Problems" role="alert">
      {problems.map((problem, index) => (
        <div className="spark-Problem" key={index} data-code={problem.code}>
          <span>
            {toldSentences(problem.message)} {toldSentences(problem.remedy ?? '')}
          </span>
          <Button label={t('Dismiss')} icon={closeIcon} iconOnly onClick={() => dismiss(problem)} />
        </div>
      ))}
    </div>
  );
}

/** The problems that are not shown with their turn already. */
export function problemsApart(state: State): readonly Problem[] {
  const told = new Set(state.turns.filter(turn => turn.outcome === 'failed' && turn.reason).map(turn => turn.id));
  return state.problems.filter(problem => !problem.turn_id || !told.has(problem.turn_id));
}
