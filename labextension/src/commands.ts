// JupyterLab commands: palette, menus, toolbar and shortcuts.

import { type ICommandPalette, Notification } from '@jupyterlab/apputils';
import type { Contents } from '@jupyterlab/services';
import type { CommandRegistry } from '@lumino/commands';
import type { LabIcon } from '@jupyterlab/ui-components';
import { explainIcon, fixIcon, sparkIcon, whyIcon } from './icons';
import { streamingTurn } from './selectors';
import { whenSeen } from './sight';
import type { InlinePrompts } from './inlinePrompt';
import type { PanelModel } from './panel/panelModel';
import { type Action, commandOf } from './footer/footerModel';
import type { SettingsModel } from './settings';
import { exportConversation } from './conversationExport';
import { recordAnswers } from './recordAnswers';
import { stripNotebook } from './stripNotebook';
import { undoLastRun } from './undoRun';
import type { NotebookView } from './notebookView';
import { t } from './translation';

/** What the commands need. */
export interface CommandServices {
  readonly commands: CommandRegistry;
  readonly contents: Contents.IManager;
  readonly palette: ICommandPalette | null;
  readonly settings: SettingsModel;
  readonly panel: PanelModel;
  readonly inline: InlinePrompts;
  /** Show the side panel. */
  readonly open: () => void;
}

const CATEGORY = 'Spark';
/** In the palette every label begins with the extension's name: all that it does is found by that. */
const IN_PALETTE = { palette: true };

/** Words for a footer's action, as a command. */
const ACTIONS: Readonly<Record<Exclude<Action, 'stop' | 'run-anyway' | 'dont-run'>, string>> = {
  continue: t('Finish the Proposal'),
  fix: t('Fix the Proposal That Failed'),
  accept: t('Accept the Proposal'),
  reject: t('Reject the Proposal'),
  run: t('Accept and Run the Proposal'),
  try: t('Try the Proposal in a Copy of the Kernel'),
  'cancel-try': t('Stop Trying the Proposal'),
  diff: t('Show or Hide the Difference'),
  'next-hunk': t('Next Change of the Difference'),
  'previous-hunk': t('Previous Change of the Difference'),
  'accept-hunk': t('Accept This Change'),
  'reject-hunk': t('Reject This Change')
};

/** Register every command. */
export function addCommands(services: CommandServices): void {
  addPanelCommands(services);
  addCellCommands(services);
  for (const [action, label] of Object.entries(ACTIONS)) {
    addAction(services, action as keyof typeof ACTIONS, label);
  }
  const { commands, settings } = services;
  settings.changed.connect(() => {
    // One by one: toolbar buttons do not listen to a change of all commands.
    commands.listCommands().filter(id => id.startsWith('spark:')).forEach(id => commands.notifyCommandChanged(id));
  });
}

interface Options {
  readonly label: string;
  /** What follows "Spark:" in the palette, where that is another text. */
  readonly short?: string;
  readonly icon?: LabIcon;
  readonly execute: (view: NotebookView) => void | Promise<void>;
  readonly enabled?: (view: NotebookView) => boolean;
  readonly visible?: (view: NotebookView) => boolean;
  readonly toggled?: (view: NotebookView) => boolean;
  /** Left out of the palette. */
  readonly internal?: boolean;
}

function add(services: CommandServices, id: string, options: Options): void {
  const { commands, palette, settings, panel } = services;
  const current = () => (settings.value.hidden ? null : panel.sessions.current);
  const when = (test?: (view: NotebookView) => boolean) => {
    const view = current();
    return view !== null && (test?.(view) ?? true);
  };
  commands.addCommand(id, {
    label: args => (args.toolbar ? '' : args.palette ? `Spark: ${options.short ?? options.label}` : options.label),
    caption: options.label,
    icon: options.icon,
    isEnabled: () => when(options.enabled),
    isVisible: () => when(options.visible),
    isToggled: options.toggled && (() => when(options.toggled)),
    execute: async () => {
      const view = current();
      if (view) {
        await options.execute(view);
      }
    },
    describedBy: { args: { type: 'object', properties: { toolbar: { type: 'boolean' } } } }
  });
  if (!options.internal) {
    palette?.addItem({ command: id, category: CATEGORY, args: IN_PALETTE });
  }
}

