// Comparison of an edit's result with the original's, below the cell.

import * as React from 'react';
import { InlineCode } from '../inlineCode';
import { told, toldParts } from '../kernelTexts';
import type { Proof } from '../messages';
import { placeOf, proofDetails } from './proofDetails';
import { t } from '../translation';

/** The cells of the notebook, by their ids. */
export interface OtherCells {
  readonly name: (cellId: string) => string;
  readonly go: (cellId: string) => void;
}

/** The details as a list; nothing where there are none. */
export function ProofView({ proof, cells }: { proof: Proof; cells: OtherCells }): React.JSX.Element | null {
  const { differences, more, unclear, costs, below } = proofDetails(proof);
  const isEmpty = differences.length + more + unclear.length + below.length === 0 && !costs;
  return isEmpty ? null : (
    <ul className="spark-Proof" aria-label={t('Compared with the original')}>
      <DifferenceItems differences={differences} more={more} unclear={unclear} />
      {costs && <li className="spark-Proof-cost">{costs}</li>}
      {below.length > 0 && <CellsBelow below={below} cells={cells} />}
    </ul>
  );
}

/** What differs, and what can't be compared, as items of a list. */
export function DifferenceItems({ differences = [], more = 0, unclear = [] }: Pick<Proof, 'differences' | 'more' | 'unclear'>): React.JSX.Element {
  return (
    <>
      {differences.map((one, n) => (
        <li key={n}>
          ≠ {one.kind === 'variable' ? <code className="spark-Effect-name">{one.name}</code> : `${placeOf(one)}:`} {toldParts(one.detail, '; ')}
        </li>
      ))}
      {more > 0 && <li>{t('≠ %1 more', more)}</li>}
      {unclear.map(one => (
        <li key={one}>
          ? <InlineCode text={told(one)} />
        </li>
      ))}
    </>
  );
}

function CellsBelow({ below, cells }: { below: readonly string[]; cells: OtherCells }): React.JSX.Element {
  return (
    <li>
      {below.length === 1 ? t('1 cell below uses changed values: ') : t('%1 cells below use changed values: ', below.length)}
      {below.map((cellId, n) => (
        <React.Fragment key={cellId}>
          {n > 0 && ', '}
          <button type="button" className="spark-Finding-jump" title={t('Go to this cell')} onClick={() => cells.go(cellId)}>
            {cells.name(cellId)}
          </button>
        </React.Fragment>
      ))}
      . <code>%spark rerun</code> {t('shows what would change there.')}
    </li>
  );
}
