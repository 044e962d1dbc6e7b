// Translation of visible texts into JupyterLab's language.
//
// The catalogues are in spark_jupyter/locale. A page is in one language: the rest of the extension is loaded when that is known.

import { type ITranslator, nullTranslator, type TranslationBundle } from '@jupyterlab/translation';

const DOMAIN = 'spark_jupyter';

let bundle: TranslationBundle = nullTranslator.load(DOMAIN);
let code = nullTranslator.languageCode;

/** Take the language from JupyterLab. */
export function setTranslator(translator: ITranslator | null): void {
  bundle = (translator ?? nullTranslator).load(DOMAIN);
  code = (translator ?? nullTranslator).languageCode;
}

/** The language's tag for numbers and times ("de-DE"): the browser's own may be another. */
export function language(): string {
  return code.replace('_', '-');
}

/** A text in the user's language, in which `%1`, `%2` … stand for the values. */
export function t(text: string, ...values: readonly unknown[]): string {
  const places = values.map((_, n) => `%${n + 1}`); // JupyterLab's own way would change a %% in a value
  return bundle.__(text, ...places).replace(/%(\d)/g, (place, n: string) => (Number(n) <= values.length ? String(values[Number(n) - 1]) : place));
}
