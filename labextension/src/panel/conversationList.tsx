// List of conversations in the panel, with search.

import { deleteIcon, editIcon } from '@jupyterlab/ui-components';
import * as React from 'react';
import { Button } from '../button';
import type { ConversationInfo } from '../messages';
import type { State } from '../state';
import type { ConversationBrowser } from './conversationBrowser';
import { useSyncRender } from './useSyncRender';
import { language, t } from '../translation';

/** The conversations of this notebook, then those of others. */
export function ConversationList({ browser, state }: { browser: ConversationBrowser; state: State }): React.JSX.Element {
  const sync = useSyncRender();
  const { conversations = [], kept = true } = state.conversations ?? {};
  const isFound = conversations.length > 0;
  return (
    <div className="spark-Conversations">
      <input
        type="search"
        className="spark-Conversations-search"
        aria-label={t('Search in conversations')}
        placeholder={t('Search in conversations')}
        value={browser.query}
        autoFocus
        onChange={sync(event => (browser.query = event.target.value))}
        onKeyDown={event => event.key === 'Escape' && browser.toggle(false)}
      />
      {!kept && <p>{t('Conversations are not kept: the settings say so.')}</p>}
      {state.conversations && !isFound && <p>{browser.query ? t('No conversation has these words.') : t('No conversation is kept yet.')}</p>}
      <ul aria-label={t('Conversations')}>
        {conversations.map(one => (
          <Item key={one.id} one={one} isCurrent={one.id === state.conversation.id} browser={browser} />
        ))}
      </ul>
      {isFound && !browser.query && <Button label={t('Delete all…')} className="spark-Conversations-all" onClick={() => void browser.delete(null)} />}
    </div>
  );
}

function Item({ one, isCurrent, browser }: { one: ConversationInfo; isCurrent: boolean; browser: ConversationBrowser }): React.JSX.Element {
  const when = new Date((one.changed_at ?? 0) * 1000);
  const isToday = when.toDateString() === new Date().toDateString();
  const where = one.here ? '' : one.notebook || t('Terminal');
  return (
    <li className="spark-Conversation" aria-current={isCurrent || undefined}>
      <button type="button" className="spark-Conversation-open" title={t('Go on with this conversation: the model gets its turns')} onClick={() => browser.open(one)}>
        <span className="spark-Conversation-title">{one.title}</span>
        <span className="spark-Conversation-about">
          {[isCurrent ? t('This one') : '', isToday ? when.toLocaleTimeString(language(), { timeStyle: 'short' }) : when.toLocaleDateString(language()), where].filter(Boolean).join(' · ')}
        </span>
      </button>
      <span className="spark-Turn-actions">
        <Button label={t('Rename')} title={one.title} icon={editIcon} iconOnly onClick={() => void browser.rename(one)} />
        <Button label={t('Delete')} title={one.title} icon={deleteIcon} iconOnly onClick={() => void browser.delete(one)} />
      </span>
    </li>
  );
}
