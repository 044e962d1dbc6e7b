// Commands for suggestions.
//
// Their keys are in settings/plugin.json.

import type { ICommandPalette } from '@jupyterlab/apputils';
import type { CommandRegistry } from '@lumino/commands';
import type { Suggester } from './suggester';
import { t } from '../translation';

const CATEGORY = 'Spark';

/** Another provider's suggestions are asked for by the same key. */
const JUPYTERLABS = 'inline-completer:invoke';

/** Register every command. `others`: whether suggestions are JupyterLab's business here. */
export function addSuggestionCommands(commands: CommandRegistry, palette: ICommandPalette | null, suggester: Suggester, others: () => boolean): void {
  const add = (name: string, label: string, execute: () => void | Promise<void>, isEnabled?: () => boolean) => {
    const command = `spark:${name}`;
    commands.addCommand(command, { label: args => (args.palette ? `Spark: ${label}` : label), execute, isEnabled, describedBy: { args: { type: 'object', properties: {} } } });
    palette?.addItem({ command, category: CATEGORY, args: { palette: true } });
  };
  const shown = () => suggester.isShown;
  add('suggest', t('Suggest What Comes Next'), async () => {
    if (others() && commands.hasCommand(JUPYTERLABS)) {
      await commands.execute(JUPYTERLABS);
    } else {
      suggester.ask();
    }
  });
  add('suggestion-accept', t('Take the Suggestion'), () => suggester.accept('all'), shown);
  add('suggestion-word', t('Take a Word of the Suggestion'), () => suggester.accept('word'), shown);
  add('suggestion-line', t('Take a Line of the Suggestion'), () => suggester.accept('line'), shown);
  add('suggestion-next', t('Next Suggestion'), () => suggester.step(1), shown);
  add('suggestion-previous', t('Previous Suggestion'), () => suggester.step(-1), shown);
  add('suggestion-hide', t('Hide the Suggestion'), () => suggester.hide(), shown);
}
