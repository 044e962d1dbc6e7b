// Status bar item: autocomplete in the current notebook.

import { ReactWidget } from '@jupyterlab/apputils';
import type { IStatusBar } from '@jupyterlab/statusbar';
import type { CommandRegistry } from '@lumino/commands';
import { Signal } from '@lumino/signaling';
import { Menu } from '@lumino/widgets';
import * as React from 'react';
import type { Sessions } from '../sessions';
import type { SuggestionHosts } from './setup';
import { choiceFor, choose } from './storedChoices';
import type { Suggester } from './suggester';
import type { SuggestionHost } from './suggestionHosts';
import { isMode, type Mode } from './suggestionMode';
import { t } from '../translation';

/** Modes in words; empty is what the settings say. */
const LABELS: Readonly<Record<Mode | '', string>> = { '': t('Default'), on: t('On'), request: t('On request'), off: t('Off') };

interface StatusItemOptions {
  readonly suggester: Suggester;
  readonly hosts: SuggestionHosts;
  readonly sessions: Sessions;
  readonly commands: CommandRegistry;
}

/** Register the command that chooses the mode, and show the item where there is a status bar: while a notebook is the current document. */
export function addStatusItem(statusBar: IStatusBar | null, options: StatusItemOptions): void {
  const { commands, sessions, suggester } = options;
  const item = new StatusItem(options);
  const changed = new Signal<StatusItem, void>(item);
  sessions.currentChanged.connect(() => changed.emit());
  commands.addCommand('spark:autocomplete', {
    label: ({ mode }) => LABELS[isMode(mode) ? mode : ''],
    isToggled: ({ mode }) => item.host !== null && (choiceFor(item.host.path) ?? '') === mode,
    isEnabled: () => item.host !== null,
    execute: ({ mode }) => {
      if (item.host) {
        choose(item.host.path, isMode(mode) ? mode : null);
        suggester.update();
      }
    },
    describedBy: { args: { type: 'object', properties: { mode: { type: 'string', enum: Object.keys(LABELS) } } } }
  });
  statusBar?.registerStatusItem('spark-jupyter:autocomplete', {
    item,
    align: 'right',
    rank: 4,
    isActive: () => item.host !== null,
    activeStateChanged: changed
  });
}

class StatusItem extends ReactWidget {
  constructor(private readonly _options: StatusItemOptions) {
    super();
    this.addClass('spark-StatusItem');
    _options.sessions.currentChanged.connect(() => {
      // A notebook's own metadata can switch it off. A signal takes the same slot once.
      _options.sessions.current?.panel.content.model?.metadataChanged.connect(this.update, this);
      this.update();
    });
    _options.suggester.changed.connect(() => this.update());
  }

  /** The current notebook. */
  get host(): SuggestionHost | null {
    const view = this._options.sessions.current;
    return view && this._options.hosts.ofNotebook(view.session);
  }

  protected override render(): React.JSX.Element | null {
    const { host } = this;
    const { mode, why } = host ? this._options.suggester.decisionFor(host) : { mode: 'off' as const, why: '' };
    return host && (
      <button type="button" title={why || t('Autocomplete of Spark in this notebook')} data-mode={mode} onClick={this._open}>
        {t('Autocomplete: %1', LABELS[mode].replace(/^./u, first => first.toLowerCase()))}
      </button>
    );
  }

  private readonly _open = ({ currentTarget }: React.MouseEvent): void => {
    const menu = new Menu({ commands: this._options.commands });
    Object.keys(LABELS).forEach(mode => menu.addItem({ command: 'spark:autocomplete', args: { mode } }));
    menu.aboutToClose.connect(() => window.setTimeout(() => menu.dispose()));
    const { left, top } = currentTarget.getBoundingClientRect();
    menu.open(left, top);
  };
}
