// Cards of deep work: plan, budget, log, controls.

import { DEEP_STATES, DEEP_STEP_STATES } from '../constants';
import * as React from 'react';
import { Button } from '../button';
import { type ChooseDeep, DEFAULTS } from '../messages';
import { isOver } from '../selectors';
import type { FullDeepWork, State } from '../state';
import type { NotebookView } from '../notebookView';
import { tierText } from './tierText';
import { dollars } from './turnMeter';
import { toldSentences } from '../kernelTexts';
import { language, t } from '../translation';

const MARKS: Record<FullDeepWork['steps'][number]['state'], string> = { 'to-do': '○', writing: '…', trying: '…', done: '✓', 'left-out': '✗' };

type Effort = NonNullable<ChooseDeep['effort']>;
const EFFORTS: readonly Effort[] = ['', 'minimal', 'low', 'medium', 'high'];

/** The works that are under way, and the last one where nothing came of it. */
export function shownWorks({ deep }: State): readonly FullDeepWork[] {
  const works = [...deep.values()];
  return works.filter((work, n) => !isOver(work) || (n === works.length - 1 && work.state === 'gave-up'));
}

/** The cards of deep works. */
export function DeepCards({ state, view }: { state: State; view: NotebookView }): React.JSX.Element | null {
  const [gone, setGone] = React.useState<ReadonlySet<string>>(new Set());
  const works = shownWorks(state).filter(work => !gone.has(work.id));
  return works.length === 0 ? null : (
    <div className="spark-DeepCards" role="group" aria-label={t('Deep work')}>
      {works.map(work => (
        <DeepCard
          key={work.id}
          work={work}
          view={view}
          known={!state.orphans.has(work.id)}
          dismiss={isOver(work) ? () => setGone(new Set([...gone, work.id])) : null}
        />
      ))}
    </div>
  );
}

interface DeepCardProps {
  readonly work: FullDeepWork;
  readonly view: NotebookView;
  readonly known: boolean;
  /** Take the card away; null while it works. */
  readonly dismiss: (() => void) | null;
}

function DeepCard({ work, view, known, dismiss }: DeepCardProps): React.JSX.Element {
  const { deep } = view.session;
  const [words, setWords] = React.useState('');
  const [plan, setPlan] = React.useState<string | null>(null);
  const live = !isOver(work) && known;
  const isProposed = work.state === 'planned' || work.state === 'paused';
  return (
    <section className="spark-Deep" data-work={work.id} data-state={work.state} aria-label={t('Deep work: %1', work.prompt)}>
      <div className="spark-Deep-head">
        <span className="spark-Deep-state">
          {t('Deep:')} {work.rest > 0 ? <Resting work={work} /> : t(DEEP_STATES[work.state])}
        </span>
        {dismiss && (
          <button type="button" className="spark-Button" aria-label={t('Dismiss')} onClick={dismiss}>
            ×
          </button>
        )}
        <span className="spark-Deep-spent">
          <Elapsed work={work} /> · {spentOf(work)}
        </span>
      </div>
      <div className="spark-Deep-prompt">{work.prompt}</div>
      {work.lost && !isOver(work) && <div className="spark-Deep-note">{toldSentences(work.lost)}</div>}
      {work.reason && <div className="spark-Deep-note">{toldSentences(work.reason)}</div>}
      {isOver(work) &&
        work.undone.map(why => (
          <div key={why} className="spark-Deep-note">
            {toldSentences(why)}
          </div>
        ))}
      {plan === null ? (
        <Steps work={work} />
      ) : (
        <form
          onSubmit={event => {
            event.preventDefault();
            deep.editPlan(work.id, plan.split('\n'));
            setPlan(null);
          }}
        >
          <textarea className="spark-Deep-plan" aria-label={t('The plan, a step in each line')} rows={Math.max(3, work.steps.length + work.checks.length + 1)} value={plan} onChange={event => setPlan(event.target.value)} />
          <div className="spark-Deep-buttons">
            <button type="submit" className="spark-Button spark-mod-primary" disabled={!plan.trim()}>
              {t('Use this plan')}
            </button>
            <button type="button" className="spark-Button" onClick={() => setPlan(null)}>
              {t('Leave it')}
            </button>
          </div>
        </form>
      )}
      {plan === null && work.checks.length > 0 && (
        <ul className="spark-Deep-checks" aria-label={t('What must hold at the end')}>
          {work.checks.map(check => (
            <li key={check}>
              <code>{check}</code>
            </li>
          ))}
        </ul>
      )}
      {live && plan === null && (
        <>
          <form
            className="spark-Deep-steer"
            onSubmit={event => {
              event.preventDefault();
              deep.steer(work.id, words.trim());
              setWords('');
            }}
          >
            <input type="text" aria-label={t('Say what should be different')} placeholder={t('Say what should be different')} value={words} onChange={event => setWords(event.target.value)} />
            <button type="submit" className="spark-Button" disabled={!words.trim()}>
              {t('Steer')}
            </button>
          </form>
          <div className="spark-Deep-buttons">
            {isProposed ? (
              <button type="button" className="spark-Button spark-mod-primary" onClick={() => deep.direct(work.id, 'go-on')}>
                {t('Go on')}
              </button>
            ) : (
              <button type="button" className="spark-Button" title={t('The current step starts again when it goes on')} onClick={() => deep.direct(work.id, 'pause')}>
                {t('Pause')}
              </button>
            )}
            {work.steps.length > 0 && (
              <button
                type="button"
                className="spark-Button"
                title={t('What was done before the first step that you change stays done')}
                onClick={() => setPlan([...work.steps.map(step => `${step.fast ? '[asUndoStep] ' : ''}${step.text}`), ...work.checks].join('\n'))}
              >
                {t('Edit plan')}
              </button>
            )}
            <button type="button" className="spark-Button" onClick={() => deep.direct(work.id, 'cancel')}>
              {t('Cancel')}
            </button>
          </div>
        </>
      )}
      <DeepLog work={work} />
    </section>
  );
}

