// Dialog around the form that connects a model.
//
// It is open as long as the panel's model says so, and belongs to the notebook for which it was opened.

import { Dialog, ReactWidget } from '@jupyterlab/apputils';
import { UseSignal } from '@jupyterlab/ui-components';
import * as React from 'react';
import { ConnectForm } from './connectForm';
import { GearForm } from './deepCards';
import { OwnKeyForm } from './ownKeyForm';
import type { PanelModel } from './panelModel';
import type { State } from '../state';
import { t } from '../translation';

/** Show the dialog whenever the model asks for it. */
export function addConnectDialog(model: PanelModel): void {
  let dialog: ConnectDialog | null = null;
  model.changed.connect(() => {
    if (model.connecting && !dialog) {
      dialog = new ConnectDialog(model);
      void dialog.launch().then(() => {
        dialog = null;
        if (model.connecting) {
          model.connecting = false;
        }
      });
    } else if (!model.connecting) {
      dialog?.reject();
    }
  });
}

/** The form has its own buttons: a refused key must leave the dialog open. So only Escape is the dialog's own key. */
class ConnectDialog extends Dialog<void> {
  constructor(model: PanelModel) {
    const body = ReactWidget.create(<UseSignal signal={model.changed}>{() => <Body model={model} />}</UseSignal>);
    super({ title: t('Connect a model'), body, buttons: [], hasClose: true, focusNodeSelector: 'button' });
    this.addClass('spark-ConnectDialog');
  }

  override handleEvent(event: Event): void {
    if (!(event instanceof KeyboardEvent) || event.key === 'Escape') {
      super.handleEvent(event);
    }
  }
}

function Body({ model }: { model: PanelModel }): React.JSX.Element {
  const { view, state } = model;
  return (
    <>
      {view && state && <ConnectForm model={model} view={view} state={state} />}
      {view && state && <OwnKeyForm state={state} view={view} />}
      {view && state && <GearForm state={state} view={view} />}
      {state && <Limits state={state} />}
    </>
  );
}

/** What the administrators of this Jupyter limit. */
function Limits({ state }: { state: State }): React.JSX.Element | null {
  const lines = state.hello?.policy?.lines ?? [];
  return lines.length === 0 ? null : (
    <div className="spark-Connect-limits" role="note">
      <b>{t('Limits on this Jupyter')}</b>
      {lines.map(line => (
        <div key={line}>{line}</div>
      ))}
    </div>
  );
}