function addPanelCommands(services: CommandServices): void {
  const { commands, contents, palette, settings, panel, inline, open } = services;
  commands.addCommand('spark:open', {
    label: args => (args.toolbar ? '' : args.palette ? t('Spark: Open the Panel') : t('Open the Spark Panel')),
    caption: t('Spark: say what the next cells should do'),
    icon: sparkIcon,
    isVisible: () => !settings.value.hidden,
    isEnabled: () => !settings.value.hidden,
    execute: () => {
      open();
      panel.focus();
    },
    describedBy: { args: { type: 'object', properties: { toolbar: { type: 'boolean' } } } }
  });
  palette?.addItem({ command: 'spark:open', category: CATEGORY, args: IN_PALETTE });
  // Where the user is; a second time, and without a cell, in the panel.
  commands.addCommand('spark:ask', {
    label: args => (args.palette ? t('Spark: Ask at the Active Cell…') : t('Ask Spark at the Active Cell…')),
    caption: t('Spark: ask where the cell is; once more: in the panel'),
    isVisible: () => !settings.value.hidden,
    isEnabled: () => !settings.value.hidden,
    execute: async () => {
      const view = panel.sessions.current;
      if (inline.focused || !view || !inline.open(view)) {
        inline.close();
        panel.editing = false;
        await commands.execute('spark:open');
      }
    },
    describedBy: { args: { type: 'object', properties: {} } }
  });
  palette?.addItem({ command: 'spark:ask', category: CATEGORY, args: IN_PALETTE });
  add(services, 'spark:cancel', {
    label: t('Stop Writing'),
    enabled: view => streamingTurn(view.session.store.state) !== null,
    execute: view => view.session.cancel()
  });
  commands.addCommand('spark:settings', {
    label: t('Spark Settings…'),
    isVisible: () => commands.hasCommand('settingeditor:open'),
    execute: () => commands.execute('settingeditor:open', { query: 'Spark' }),
    describedBy: { args: { type: 'object', properties: {} } }
  });
  add(services, 'spark:connect', {
    label: t('Connect a Model…'),
    execute: () => {
      panel.connecting = true;
    }
  });
  add(services, 'spark:export', {
    label: t('Export the Conversation as Markdown'),
    enabled: view => view.session.store.state.turns.length > 0,
    execute: async view => {
      const path = await exportConversation(view.session, contents);
      const actions = [{ label: t('Open'), callback: () => void commands.execute('docmanager:open', { path }) }];
      Notification.success(t('The conversation was written to %1.', path), { autoClose: 8000, actions });
    }
  });
  add(services, 'spark:record', {
    label: t('Record the Answers'),
    toggled: view => Boolean(view.session.store.state.hello?.recording),
    execute: view => recordAnswers(view.session)
  });
  add(services, 'spark:strip', {
    label: t('Remove the Records of Spark from the Notebook'),
    execute: view => stripNotebook(view.session)
  });
  const review = (run: boolean) => (view: NotebookView) => {
    open();
    view.session.reviewer.begin(run);
  };
  add(services, 'spark:new-conversation', {
    label: t('New Conversation'),
    enabled: view => view.session.store.state.turns.length > 0 && streamingTurn(view.session.store.state) === null,
    execute: () => panel.newConversation()
  });
  add(services, 'spark:conversations', {
    label: t('Conversations…'),
    enabled: view => view.session.store.state.hello !== null,
    execute: () => {
      open();
      panel.browser.toggle(true);
    }
  });
  add(services, 'spark:review', { label: t('Review the Notebook'), execute: review(false) });
  add(services, 'spark:review-run', { label: t('Review the Notebook and Run All of It in a Copy'), execute: review(true) });
  add(services, 'spark:revoke', {
    label: t('Revoke What Agents May Run'),
    enabled: view => (view.session.store.state.consent.grants ?? []).length > 0,
    execute: view => void view.session.transport.send({ type: 'RevokeGrants' })
  });
  const waiting = (view: NotebookView) => view.session.decisions.waiting.length > 0;
  add(services, 'spark:accept-all', { label: t('Accept All Proposals'), enabled: waiting, execute: view => view.consent.acceptAll() });
  add(services, 'spark:reject-all', { label: t('Reject All Proposals'), enabled: waiting, execute: view => view.session.decisions.rejectAll() });
}

