// A proposal in the panel: link to its cell, result, buttons.

import { checkIcon, closeIcon, runIcon } from '@jupyterlab/ui-components';
import * as React from 'react';
import { Button } from '../button';
import { nameOf } from '../cellName';
import { FindingList, LineLinks } from '../footer/findingList';
import { type Action, primaryAction, stateLabel } from '../footer/footerModel';
import { SurpriseList } from '../footer/surpriseList';
import { resultLine } from '../footer/trialResult';
import { contentHash } from '../hash';
import type { TrialResult } from '../messages';
import type { NotebookView } from '../notebookView';
import { isDecidable, wantsSecondYes } from '../selectors';
import type { FullProposal } from '../state';

interface ProposalLinkProps {
  readonly proposal: FullProposal;
  readonly trial: TrialResult | undefined;
  readonly trying: boolean;
  readonly view: NotebookView;
}

export function ProposalLink({ proposal, trial, trying, view }: ProposalLinkProps): React.JSX.Element {
  const jump = (place: { line: number; column?: number }) => view.jump(proposal.cell_id, place);
  const isPending = isDecidable(proposal);
  return (
    <li className="spark-ProposalLink" data-state={proposal.state}>
      <button type="button" className="spark-CellLink" title="Go to this cell" data-state={proposal.state} onClick={() => void view.goTo(proposal.cell_id)}>
        <span className="spark-CellLink-state">{stateLabel(proposal)}</span> <code>{nameOf(proposal.source)}</code>
      </button>
      {isPending && proposal.surprises.length > 0 && <SurpriseList surprises={proposal.surprises} brief />}
      {(trying || trial) && <Result trial={trying ? undefined : trial} />}
      <FindingList findings={proposal.findings} jump={jump} brief />
      {isPending && proposal.asides.map(({ line, message }) => (
        <div key={`${line} ${message}`} className="spark-CellLink-aside">
          <LineLinks lines={[line]} jump={jump} /> {message}
        </div>
      ))}
      {isPending && <Buttons proposal={proposal} trial={trial} act={action => void view.act(proposal.cell_id, action)} />}
    </li>
  );
}

function Result({ trial }: { trial: TrialResult | undefined }): React.JSX.Element {
  const line = trial && resultLine(trial);
  return (
    <div className="spark-CellLink-trial" data-failed={line?.outcome === 'failed'} title={line?.details}>
      {line ? line.text : 'Trying it in a copy of the kernel…'}
    </div>
  );
}

const LABELS: Readonly<Partial<Record<Action, string>>> = { continue: 'Continue', fix: 'Fix', run: 'Run' };

/** The footer's main buttons. The result counts for the text as it was proposed. */
function Buttons({ proposal, trial, act }: { proposal: FullProposal; trial: TrialResult | undefined; act: (action: Action) => void }): React.JSX.Element {
  const blocked = wantsSecondYes(proposal);
  const tried = trial?.source_hash && trial.source_hash !== contentHash(proposal.source) ? 'changed' : 'same';
  const first = primaryAction({ ...proposal, code: proposal.cell_type === 'code', blocked, trial: trial ?? null, tried });
  const label = first === 'run' && blocked ? 'Review…' : first && LABELS[first];
  return (
    <span className="spark-CellLink-buttons">
      {first && label && <Button label={label} primary icon={first === 'run' && !blocked ? runIcon : undefined} onClick={() => act(first)} />}
      <Button label="Accept" title="Keep it" icon={checkIcon} primary={first === 'accept'} onClick={() => act('accept')} />
      <Button label="Reject" title="Discard it" icon={closeIcon} iconOnly onClick={() => act('reject')} />
    </span>
  );
}