/** The plan, a step in each line. */
function Steps({ work }: { work: FullDeepWork }): React.JSX.Element | null {
  return work.steps.length === 0 ? null : (
    <ol className="spark-Deep-steps" aria-label={t('Plan')}>
      {work.steps.map(({ text, state: told, rounds }, n) => {
        // What was under way when its kernel ended is under way no more.
        const state = work.running || told === 'done' || told === 'left-out' ? told : 'to-do';
        return (
          <li key={n} data-state={state}>
            <span className="spark-Deep-mark" role="img" aria-label={t(DEEP_STEP_STATES[state])} title={t(DEEP_STEP_STATES[state])}>
              {MARKS[state]}
            </span>
            <span>
              {text}
              {rounds > 1 && <span className="spark-Deep-rounds"> {t('written %1 times', rounds)}</span>}
            </span>
          </li>
        );
      })}
    </ol>
  );
}

/** What it tried and what it could not do, folded. */
export function DeepLog({ work }: { work: FullDeepWork }): React.JSX.Element | null {
  return work.log.length === 0 ? null : (
    <details className="spark-Deep-log">
      <summary>
        {work.log.length === 1 ? t('Log: 1 entry') : t('Log: %1 entries', work.log.length)}
      </summary>
      {isOver(work) && <Steps work={work} />}
      <ul>
        {work.log.map((entry, n) => (
          <li key={n}>
            <span className="spark-Deep-at">{Math.round(entry.at)} s</span>
            <span>
              {entry.step ? t('Step %1: ', entry.step) : ''}
              {toldSentences(entry.text)}
            </span>
          </li>
        ))}
      </ul>
      {work.compared && (
        <>
          <div>{t('Compared with the fast answer:')}</div>
          <pre className="spark-Deep-diff" tabIndex={0}>{work.compared}</pre>
        </>
      )}
    </details>
  );
}

/** What it has used of its budget, but for the time. Whether a price is known shows when somebody has answered. */
export function spentOf({ tokens, cost, budget, steps }: Pick<FullDeepWork, 'tokens' | 'cost' | 'budget' | 'steps'>): string {
  const limit = budget.dollars == null ? '' : t(' of %1', dollars(budget.dollars));
  const money = cost == null ? (limit || steps.length > 0 ? t('cost unknown%1', limit) : '') : cost || limit ? `${dollars(cost)}${limit}` : '';
  return [t('%1 of %2 tokens', tokens.toLocaleString(language()), budget.tokens.toLocaleString(language())), money].filter(Boolean).join(' · ');
}

function minutesOf(seconds: number): string {
  return (Math.round(seconds / 6) / 10).toLocaleString(language());
}

/** Seconds since something was told, while it `runs`. */
function useSince(told: FullDeepWork, runs: boolean): number {
  const [since, setSince] = React.useState(0);
  React.useEffect(() => {
    setSince(0);
    if (!runs) {
      return;
    }
    const begun = Date.now();
    const timer = window.setInterval(() => setSince((Date.now() - begun) / 1000), 1000);
    return () => window.clearInterval(timer);
  }, [told, runs]);
  return since;
}