function addCellCommands(services: CommandServices): void {
  const { commands, panel, open } = services;
  const quiet = (view: NotebookView) => streamingTurn(view.session.store.state) === null;
  const onCell = (view: NotebookView) => view.activeCellId !== null && quiet(view);
  add(services, 'spark:fix', {
    label: t('Fix with Spark'),
    short: t('Fix the Cell'),
    icon: fixIcon,
    enabled: () => panel.canFix,
    visible: () => panel.canFix,
    execute: () => {
      open();
      return panel.quick.fix();
    }
  });
  add(services, 'spark:why', {
    label: t('Why Is This Wrong?'),
    icon: whyIcon,
    enabled: () => panel.failedCheck,
    visible: () => panel.failedCheck,
    execute: () => {
      open();
      return panel.quick.why();
    }
  });
  add(services, 'spark:undo-run', {
    label: t('Undo the Last Run: Restore Its Variables'),
    execute: view => undoLastRun(view.session)
  });
  add(services, 'spark:explain', {
    label: t('Explain with Spark'),
    short: t('Explain the Cell'),
    icon: explainIcon,
    enabled: onCell,
    execute: () => {
      open();
      return panel.quick.explain();
    }
  });
  add(services, 'spark:deepen', {
    label: t('Hand the Last Answer to the Deep Model'),
    icon: sparkIcon,
    enabled: view => view.session.store.state.turns.some(turn => turn.outcome === 'completed'),
    execute: () => {
      open();
      return panel.quick.deepen();
    }
  });
  add(services, 'spark:edit', {
    label: t('Edit with Spark…'),
    short: t('Edit the Cell…'),
    icon: sparkIcon,
    enabled: onCell,
    execute: () => {
      open();
      panel.editing = true;
      panel.focus();
    }
  });
  let known = '';
  panel.changed.connect(() => {
    const now = [panel.canFix, panel.failedCheck, panel.view !== null && onCell(panel.view)].join();
    if (now !== known) {
      known = now;
      ['spark:fix', 'spark:why', 'spark:explain', 'spark:edit'].forEach(id => commands.notifyCommandChanged(id));
    }
  });
  add(services, 'spark:focus-proposal', {
    label: t('Go to the Proposal'),
    enabled: view => view.targetProposal !== null,
    execute: view => {
      const cellId = view.targetProposal?.cell_id;
      return cellId ? view.goTo(cellId, { decide: true }) : undefined;
    }
  });
  add(services, 'spark:leave', {
    label: t('Stop What Runs Below the Cell, or Go Back to the Cell'),
    internal: true,
    execute: view => view.leaveFooter()
  });
  // JupyterLab takes Enter in command mode for itself, also where a button of a footer has the focus.
  add(services, 'spark:press', {
    label: t('Press the Button'),
    internal: true,
    execute: () => {
      if (document.activeElement instanceof HTMLButtonElement) {
        document.activeElement.click();
      }
    }
  });
}

function addAction(services: CommandServices, action: keyof typeof ACTIONS, label: string): void {
  const isNeeded = (view: NotebookView) => action !== 'fix' && action !== 'continue' || view.primaryAction === action;
  const keeps = action === 'accept' || action === 'run';
  add(services, commandOf(action), {
    label,
    enabled: view => view.targetProposal !== null && isNeeded(view),
    execute: view => {
      const cellId = view.targetProposal?.cell_id;
      const act = () => (cellId ? view.act(cellId, action) : undefined);
      return cellId && keeps ? whenSeen(view, cellId, act) : act();
    }
  });
}

