// Sentences of the kernel in JupyterLab's language.
//
// The kernel writes English, with names and numbers in it. Those of its sentences that are shown most are known here by their form, and a
// test holds that the kernel still writes them so; any other is shown as it is.

import { t } from './translation';

/** How a model is connected in words, where no button does it. */
export const CONNECT = 'Connect a model with `%spark provider NAME`, or set `SPARK_BASE_URL` and `SPARK_MODEL` for a server of your own.';

/** The forms; longer ones come before those that would match a part of them. */
export const KERNEL_TEXTS = [
  // Findings
  '`%1` is not defined.',
  'There is no module `%1` here.',
  'Module `%1` has no `%2` to import.',
  'Module `%1` has no attribute `%2`.',
  'Class `%1` has no attribute `%2`.',
  '`%1` has no attribute `%2`.',
  'The DataFrame has no column `%1`.',
  'The DataFrame has no row `%1`.',
  'The dict has no key `%1`.',
  'The cell does not parse: %1 (line %2).',
  'Run in a copy of the kernel, this failed: %1.',
  '`%1` is not a number that `%2` reads.',
  "This deletes everything below a place that matters, and can't be undone.",
  // What to do about them
  'Name the one folder that you mean, and look at what is in it first.',
  'Did you mean `%1`? Its signature: `%2`.',
  'Did you mean `%1`?',
  'If it is what you want, install it first: `%pip install %1`.',
  'Close every bracket and string, and put # before text that is not code.',
  // Results of a Try
  'not tried: %1',
  'runs now, %1; %2',
  'runs, but only without %1; %2',
  'still fails: %1',
  'no output',
  'output … %1',
  'output %1',
  'ran in a copy in %1: %2',
  'failed in a copy in %1: %2',
  'it takes more than %1 s',
  'it needs more memory than a copy may use',
  'it waits for a lock or a thread that a copy does not have',
  'it was cancelled',
  'it uses the network (%1)',
  'it uses the network',
  'it changes files (%1)',
  'it changes files',
  'it starts or stops processes (%1)',
  'it starts or stops processes',
  'it reads outside the working folder (%1)',
  'it reads outside the working folder',
  'no effects',
  '1 new variable',
  '%1 new variables',
  '1 changed variable',
  '%1 changed variables',
  '1 figure',
  '%1 figures',
  // How a turn ended
  'It was corrected twice, and is still blocked.',
  'The kernel went away while it was written.',
  'Can\'t reach %1.',
  '%1 limits the rate of requests: %2',
  '%1 limits the rate of requests.',
  '%1 has too much to do (%2): %3',
  '%1 failed (%2): %3',
  'The prompt is too long for the model at %1: %2',
  'Ask again in %1 s.',
  'Ask again in a moment.',
  // Moments
  'Checkpoints are off.',
  'Checkpoints were dropped: memory is short.',
  'Checkpoints were switched off.',
  'Only some of the older moments are kept.',
  'No copy could be made: %1.',
  'Its process has ended.',
  'The run before it was undone.',
  'The kernel holds more than %1, so each cell would wait for its checkpoint.',
  '[%1] gets no checkpoint when it runs again: it changes %2 in place, and copying that takes too long.',
  "This system can't copy a running process (it has no fork), so nothing can be tried here.",
  'the working folder',
  'the environment',
  'the module path',
  'the state of random',
  'the state of numpy.random',
  'the state of torch.random',
  "decimal's context",
  "numpy's print options",
  "numpy's reaction to errors",
  "pandas' options",
  "polars' options",
  "scikit-learn's options",
  "matplotlib's settings",
  "matplotlib's open figures",
  'the recursion limit',
  "IPython's settings",
  "IPython's magics and callbacks",
  "Python's warning filters",
  'the settings of logging',
  'the locale',
  'signal handlers',
  'settings of the process',
  'functions registered with atexit',
  'the thread %1',
  // Answers without a model
  'I can\'t do that offline: recipes answer here, not a language model.',
  CONNECT,
  'Or try:',
  'Offline recipe · uses `%1`',
  'From the recipe “%1” in the book “%2”; no language model was asked.',
  'With your %1.',
  'The first cell makes example data; put your own in its place.',
  'There is no such file in the working folder, so the first cell makes example data.',
  'Which file do you mean? Choose one:',
  'Which table do you mean? Choose one:',
  'Which column do you mean? Choose one:',
  // Keys and connections
  'Connected to %1 at %2.',
  'Connected to %1.',
  '%1 answers.',
  'It lists 1 model.',
  'It lists %1 models.',
  '%1 is not among them.',
  'Its key is kept in %1.',
  'Your prompts use your own key for %1.',
  "Your prompts use the kernel's key for %1.",
  'It is kept in %1.',
  "the system's keyring (%1)",
  'the memory of %1',
  'This Jupyter server does not know its users.',
  'Connect a model with the key instead.',
  '%1 takes no key.',
  'Connect another model.'
] as const;

