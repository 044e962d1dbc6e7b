// Recognition of outputs that say that the kernel does not know %spark.

/** IPython's words for a magic that it does not know. */
const NOT_FOUND = /magic (?:function )?`%%?(?:spark|pair)` not found/;

/** Whether these outputs say that the kernel does not know our magics. */
export function saysNotFound(outputs: readonly { readonly text?: string | string[] }[]): boolean {
  return outputs.some(({ text }) => NOT_FOUND.test([text ?? ''].flat().join('')));
}
