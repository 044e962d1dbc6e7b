// List of completions below the prompt box.

import * as React from 'react';
import type { PanelModel } from './panelModel';
import { t } from '../translation';

/** The id of the offer that is chosen, for the box's `aria-activedescendant`. */
export const CHOSEN_ID = 'spark-completion-chosen';
export const LIST_ID = 'spark-completions';

/** What is offered for what is being typed. */
export function CompletionList({ model }: { model: PanelModel }): React.JSX.Element {
  const { items, chosen } = model.completions;
  const list = React.useRef<HTMLUListElement>(null);
  React.useEffect(() => {
    list.current?.children[chosen]?.scrollIntoView({ block: 'nearest' });
  }, [chosen]);
  return (
    <ul className="spark-Completions" id={LIST_ID} role="listbox" aria-label={t('Completions')} ref={list} tabIndex={0}>
      {items.map((item, index) => (
        <li
          key={item.text}
          id={index === chosen ? CHOSEN_ID : undefined}
          role="option"
          aria-selected={index === chosen}
          className="spark-Completion"
          onMouseDown={event => {
            event.preventDefault(); // the box keeps the focus
            model.draft = model.completions.put(model.draft, item);
          }}
        >
          <span>{item.text.trim()}</span>
          {item.what && <span className="spark-Completion-what">{item.what}</span>}
        </li>
      ))}
    </ul>
  );
}