const formsOf = (texts: readonly string[]) => texts.map(text => ({ text, parts: text.split(/%\d/) }));
let forms = formsOf(KERNEL_TEXTS);

/** Know more sentences: those that only a page in another language than English needs to load. */
export function learn(texts: readonly string[]): void {
  forms = [...forms, ...formsOf(texts)];
}

/** Characters of a sentence at most. A longer one is nobody's but a model's, whose words come here, too, and would keep the page busy. */
const LONGEST = 2_000;
/** Clauses that stand within one another at most. */
const DEEPEST = 4;
const LINE_END = /[\n\r\u2028\u2029]/;

/** A sentence or clause of the kernel in the user's language, with the names in it as they are; one that is not known is left in English. */
export function told(sentence: string): string {
  return sentence.length > LONGEST ? sentence : toldWithin(sentence, DEEPEST);
}

function toldWithin(sentence: string, depth: number): string {
  for (const { text, parts } of depth > 0 ? forms : []) {
    const values = valuesBetween(parts, sentence);
    if (values) {
      return t(text, ...values.map(value => toldValue(value, depth - 1)));
    }
  }
  return sentence;
}

/** What stands between the parts of a form in a sentence, each value as short as can be; null where it has another form. Linear in the sentence. */
function valuesBetween(parts: readonly string[], sentence: string): string[] | null {
  const last = parts.length - 1;
  if (!sentence.startsWith(parts[0]) || !sentence.endsWith(parts[last]) || (last === 0 && sentence !== parts[0])) {
    return null;
  }
  const values: string[] = [];
  let at = parts[0].length;
  for (let n = 1; n <= last; n++) {
    const next = n < last ? sentence.indexOf(parts[n], at + 1) : sentence.length - parts[n].length;
    if (next <= at) {
      return null;
    }
    values.push(sentence.slice(at, next));
    at = next + parts[n].length;
  }
  return values.some(value => LINE_END.test(value)) ? null : values;
}

/** The same for clauses that stand one after the other. */
export function toldParts(text: string, between: string): string {
  return text.split(between).map(told).join(between);
}

/** A value in a sentence: a clause or several, or a name. */
function toldValue(value: string, depth: number): string {
  for (const between of ['; ', '', ', ']) {
    const clauses = between ? value.split(between) : [value];
    const each = clauses.length > 1 || !between ? clauses.map(clause => toldWithin(clause, depth)) : clauses;
    if (each.some((one, n) => one !== clauses[n])) {
      return each.join(between);
    }
  }
  return value;
}

/** Where a sentence ends and another begins. */
const SENTENCE = /((?<=[.!?]) +(?=\p{Lu}|%spark ))/u;

/** The same for a text of several sentences, also on several lines. */
export function toldSentences(text: string): string {
  const lines = text.split('\n').map(line => {
    const parts = line.split(SENTENCE);
    const each = parts.map(told);
    return each.every((one, n) => one === parts[n]) ? told(line) : each.join('');
  });
  return lines.join('\n');
}