/** How long it has worked, of how long it may: it counts on by itself while its clock runs. */
function Elapsed({ work }: { work: FullDeepWork }): React.JSX.Element {
  const since = useSince(work, work.running);
  return (
    <span className="spark-Deep-elapsed">
      {work.within ? t('each answer within %1 h', parseInt(work.within)) : t('%1 s of %2 min', Math.round(work.elapsed + since), minutesOf(work.budget.seconds))}
    </span>
  );
}

/** When it asks again: it counts down by itself. */
function Resting({ work }: { work: FullDeepWork }): React.JSX.Element {
  const left = Math.max(0, Math.ceil(work.rest - useSince(work, true)));
  return <>{t('retrying in %1 s', left)}</>;
}

/** That an answer should be looked at by the deep gear, and the button that has it done. */
export function HandUp({ reason, keys, handUp }: { reason: string; keys: string; handUp: () => void }): React.JSX.Element {
  return (
    <div className="spark-HandUp" role="group" aria-label={t('Offered to the deep model')}>
      <span>{toldSentences(reason)}</span>
      <Button label={t('Hand to the deep model')} title={t('A slower model checks it and runs it in a copy; nothing changes before you accept')} keys={keys} onClick={handUp} />
    </div>
  );
}

/** Who does deep work: a field that is left as it is changes nothing. */
export function GearForm({ state, view }: { state: State; view: NotebookView }): React.JSX.Element | null {
  const gear = state.hello?.deep;
  const [profile, setProfile] = React.useState<string | null>(null);
  const [effort, setEffort] = React.useState<Effort | null>(null);
  const [tier, setTier] = React.useState<string | null>(null);
  const [name, setName] = React.useState('');
  const [minutes, setMinutes] = React.useState('');
  const { seconds, tokens, dollars: most } = { ...DEFAULTS.DeepBudget, ...gear?.budget };
  const where = profile ?? gear?.provider ?? '';
  // A provider that only the configuration names stands in the list, too.
  const names = [...new Set([...state.providers.map(one => one.name), ...(where ? [where] : [])])];
  return (
    <form
      aria-label={t('Who does deep work')}
      onSubmit={event => {
        event.preventDefault();
        view.session.deep.choose({ profile, model: name.trim() || null, effort, tier, minutes: Number(minutes) });
        setProfile(null);
        setEffort(null);
        setTier(null);
        setName('');
        setMinutes('');
      }}
    >
      <details className="spark-Fold">
        <summary>{t('Deep model:')} {gear?.model || (gear?.provider ? t('the provider’s default') : t('same as for prompts'))}</summary>
        <div className="spark-Gear">
          <label>
            {t('Model')}
            <input type="text" value={name} placeholder={t('another model')} onChange={event => setName(event.target.value)} />
          </label>
          <label>
            {t('Provider')}
            <select value={where} onChange={event => setProfile(event.target.value)}>
              <option value="">{t('same as for prompts')}</option>
              {names.map(one => (
                <option key={one} value={one}>
                  {state.providers.find(known => known.name === one)?.title || one}
                </option>
              ))}
            </select>
          </label>
          <label>
            {t('How much it may think')}
            <select value={effort ?? gear?.effort ?? ''} onChange={event => setEffort(event.target.value as Effort)}>
              {EFFORTS.map(one => (
                <option key={one} value={one}>
                  {one || t('provider’s default')}
                </option>
              ))}
            </select>
          </label>
          {!where && (state.serving.tiers ?? []).length > 0 && (
            <label>
              {t('Tier')}
              <select value={tier ?? gear?.tier ?? ''} onChange={event => setTier(event.target.value)}>
                {(state.serving.tiers ?? []).map(one => (
                  <option key={one.name} value={one.name}>
                    {tierText(one)}
                  </option>
                ))}
              </select>
            </label>
          )}
          <label>
            {t('Each at most %1 min, %2 tokens', minutesOf(seconds), tokens.toLocaleString(language()))}{most == null ? '' : `, ${dollars(most)}`}
            <input type="number" min="1" max="1440" value={minutes} placeholder={t('minutes')} onChange={event => setMinutes(event.target.value)} />
          </label>
          <button type="submit" className="spark-Button" disabled={profile === null && effort === null && tier === null && !name.trim() && !(Number(minutes) > 0)}>
            {t('Use for deep work')}
          </button>
        </div>
      </details>
    </form>
  );
}
