import { completionKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, historyKeymap, standardKeymap } from '@codemirror/commands';
import { foldKeymap } from '@codemirror/language';
import { searchKeymap } from '@codemirror/search';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

interface Shortcut {
  readonly command: string;
  readonly keys: readonly string[];
  readonly selector: string;
}

const settings = JSON.parse(readFileSync(new URL('../settings/plugin.json', import.meta.url), 'utf8')) as Record<string, unknown>;
const shortcuts = settings['jupyter.lab.shortcuts'] as Shortcut[];
/** Those that work while an editor has the focus. */
const general = shortcuts.filter(shortcut => !shortcut.selector.includes(':focus'));

/** A key in one spelling: modifiers in order, then the character without Shift's effect. */
function normal(key: string): string {
  const parts = key.split(/[ -](?!$)/);
  const last = parts.pop() ?? '';
  const shifted = last.length === 1 && last !== last.toLowerCase() && key.includes('-') ? ['Shift'] : [];
  const names = [...parts, ...shifted].map(part => (['Accel', 'Mod', 'Cmd', 'Meta'].includes(part) ? 'Ctrl' : part));
  return [...[...new Set(names)].sort(), last.toLowerCase()].join(' ');
}

describe('the shortcuts', () => {
  it('are read as CodeMirror and Lumino write them', () => {
    expect(normal('Alt Shift A')).toBe(normal('Alt-A'));
    expect(normal('Alt Shift A')).toBe(normal('Shift-Alt-a'));
    expect(normal('Accel K')).toBe(normal('Mod-k'));
  });

  it('take no key from an editor', () => {
    const editors = [defaultKeymap, standardKeymap, historyKeymap, searchKeymap, foldKeymap, completionKeymap].flat();
    const taken = new Set(editors.flatMap(({ key, win, linux, mac }) => [key, win, linux, mac]).flatMap(key => (key ? [normal(key)] : [])));
    expect(taken.has(normal('Alt-A'))).toBe(true);
    expect(general.filter(({ keys }) => taken.has(normal(keys[0])))).toEqual([]);
  });

  it('have a key each', () => {
    const keys = general.map(({ keys }) => normal(keys.join(' ')));
    expect(new Set(keys).size).toBe(keys.length);
  });
});
