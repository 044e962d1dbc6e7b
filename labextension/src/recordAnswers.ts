// Command that records what the model answers, beside the notebook.

import { Notification } from '@jupyterlab/apputils';
import { METADATA_KEY } from './constants';
import type { NotebookSession } from './notebookSession';
import { runMagic } from './runMagic';
import { recordingName } from './sharedModel';
import { t } from './translation';

/** Begin to record into the file beside the notebook, which then names it; or end that. */
export async function recordAnswers({ transport, context, store, notebook }: NotebookSession): Promise<void> {
  await transport.attach({ load: true });
  const kernel = context.sessionContext.session?.kernel;
  if (!kernel) {
    return;
  }
  const name = recordingName(context.path);
  const begins = !store.state.hello?.recording;
  const { ok, text } = await runMagic(kernel, `%spark record ${begins ? name : 'off'}`);
  if (ok && begins) {
    notebook.setMetadata(METADATA_KEY, { ...(notebook.getMetadata(METADATA_KEY) as object | undefined), recording: name });
  }
  const said = begins ? t('Answers are recorded into %1. Credentials are left out; prompts and answers are not.', name) : t('Answers are no longer recorded.');
  Notification.emit(ok ? said : text, ok ? 'success' : 'warning', { autoClose: ok ? 8000 : false });
}
