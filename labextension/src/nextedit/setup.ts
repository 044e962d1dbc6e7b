// Registers next edits with JupyterLab: editors, keys, notebooks.

import type { JupyterFrontEnd } from '@jupyterlab/application';
import type { ICommandPalette } from '@jupyterlab/apputils';
import { EditorExtensionRegistry, type IEditorExtensionRegistry } from '@jupyterlab/codemirror';
import { NotebookActions } from '@jupyterlab/notebook';
import type { Extension } from '@codemirror/state';
import { EditorView, ViewPlugin, type ViewUpdate } from '@codemirror/view';
import type { ISharedCell } from '@jupyter/ydoc';
import type { NotebookSession } from '../notebookSession';
import type { Sessions } from '../sessions';
import type { SettingsModel } from '../settings';
import { SuggestionAnnouncer } from '../suggest/suggestionAnnouncer';
import { NextEdits } from './nextEdits';
import { nextEditMarks } from './editMarks';
import { t } from '../translation';

/** What next edits need; what is null is not there. */
export interface NextEditServices {
  readonly app: JupyterFrontEnd;
  readonly sessions: Sessions;
  readonly settings: SettingsModel;
  readonly palette: ICommandPalette | null;
  readonly extensions: IEditorExtensionRegistry | null;
}

/** The class of a notebook in which the proposals of a next edit wait. */
const SHOWN = 'spark-mod-nextEditShown';

/** Have next edits in every editor that is made from now on. */
export function addNextEdits({ app, sessions, settings, palette, extensions }: NextEditServices): void {
  const known = new Map<NotebookSession, NextEdits>();
  const announcer = new SuggestionAnnouncer(text => text);

  const of = (session: NotebookSession): NextEdits => {
    const mine = known.get(session);
    if (mine) {
      return mine;
    }
    const isOn = () => settings.value.nextEdits && !settings.value.hidden;
    const made = new NextEdits(session, isOn, () => settings.value.nextEditsByModel, text => announcer.announce(text));
    known.set(session, made);
    made.shownChanged = isShown => sessions.viewsOf(session).forEach(view => view.panel.content.toggleClass(SHOWN, isShown));
    session.context.disposed.connect(() => {
      made.dispose();
      known.delete(session);
    });
    return made;
  };
  const ofCell = (cell: ISharedCell): NextEdits | null => {
    const session = cell.notebook && sessions.sessionOf(cell.notebook);
    return session ? of(session) : null;
  };
  const current = () => {
    const view = sessions.current;
    const mine = view && known.get(view.session);
    return view && mine && (mine.offer || mine.isShown) ? { view, mine } : null;
  };

  extensions?.addExtension({
    name: 'spark-next-edits',
    factory: ({ model }) => {
      const { sharedModel } = model;
      const isCode = 'cell_type' in sharedModel && sharedModel.cell_type === 'code';
      return isCode ? EditorExtensionRegistry.createImmutableExtension(watched(sharedModel as ISharedCell, ofCell)) : null;
    }
  });
  NotebookActions.executed.connect((_, { cell }) => ofCell(cell.model.sharedModel)?.left());

  const add = (name: string, label: string, execute: () => void | Promise<void>) => {
    const command = `spark:${name}`;
    const describedBy = { args: { type: 'object', properties: {} } };
    app.commands.addCommand(command, { label: args => (args.palette ? `Spark: ${label}` : label), execute, isEnabled: () => current() !== null, describedBy });
    palette?.addItem({ command, category: 'Spark', args: { palette: true } });
  };
  add('next-edit', t('Show the Next Edit, or Take It'), async () => {
    const now = current();
    await now?.mine.take(now.view);
  });
  add('next-edit-hide', t('No Next Edit After This Edit'), () => {
    const now = current();
    now?.mine.hide(now.view);
  });
}

/** Tells of what is typed in an editor, and shows its marks. */
function watched(cell: ISharedCell, ofCell: (cell: ISharedCell) => NextEdits | null): Extension {
  const plugin = ViewPlugin.fromClass(
    class {
      constructor(private readonly _view: EditorView) {
        ofCell(cell)?.add(_view, cell);
      }

      update(update: ViewUpdate): void {
        if (update.docChanged) {
          const mine = ofCell(cell);
          if (isTyped(update)) {
            mine?.add(update.view, cell); // its notebook may have got a conversation since
            mine?.typed(cell, update.startState.doc);
          } else {
            mine?.changed();
          }
        }
        if (update.focusChanged && !update.view.hasFocus) {
          ofCell(cell)?.left();
        }
      }

      destroy(): void {
        ofCell(cell)?.remove(this._view);
      }
    }
  );
  return [nextEditMarks(), plugin];
}

/** Whether a person did it, and not the kernel, another tab or Undo. */
function isTyped({ transactions }: ViewUpdate): boolean {
  return transactions.some(one => one.docChanged && ['input', 'delete', 'move'].some(kind => one.isUserEvent(kind)));
}
