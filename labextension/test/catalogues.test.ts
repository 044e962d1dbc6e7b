import type { ITranslator } from '@jupyterlab/translation';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { OF_BUTTONS, toldPrompt } from '../src/buttonPrompts';
import { DEEP_STATES, DEEP_STEP_STATES, REPAIRED } from '../src/constants';
import { KERNEL_TEXTS } from '../src/kernelTexts';
import { translateTexts } from '../src/settingsTexts';
import { TRANSLATED_TEXTS } from '../src/translatedTexts';
import { setTranslator, t } from '../src/translation';

/** The titles and descriptions of a settings page. */
function textsOfSettings(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) {
    return [];
  }
  return Object.entries(value).flatMap(([name, inner]) => {
    const isText = typeof inner === 'string' && (name === 'title' || name === 'description');
    return isText ? [inner] : name.startsWith('jupyter.lab.') ? [] : textsOfSettings(inner);
  });
}

const SETTINGS = join(__dirname, '../settings');
const SOURCES = join(__dirname, '../src');
const LOCALES = join(__dirname, '../../spark_jupyter/locale');
/** Generated, or without a text that a person reads. */
const files = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' }).filter(name => /\.tsx?$/.test(name) && !['messages.ts', 'constants.ts'].includes(name));
const VISIBLE = /^(label|title|placeholder|aria-label|aria-description|alt)$/;
/** Not translated: an address, a key, a product's name. */
const NAMES = ['http://localhost:8000/v1', 'Spark'];

/** The name of the attribute that a text is a value of, or one of its possible values; empty where it is none. */
function attributeOf({ parent }: ts.Node): string {
  const isChoice = ts.isJsxExpression(parent) || ts.isConditionalExpression(parent) || (ts.isBinaryExpression(parent) && /^(?:\|\||\?\?)$/.test(parent.operatorToken.getText()));
  return ts.isJsxAttribute(parent) ? parent.name.getText() : isChoice ? attributeOf(parent) : '';
}

type Texts = { readonly marked: readonly string[]; readonly bare: readonly string[] };

/** The texts of a module that go through `t`, and the visible ones that do not: in elements, in attributes, and in footers' and panels' sentences. */
function textsOf(name: string): Texts {
  const source = ts.createSourceFile(name, readFileSync(join(SOURCES, name), 'utf8'), ts.ScriptTarget.Latest, true, name.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS);
  const marked: string[] = [];
  const bare: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && node.expression.getText() === 't' && ts.isStringLiteral(node.arguments[0])) {
      marked.push(node.arguments[0].text);
      node.arguments.slice(1).forEach(visit);
      return;
    }
    const isAttribute = ts.isStringLiteral(node) && VISIBLE.test(attributeOf(node));
    const isSentence = /^(panel|footer)\//.test(name) && ts.isStringLiteral(node) && /^\p{Lu}\S* .*\p{L}/u.test(node.text) && !ts.isImportDeclaration(node.parent);
    const isNotice = ts.isStringLiteral(node) && ts.isCallExpression(node.parent) && /^Notification\.|^showErrorMessage$/.test(node.parent.expression.getText());
    if ((ts.isJsxText(node) && /\p{L}{2}/u.test(node.text) && !/^%spark\b/.test(node.text)) || isAttribute || isSentence || (isNotice && / /.test(node.text))) {
      bare.push(node.text.trim());
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return { marked, bare: bare.filter(text => !NAMES.includes(text) && /\p{L}{2}/u.test(text)) };
}

const texts = files.map(textsOf);
const settings = readdirSync(SETTINGS).flatMap(name => textsOfSettings(JSON.parse(readFileSync(join(SETTINGS, name), 'utf8'))));
const known = [...new Set([...settings, ...texts.flatMap(one => one.marked), ...Object.values(DEEP_STATES), ...Object.values(DEEP_STEP_STATES), ...REPAIRED.filter(Boolean), ...KERNEL_TEXTS, ...TRANSLATED_TEXTS, ...OF_BUTTONS])].sort();

function catalogue(locale: string): Record<string, string[]> {
  const { '': header, ...entries } = JSON.parse(readFileSync(join(LOCALES, locale, 'LC_MESSAGES/spark_jupyter.json'), 'utf8')) as Record<string, string[]>;
  expect(header).toMatchObject({ domain: 'spark_jupyter', language: locale.replace('_', '-') }); // or JupyterLab finds nothing in it
  return entries;
}

it('a sentence of the kernel stands in one place', () => {
  const sentences = [...KERNEL_TEXTS, ...TRANSLATED_TEXTS];
  expect(sentences.filter((text, n) => sentences.indexOf(text) !== n)).toEqual([]);
});

it('no text that a person reads is outside the catalogues', () => {
  expect(texts.flatMap(one => one.bare).filter(text => !OF_BUTTONS.includes(text))).toEqual([]);
});

