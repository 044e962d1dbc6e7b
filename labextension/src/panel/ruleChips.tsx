// Chips of the AGENTS.md files whose rules go along with prompts.

import * as React from 'react';
import type { RuleFile } from '../messages';
import { plain } from '../plainText';
import { language, t } from '../translation';
import type { PanelModel } from './panelModel';

/** The files, each with what it is; a button switches them off, or on again. */
export function RuleChips({ model }: { model: PanelModel }): React.JSX.Element | null {
  const rules = model.state?.rules ?? null;
  const files = rules?.files ?? [];
  if (!rules || files.length === 0) {
    return null;
  }
  const on = rules.on ?? true;
  const label = on ? t('Leave the project’s rules out') : t('Send the project’s rules along again');
  return (
    <div className="spark-Rules" title={on ? files.map(hint).join('\n') : undefined}>
      {on ? files.map(file => <Chip key={file.path} file={file} />) : <span>{t('Project rules are off.')}</span>}
      <button type="button" aria-label={label} title={label} onClick={() => void model.settings.keep({ projectRules: !on })}>
        {on ? '×' : t('Turn on')}
      </button>
    </div>
  );
}

function Chip({ file }: { file: RuleFile }): React.JSX.Element {
  const goesAlong = !file.problem || file.problem === 'cut';
  return <span className={goesAlong ? 'spark-Chip' : 'spark-Chip spark-mod-left'}>{plain(file.path)}</span>;
}

function hint({ path, characters, problem }: RuleFile): string {
  const name = plain(path);
  switch (problem ?? '') {
    case 'cut':
      return t('%1: too long, so only its beginning goes along with prompts', name);
    case 'changeable':
      return t('%1: not read, because other users can change it. Make it yours alone: chmod go-w', name);
    case 'outside':
      return t('%1: not read, because it is a link that leads out of the project', name);
    case 'unreadable':
      return t('%1: not read, because it can’t be opened', name);
    default:
      return t('%1: goes along with every prompt (%2 characters)', name, (characters ?? 0).toLocaleString(language()));
  }
}
