// Recognition of outputs that say that the kernel does not know %spark.

/** IPython's words for a magic that it does not know. */
const NOT_FOUND = /magic (?:function )?`%%?(?:spark|pair)` not found/;
/** A question. Without our transformer IPython shows help on its last word. */
const QUESTION = /^[ \t]*%(?:spark|pair)[ \t]+\S.*\?[ \t]*$/m;
const HELP = /^(?:\u001b\[[\d;]*m)*(?:Object `.*` not found\.|(?:Type|(?:Init |Call )?[Ss]ignature|Docstring|Source):)/;

type SomeOutput = Readonly<Record<string, unknown>>;

/** Whether the outputs of a cell say that the kernel does not know our magics. */
export function isUnknownThere(source: string, outputs: readonly SomeOutput[]): boolean {
  const texts = outputs.map(({ text, data }) => [text ?? (data as SomeOutput | undefined)?.['text/plain'] ?? ''].flat().join(''));
  return texts.some(text => NOT_FOUND.test(text)) || (QUESTION.test(source) && texts.some(text => HELP.test(text)));
}
