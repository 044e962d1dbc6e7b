// Spoken words that act at once, as one table.

/** What words do when they are all that was said: a command of JupyterLab, or one of the prompt box. */
const SPOKEN: ReadonlyMap<string, string> = new Map([
  ['stop', 'stop'],
  ['cancel', 'stop'],
  ['send', 'send'],
  ['send it', 'send'],
  ['undo', 'spark:undo-run'],
  ['undo that', 'spark:undo-run'],
  ['take that back', 'spark:undo-run'],
  ['run it', 'spark:run'],
  ['run that', 'spark:run'],
  ['accept', 'spark:accept'],
  ['keep it', 'spark:accept'],
  ['reject it', 'spark:reject']
]);

/** What an utterance does at once; null where it is words for the model. */
export function spokenCommand(text: string): string | null {
  return SPOKEN.get(text.toLowerCase().replace(/[^\p{L} ]/gu, '').trim()) ?? null;
}
