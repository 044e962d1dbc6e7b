// Review of the notebook in the panel: remarks by cell.

import * as React from 'react';
import { plain } from '../plainText';
import type { Remark, ReviewChanged } from '../messages';
import { wishFor } from '../reviewer';
import { isReviewing, streamingTurn } from '../selectors';
import { nameOf } from '../cellName';
import type { NotebookView } from '../notebookView';
import { InlineCode } from '../inlineCode';
import { toldSentences } from '../kernelTexts';
import { t } from '../translation';

export function Review({ review, view }: { review: ReviewChanged; view: NotebookView }): React.JSX.Element {
  const { reviewer } = view.session;
  const busy = isReviewing(review);
  const remarks = review.remarks ?? [];
  return (
    <section className="spark-Review" aria-label={t('Review of the notebook')} data-state={review.state}>
      <div className="spark-Review-head">
        <span>{t('Review')}</span>
        {busy ? (
          <button type="button" className="spark-Button" onClick={() => reviewer.cancel()}>
            {t('Stop')}
          </button>
        ) : (
          <>
            <button type="button" className="spark-Button" title={t('Run all cells from the top, in a fresh process and a copy of the folder; nothing is kept')} onClick={() => reviewer.begin(true)}>
              {t('Run all in a copy')}
            </button>
            <button type="button" className="spark-Button" aria-label={t('Close the review')} onClick={() => reviewer.close()}>
              ×
            </button>
          </>
        )}
      </div>
      <div role="status">{standing(review)}</div>
      {busy && (review.total ?? 0) > 0 && <progress aria-label={t('Cells that have run')} max={review.total} value={review.done ?? 0} />}
      {review.problem && <div className="spark-Review-problem">{toldSentences(plain(review.problem))}</div>}
      {review.unenforced && <div className="spark-Review-problem">{toldSentences(plain(review.unenforced))}</div>}
      <ul className="spark-Review-cells">
        {byCell(remarks).map(([cellId, own]) => (
          <li key={cellId}>
            <button type="button" className="spark-CellLink" title={t('Go to this cell')} onClick={() => void view.goTo(cellId)}>
              <code>{nameOf(view.cell(cellId)?.model.sharedModel.source ?? '')}</code>
            </button>
            <ul className="spark-Findings" aria-label={t('Remarks')}>
              {own.map((remark, index) => (
                <RemarkItem key={index} remark={remark} view={view} />
              ))}
            </ul>
          </li>
        ))}
      </ul>
    </section>
  );
}

function RemarkItem({ remark, view }: { remark: Remark; view: NotebookView }): React.JSX.Element {
  const { cell_id, kind, severity, message, remedy, rule, line } = remark;
  const { reviewer, store } = view.session;
  const streaming = streamingTurn(store.state) !== null;
  return (
    <li className="spark-Finding" data-severity={severity} data-kind={kind}>
      {line != null && (
        <button type="button" className="spark-Finding-jump" onClick={() => view.jump(cell_id, { line })}>
          {t('Line %1', line)}
        </button>
      )}
      <span className="spark-Finding-text">
        {kind === 'surprise' && <b>{t('Surprise:')} </b>}
        <InlineCode text={plain(`${toldSentences(message)} ${toldSentences(remedy ?? '')}`.trimEnd())} />
      </span>
      {rule && <span className="spark-Finding-rule">{rule}</span>}
      {kind === 'fails' && !streaming && (
        <button type="button" className="spark-Button" title={t('Ask for an edit of this cell')} onClick={() => void view.prompt(wishFor(remark), { target: { edit: cell_id }, intent: 'fix' })}>
          {t('Fix it')}
        </button>
      )}
      {reviewer.canMend(remark) && (
        <button type="button" className="spark-Button" title={t('Change the cell; one Undo takes it back')} onClick={() => reviewer.mend(remark)}>
          {t('Apply fix')}
        </button>
      )}
    </li>
  );
}

/** How it stands, in a sentence. */
function standing({ state, remarks = [], done = 0, total = 0 }: ReviewChanged): string {
  const count = remarks.length === 0 ? t('No problems found') : remarks.length === 1 ? t('1 remark') : t('%1 remarks', remarks.length);
  const cells = done < total ? t('%1 of %2 cells', done, total) : total > 1 ? t('all %1 cells', total) : t('its only cell');
  const ran = total > 0 ? t('; %1 ran from the top, in a copy', cells) : '';
  switch (state) {
    case 'looking':
      return t('Reading the notebook…');
    case 'running':
      return t('Running it in a copy: %1 of %2 cells…', done, total);
    case 'cancelled':
      return t('Stopped. %1%2.', count, ran);
    case 'done':
      return `${count}${ran}.`;
  }
}

/** The remarks of each cell together; they come in the order of the cells. */
function byCell(remarks: readonly Remark[]): readonly (readonly [string, readonly Remark[]])[] {
  const cells = new Map<string, Remark[]>();
  for (const remark of remarks) {
    cells.set(remark.cell_id, [...(cells.get(remark.cell_id) ?? []), remark]);
  }
  return [...cells];
}
