// Header of the panel: provider, spending, and the panel's actions.

import { addIcon, ellipsesIcon, historyIcon, linkIcon } from '@jupyterlab/ui-components';
import type { CommandRegistry } from '@lumino/commands';
import { Menu } from '@lumino/widgets';
import * as React from 'react';
import { Button } from '../button';
import { clockIcon } from '../icons';
import { toldSentences } from '../kernelTexts';
import { conversationTurns, streamingTurn } from '../selectors';
import type { State } from '../state';
import type { PanelModel } from './panelModel';
import { draftsBriefly, spentBriefly, spentText } from './turnMeter';
import { t } from '../translation';

/** The commands of the menu; null is a separator. */
const MENU = ['spark:review', 'spark:review-run', 'spark:undo-run', null, 'spark:conversations', 'spark:export', 'spark:record', 'spark:strip', null, 'spark:settings'] as const;

export function Header({ model, state, commands }: { model: PanelModel; state: State; commands: CommandRegistry }): React.JSX.Element {
  const { hello, spent } = state;
  const spentShort = spent && [spentBriefly(spent), draftsBriefly(spent)].filter(Boolean).join(' · ');
  return (
    <div className="spark-Header">
      {hello ? (
        <span className="spark-Status-provider" title={[toldSentences(hello.banner ?? ''), spent && spentText(spent)].filter(Boolean).join('\n') || undefined}>
          {hello.offline ? t('Offline recipes, no model') : hello.provider || (hasFailed(state) ? t('No model answers') : t('Connecting to a model…'))}
        </span>
      ) : (
        <span className="spark-spacer" />
      )}
      {spent && spentShort && (
        <span className="spark-Header-spent" title={spentText(spent)} data-spent={spent.today}>
          {spentShort}
        </span>
      )}
      {conversationTurns(state).length > 0 && (
        <Button
          label={t('New conversation')}
          title={t('The next prompt is sent without the turns so far')}
          icon={addIcon}
          iconOnly
          disabled={streamingTurn(state) !== null}
          onClick={() => void model.newConversation()}
        />
      )}
      {hello && (
        <Button
          label={t('Conversations')}
          title={t('Earlier conversations: search, open, rename, delete')}
          icon={historyIcon}
          iconOnly
          pressed={model.browser.isOpen}
          onClick={() => {
            model.timeline.toggle(false);
            model.browser.toggle();
          }}
        />
      )}
      {hello && (
        <Button
          label={t('Timeline')}
          title={t('Go back to an earlier moment: cells, variables and conversation')}
          icon={clockIcon}
          iconOnly
          pressed={model.timeline.isOpen}
          onClick={() => model.toggleTimeline()}
        />
      )}
      {hello && (
        <Button
          label={t('Connect a model…')}
          title={t('Choose the provider, the model and the key')}
          icon={linkIcon}
          iconOnly
          pressed={model.connecting}
          onClick={() => (model.connecting = !model.connecting)}
        />
      )}
      <MenuButton commands={commands} />
    </div>
  );
}

function MenuButton({ commands }: { commands: CommandRegistry }): React.JSX.Element {
  const open = (event: React.MouseEvent) => {
    const { left, bottom } = event.currentTarget.getBoundingClientRect();
    const menu = new Menu({ commands });
    MENU.forEach(command => menu.addItem(command ? { command } : { type: 'separator' }));
    menu.aboutToClose.connect(() => window.setTimeout(() => menu.dispose()));
    menu.open(left, bottom);
  };
  return (
    <span onClick={open}>
      <Button label={t('More actions')} icon={ellipsesIcon} iconOnly />
    </span>
  );
}

function hasFailed(state: State): boolean {
  return state.problems.length > 0 || state.turns.at(-1)?.outcome === 'failed';
}
