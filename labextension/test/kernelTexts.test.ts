import type { ITranslator } from '@jupyterlab/translation';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { ANSWER_TEXTS } from '../src/answerTexts';
import { FINDING_TEXTS } from '../src/findingTexts';
import { KERNEL_TEXTS, learn, told, toldSentences } from '../src/kernelTexts';
import type { Meter } from '../src/messages';
import { waiting } from '../src/panel/turnMeter';
import { ideasOf } from '../src/selectors';
import { SESSION_TEXTS } from '../src/sessionTexts';
import type { State } from '../src/state';
import { SURPRISE_TEXTS } from '../src/surpriseTexts';
import { TRANSLATED_TEXTS } from '../src/translatedTexts';
import { setTranslator } from '../src/translation';

const PACKAGE = join(__dirname, '../../spark_jupyter');

function german(): void {
  const entries = JSON.parse(readFileSync(join(PACKAGE, 'locale/de_DE/LC_MESSAGES/spark_jupyter.json'), 'utf8')) as Record<string, string[]>;
  setTranslator({ load: () => ({ __: (text: string) => entries[text]?.[0] ?? text }) } as unknown as ITranslator);
}

afterEach(() => setTranslator(null));

test('the kernel writes these sentences', () => {
  const python = ['reality', 'guardrail', 'sandbox', 'server', 'session', 'prompting', 'connection', 'routing', 'engine', 'providers', 'refactoring', 'completions', 'records', 'review']
    .flatMap(folder => readdirSync(join(PACKAGE, folder), { recursive: true, encoding: 'utf8' }).map(name => join(folder, name)))
    .concat('policy.py', 'exceptions.py', 'author_rules.py')
    .filter(name => /\.(?:py|toml)$/.test(name))
    // What a module says; a sentence may be put together of several strings.
    .map(name => (readFileSync(join(PACKAGE, name), 'utf8').match(/"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'/g) ?? []).join(' '));
  const isSaid = (text: string): boolean => {
    const words = text.replace(/%\d/g, ' ').match(/[\w']{4,}/g)?.map(word => word.replace(/(?<=\w{4})(s|ed)$/, '')) ?? [];
    return python.some(module => words.every(word => module.includes(word)));
  };
  expect([...KERNEL_TEXTS, ...FINDING_TEXTS, ...SESSION_TEXTS, ...SURPRISE_TEXTS, ...ANSWER_TEXTS].filter(text => !isSaid(text))).toEqual([]);
}, 60_000);

test('names and numbers stand in the translation as they are', () => {
  german();
  expect(told('`total` is not defined.')).toBe('`total` ist nicht definiert.');
  expect(told('not tried: it uses the network (example.com)')).toBe('nicht ausprobiert: es benutzt das Netz (example.com)');
  expect(told('runs now, output 5.88; ran in a copy in 46 ms: no effects')).toBe('läuft jetzt, Ausgabe 5.88; lief in einer Kopie in 46 ms: ohne Auswirkungen');
  expect(told('ran in a copy in 0.3 s: 2 new variables, 1 figure')).toBe('lief in einer Kopie in 0.3 s: 2 neue Variablen, 1 Abbildung');
  expect(toldSentences("I can't do that offline: recipes answer here, not a language model.\n\nOr try:")).toMatch(/^Das kann ich offline nicht.*\n\nOder/);
});

test('each sentence of a text is told, also where another stands before it', () => {
  german();
  learn(TRANSLATED_TEXTS);
  expect(toldSentences('Your prompts use your own key for openai. It is kept in the memory of this kernel.')).toBe(
    'Ihre Prompts benutzen Ihren eigenen Schlüssel für openai. Er liegt in: Speicher von this kernel.'
  );
  expect(toldSentences('Undid the run of [4]: orders restored; big removed.')).toBe('Lauf von [4] rückgängig gemacht: orders wiederhergestellt; big entfernt.');
  expect(toldSentences('A 0 in the request makes this division fail. (It happens in mean(), called here.)')).toMatch(/^Eine 0 in der Anfrage.*Es geschieht in mean\(\)/);
  expect(told('The join with `customers` made 403 rows of 400: duplicate keys: `7`, `12`.')).toMatch(/^Der Join mit `customers` machte 403 Zeilen aus 400.*`7`, `12`\.$/);
});

test('a form ends with its sentence, whether the next one is known or not', () => {
  german();
  learn(SESSION_TEXTS);
  expect(toldSentences("Can't reach 127.0.0.1:9. Start the server, or choose another one (SPARK_BASE_URL, %spark model).")).toBe(
    '127.0.0.1:9 ist nicht zu erreichen. Starten Sie den Server, oder wählen Sie einen anderen (SPARK_BASE_URL, %spark model).'
  );
  expect(toldSentences("Can't reach 127.0.0.1:9. Nobody knows why.")).toBe('127.0.0.1:9 ist nicht zu erreichen. Nobody knows why.');
  expect(toldSentences('127.0.0.1:9 answers. It lists 2 models. The model script reads no images.')).toMatch(/^127\.0\.0\.1:9 antwortet\. .*2 Modelle.* Das Modell script liest keine Bilder\.$/);
  expect(toldSentences("Step 1 (Make numbers): NameError: name 'masses' is not defined. Cell 2 defines it and has not run: run it first.")).toMatch(
    /^Schritt 1 \(Make numbers\): NameError: .* Zelle 2 definiert das und ist nicht gelaufen/
  );
  expect(toldSentences("Can't be restored: lock (a lock). Nothing was changed. %spark undo --yes restores the rest: x.")).toMatch(
    /^Nicht wiederherstellbar: .*\. Nichts wurde geändert\. %spark undo --yes stellt den Rest wieder her: x\.$/
  );
  expect(toldSentences('Step 1 (Make numbers): It wrote no cell. I am out of ideas.')).toMatch(/^Schritt 1 \(Make numbers\): Es wurde keine Zelle geschrieben\. I am/);
});

test('ideas for a prompt are in the language of the page, unless recipes answer', () => {
  german();
  learn(ANSWER_TEXTS);
  const ideas = ['plot a histogram of revenue in sales'];
  const shown = (offline: boolean) => ideasOf({ hello: { offline } as State['hello'], ideas });
  expect(shown(false)).toEqual(['zeichne ein Histogramm von revenue in sales']);
  expect(shown(true)).toEqual(ideas);
});

test('what is not known, and English, stays as it is', () => {
  expect(told('`total` is not defined.')).toBe('`total` is not defined.');
  german();
  expect(told('Something else happened to `x`.')).toBe('Something else happened to `x`.');
});

test('what a provider refuses is told in the page’s language, its own words as they are', () => {
  german();
  const meter = { type: 'Meter', turn_id: 't', notice: 'here:8000 limits the rate of requests: Too many.', wait: 96.2 } as const;
  expect(waiting(meter as unknown as Meter)).toMatch(/^here:8000 begrenzt die Zahl der Anfragen: Too many\./);
  expect(toldSentences('here:8000 has too much to do (503): Busy. Ask again in a moment.')).toBe('here:8000 ist überlastet (503): Busy. Fragen Sie gleich noch einmal.');
});

test('what a model writes in the words of these sentences takes no longer than it is long', () => {
  let asked = 0;
  setTranslator({ load: () => ({ __: (text: string) => ((asked += 1), text) }) } as unknown as ITranslator);
  for (const clause of ['output ', 'not tried: ', 'x has too much to do (y): ', 'runs now, a; ', 'failed in a copy in 1 s: a, ']) {
    asked = 0;
    const text = clause.repeat(8).trim();
    expect(toldSentences(text)).toBe(text);
    expect(asked, clause).toBeLessThan(50);
  }
  // A form of many values is found, or not, in one pass: no value is tried in several lengths.
  learn(SURPRISE_TEXTS);
  const rows = `${'x lost x of its rows by x: x of x are '.repeat(50)}q`;
  expect(toldSentences(rows)).toBe(rows);
  const long = 'output '.repeat(15_000);
  asked = 0;
  expect(toldSentences(long)).toBe(long);
  expect(asked).toBe(0);
});
