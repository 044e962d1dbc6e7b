// A proposal in the panel: link to its cell, result, buttons.

import { checkIcon, closeIcon, runIcon } from '@jupyterlab/ui-components';
import * as React from 'react';
import { Button } from '../button';
import { nameOf } from '../cellName';
import { FindingList, LineLinks } from '../footer/findingList';
import { type Action, stateLabel, suggestedAction } from '../footer/footerModel';
import { SurpriseList } from '../footer/surpriseList';
import { resultLine } from '../footer/trialResult';
import { told } from '../kernelTexts';
import type { TrialResult } from '../messages';
import type { NotebookView } from '../notebookView';
import { isDecidable, wantsSecondYes } from '../selectors';
import type { FullProposal } from '../state';
import { t } from '../translation';

interface ProposalLinkProps {
  readonly proposal: FullProposal;
  readonly trial: TrialResult | undefined;
  readonly trying: boolean;
  /** Why nobody tried it, in a sentence. */
  readonly untried: string;
  /** A later proposal for its cell stands over it: what is decided now is decided about that one. */
  readonly passed: boolean;
  readonly view: NotebookView;
}

export function ProposalLink(props: ProposalLinkProps): React.JSX.Element {
  const { proposal, trial, view } = props;
  const jump = (place: { line: number; column?: number }) => view.jump(proposal.cell_id, place);
  const isPending = isDecidable(proposal) && !props.passed;
  const trying = isPending && (props.trying || proposal.trying);
  return (
    <li className="spark-ProposalLink" data-state={proposal.state}>
      <button type="button" className="spark-CellLink" title={t('Go to this cell')} data-state={proposal.state} onClick={() => void view.goTo(proposal.cell_id)}>
        <span className="spark-CellLink-state">{stateLabel(proposal)}</span> <code>{nameOf(proposal.operation ? proposal.base : proposal.source)}</code>
      </button>
      {isPending && proposal.surprises.length > 0 && <SurpriseList surprises={proposal.surprises} brief />}
      {(trying || trial) && <Result trial={trying ? undefined : trial} />}
      {props.untried && <div className="spark-CellLink-untried">{props.untried}</div>}
      <FindingList findings={proposal.findings} jump={jump} brief />
      {isPending && proposal.asides.map(({ line, message }) => (
        <div key={`${line} ${message}`} className="spark-CellLink-aside">
          <LineLinks lines={[line]} jump={jump} /> {told(message)}
        </div>
      ))}
      {isPending && <Buttons proposal={proposal} trying={trying} view={view} />}
    </li>
  );
}

function Result({ trial }: { trial: TrialResult | undefined }): React.JSX.Element {
  const line = trial && resultLine(trial);
  return (
    <div className="spark-CellLink-trial" data-failed={line?.outcome === 'failed'} title={line?.details}>
      {line ? line.text : t('Trying it in a copy of the kernel…')}
    </div>
  );
}

const LABELS: Readonly<Partial<Record<Action, string>>> = { continue: t('Continue'), fix: t('Fix'), run: t('Run') };

const TITLES: Readonly<Partial<Record<Action, string>>> = { continue: t('Write the rest of this cell'), fix: t('Repair the error'), run: t('Keep it and run it') };

/** The footer's main buttons. */
function Buttons({ proposal, trying, view }: Omit<ProposalLinkProps, 'trial' | 'untried' | 'passed'>): React.JSX.Element {
  const blocked = wantsSecondYes(proposal);
  const first = suggestedAction(view.session.store.state, proposal, trying);
  const [label, title] = first === 'run' && blocked ? [t('Review…'), t('See what blocks it')] : first ? [LABELS[first], TITLES[first]] : [];
  const about = (action: Action) => ({ keys: view.keysOf(action), onClick: () => void view.act(proposal.cell_id, action) });
  return (
    <span className="spark-CellLink-buttons">
      {first && label && <Button label={label} title={title} primary icon={first === 'run' && !blocked ? runIcon : undefined} {...about(first)} />}
      <Button label={t('Accept')} title={t('Keep it')} icon={checkIcon} primary={first === 'accept'} {...about('accept')} />
      <Button label={t('Reject')} title={t('Discard it')} icon={closeIcon} iconOnly {...about('reject')} />
    </span>
  );
}
