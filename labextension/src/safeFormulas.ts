// Allow-list check for TeX that comes from a model.

/**
 * Commands of TeX that reach beyond the formula: what they are given becomes a style, whose `cursor: url(…)` fetches from anywhere, an
 * attribute, a link, or loads more such commands.
 */
const REACHES_OUT = /\\(?:style|bbox|fcolorbox|mmlToken|class|cssId|href|url|require|csname|includegraphics)(?![A-Za-z])/;

/** Whether a text with formulas can be typeset without loading anything. A macro must name what it stands for, so the text says it. */
export function isSafeToTypeset(text: string): boolean {
  return !REACHES_OUT.test(text);
}
