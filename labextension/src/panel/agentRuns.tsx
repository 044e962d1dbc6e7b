// Runs and permissions that agents ask for, and the grants in force.

import * as React from 'react';
import { Button } from '../button';
import type { RunGrant } from '../messages';
import type { NotebookView } from '../notebookView';
import { plain } from '../plainText';
import { whenSeen } from '../sight';
import type { State } from '../state';
import { t } from '../translation';

/** Minutes of a grant that is given here. */
const GRANT_MINUTES = 30;

/** Nothing is shown where no agent waits and none was granted anything. */
export function AgentRuns({ state, view }: { state: State; view: NotebookView }): React.JSX.Element | null {
  const { asked = [], grants = [], permissions = [] } = state.consent;
  if (asked.length + grants.length + permissions.length === 0) {
    return null;
  }
  const { transport } = view.session;
  return (
    <section className="spark-Status spark-AgentRuns" aria-label={t('Agents')}>
      {asked.map(({ request_id, agent, cell_id }) => (
        <div className="spark-Status-text" role="alert" data-asked={cell_id} key={request_id}>
          <span>{t('%1 asks to run a cell.', agent)}</span> <Button label={t('Go to it')} onClick={() => void view.goTo(cell_id)} />
          <Button label={t('Accept and run')} onClick={() => void whenSeen(view, cell_id, () => view.consent.run(cell_id))} />
          <Button
            label={t('Run, and allow for %1 minutes', GRANT_MINUTES)}
            title={t('Runs it, and for %1 minutes every cell of %2 that ran in a copy without findings and surprises', GRANT_MINUTES, agent)}
            onClick={() => void whenSeen(view, cell_id, () => transport.send({ type: 'AnswerRun', request_id, allowed: true, minutes: GRANT_MINUTES }))}
          />
          <Button label={t('Don’t run')} onClick={() => void transport.send({ type: 'AnswerRun', request_id, allowed: false })} />
        </div>
      ))}
      {permissions.map(({ request_id, agent, what, detail = '' }) => (
        <div className="spark-Status-text" role="alert" data-permission={request_id} key={request_id}>
          <span>{t('%1 wants to do this by itself, outside the notebook: %2', agent, plain(what).replaceAll('`', ''))}</span>
          {detail && <pre className="spark-AgentRuns-detail">{plain(detail)}</pre>}{' '}
          <Button label={t('Allow it once')} onClick={() => void transport.send({ type: 'AnswerRun', request_id, allowed: true })} />
          <Button label={t('Don’t allow it')} onClick={() => void transport.send({ type: 'AnswerRun', request_id, allowed: false })} />
        </div>
      ))}
      {grants.map(grant => (
        <Grant key={grant.agent} grant={grant} revoke={() => void transport.send({ type: 'RevokeGrants' })} />
      ))}
    </section>
  );
}

/** Counts down; gone when its time is over. */
function Grant({ grant, revoke }: { grant: RunGrant; revoke: () => void }): React.JSX.Element | null {
  const [now, setNow] = React.useState(Date.now());
  React.useEffect(() => {
    const timer = window.setInterval(() => setNow(Date.now()), 1000);
    return () => window.clearInterval(timer);
  }, []);
  const left = Math.ceil(grant.until - now / 1000);
  if (left <= 0) {
    return null;
  }
  const time = `${Math.floor(left / 60)}:${String(left % 60).padStart(2, '0')}`;
  return (
    <div className="spark-Status-text" data-grant={grant.agent}>
      <span>{t('%1 may run cells without findings and surprises:', grant.agent)}</span> <span role="timer">{time}</span>{' '}
      <Button label={t('Revoke')} onClick={revoke} />
    </div>
  );
}
