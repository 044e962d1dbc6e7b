// Surprises of a Try as a list.

import * as React from 'react';
import { InlineCode } from '../inlineCode';
import { told } from '../kernelTexts';
import type { Surprise } from '../messages';
import { t } from '../translation';

/** The surprises, each with its remedy unless `brief`. The list can have the focus: it is read before anything is kept. */
export function SurpriseList({ surprises, brief = false }: { surprises: readonly Surprise[]; brief?: boolean }): React.JSX.Element {
  return (
    <ul className="spark-Surprises" aria-label={t('Surprises')} tabIndex={-1}>
      {surprises.map(({ message, remedy, rule }) => (
        <li key={message} className="spark-Surprise" data-rule={rule}>
          <span className="spark-Surprise-kind">{t('Surprise:')}</span> <InlineCode text={told(message)} />
          {remedy && !brief && (
            <span className="spark-Surprise-remedy">
              {' '}
              <InlineCode text={told(remedy)} />
            </span>
          )}
        </li>
      ))}
    </ul>
  );
}