/** Fields of messages that hold a sentence of the kernel. */
const SENTENCES = /^(?:message|remedy|reason|refused|problem|unfinished|unenforced|unavailable|try_unavailable|rehearsal_unavailable|banner|notice|good_for|words)$/;
/** Sentences of the browser's own. */
const OWN = /^(?:model\.)?voice\.problem$|^(?:hunk|file)\.problem$/;

/** The sentences of the kernel that a module shows, or keeps to show, as the kernel wrote them. */
function untold(name: string): string[] {
  const source = ts.createSourceFile(name, readFileSync(join(SOURCES, name), 'utf8'), ts.ScriptTarget.Latest, true, name.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS);
  const found: string[] = [];
  /** Whether the value of an expression is what is shown: not where it is only asked whether there is one. */
  const isShown = (node: ts.Node): boolean => {
    const { parent } = node;
    if (ts.isBinaryExpression(parent)) {
      const operator = parent.operatorToken.getText();
      return (['||', '??', '+'].includes(operator) || (operator === '&&' && parent.right === node)) && isShown(parent);
    }
    if (ts.isConditionalExpression(parent)) {
      return parent.condition !== node && isShown(parent);
    }
    if (ts.isCallExpression(parent)) {
      const isCallback = parent.expression !== node;
      return !(isCallback && /^told|\.(?:filter|some|every|find)$/.test(parent.expression.getText())) && isShown(parent);
    }
    const passesOn = [ts.isParenthesizedExpression, ts.isTemplateSpan, ts.isTemplateExpression, ts.isArrayLiteralExpression, ts.isArrowFunction, ts.isPropertyAccessExpression];
    const shows = [ts.isJsxExpression, ts.isVariableDeclaration, ts.isPropertyAssignment, ts.isReturnStatement];
    return passesOn.some(is => is(parent)) ? isShown(parent) : shows.some(is => is(parent));
  };
  const visit = (node: ts.Node): void => {
    const isChild = node !== source && ts.isJsxExpression(node.parent) && !ts.isJsxAttribute(node.parent.parent);
    const field = ts.isPropertyAccessExpression(node) ? node.name.text : ts.isIdentifier(node) && isChild && !/^(?:unfinished|words)$/.test(node.text) ? node.text : ''; // told in the model; a person's own
    if (SENTENCES.test(field) && !OWN.test(node.getText()) && isShown(node)) {
      found.push(`${name}: ${node.getText()}`);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

it('no sentence of the kernel is shown as the kernel wrote it', () => {
  expect(files.filter(name => name.endsWith('x') || name.startsWith('footer/')).flatMap(untold)).toEqual([]);
});

describe.each(['de_DE', 'fr_FR'])('the catalogue of %s', locale => {
  const entries = catalogue(locale);

  it('has every text, and none that is gone', () => {
    expect(Object.keys(entries).sort()).toEqual(known);
  });

  it('keeps the places of values, and says something', () => {
    const places = (text: string) => [...text.matchAll(/%\d/g)].map(String).sort();
    for (const [text, [translated]] of Object.entries(entries)) {
      expect(places(translated), text).toEqual(places(text));
      expect(translated.trim(), text).not.toBe('');
    }
  });
});

it('puts values in, whatever they hold', () => {
  expect(t('%1 of %2', 3, '100%% $& %1')).toBe('3 of 100%% $& %1');
  expect(t('%1 % kept', 75)).toBe('75 % kept');
  setTranslator(null);
  expect(t('Accept all')).toBe('Accept all');
});

it('translates what the settings editor shows, and not twice', () => {
  const entries = catalogue('de_DE');
  setTranslator({ load: () => ({ __: (text: string) => entries[text]?.[0] ?? text }) } as unknown as ITranslator);
  const page = { title: 'Spark: models', 'jupyter.lab.menus': { title: 'Model' }, properties: { title: { title: 'Model', oneOf: [{ const: 'x', title: 'Never' }] } } };
  translateTexts(page);
  translateTexts(page);
  setTranslator(null);
  expect(page).toEqual({ title: 'Spark: Modelle', 'jupyter.lab.menus': { title: 'Model' }, properties: { title: { title: 'Modell', oneOf: [{ const: 'x', title: 'Nie' }] } } });
});

it('what a button asked is shown in the language of the page, and what a person asked as it was', () => {
  setTranslator({ load: () => ({ __: (text: string) => catalogue('de_DE')[text]?.[0] ?? text }) } as unknown as ITranslator);
  expect(['Fix the error in this cell.', 'Run', 'Spark settings'].map(toldPrompt)).toEqual(['Den Fehler in dieser Zelle reparieren.', 'Run', 'Spark settings']);
  setTranslator(null);
});
