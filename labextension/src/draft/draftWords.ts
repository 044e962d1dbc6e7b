// Words of a cell that a draft can be written for.

import { LONGEST_AROUND } from '../constants';
import type { BeginDraft, Target } from '../messages';

/** Words, and how many of the cell's last lines they are. */
export interface Words {
  readonly kind: BeginDraft['kind'];
  readonly text: string;
  readonly lines: number;
  /** Of a prompt: where its answer goes. */
  readonly target?: Target;
}

const COMMENT = /^#(?![%!])/;
/** The head of a function with its docstring, at the end of a text; not that of a function above it. */
const HEAD = /(?:^|\n)((?:async )?def \w+\((?:(?!\n(?:async )?def |\n@|\nclass )[\s\S])*?\)[^\n]*:[ \t]*\n[ \t]+("""|''')(?:(?!\2)[\s\S])*\2)\s*$/;
/** The end of a line that another one must follow. */
const HALF_WRITTEN = /^[^#]*[:([{,\\=]\s*$/;
const HEADING = /^\s*#{1,6}\s+/;
const WORD = /\p{L}[\p{L}\p{N}_'’-]+/gu;
/** Words that say nothing by themselves. */
const FILLERS = new Set(
  'the an of in on at to for and or by with from as is are it its this that these those we you our your be let us me my der die das den dem des ein eine einen im und oder von zu mit für auf nach aus ist sind wir le la les un une des du de et ou en sur pour avec dans par est sont nous'.split(' ')
);
/** Words that begin with these ask for something; other headings name what comes. */
const ASKS =
  /^(?:add|aggregate|apply|assign|average|bin|build|calculate|check|clean|clip|cluster|collect|combine|compare|compute|convert|correlate|count|create|define|describe|detect|display|download|draw|drop|estimate|evaluate|export|extract|fetch|fill|filter|find|fit|format|generate|group|histogram|impute|import|index|inspect|join|keep|label|list|load|make|map|mark|measure|merge|normali[sz]e|open|order|parse|pick|pivot|plot|predict|prepare|print|rank|read|remove|rename|replace|resample|reshape|rotate|round|sample|save|scale|score|select|set|show|simulate|sort|split|standardi[sz]e|store|sum|summari[sz]e|tabulate|take|test|train|transform|translate|transpose|validate|visuali[sz]e|write|berechne|bilde|entferne|erstelle|filtere|finde|gruppiere|lade|lies|mach|ordne|prüfe|schätze|sortiere|speichere|summiere|trainiere|vergleiche|verbinde|zähle|zeichne|zeige?|affiche|ajoute|calcule|charge|compare|compte|crée|dessine|entraîne|filtre|garde|groupe|lis|montre|supprime|trace|trie|trouve)\b/iu;
/** Content words below which a sentence can't mean anything yet; one that asks for something says it with fewer. */
export const LEAST = 3;
const LEAST_ASKED = 2;

/**
 * What stands before the cursor, where that is the end of the cell: a paragraph of Markdown, or in code a comment, the head of a function,
 * or all of a cell that can't end there.
 */
export function wordsIn(cellType: string, source: string): Words | null {
  const text = source.trimEnd();
  const all = text.split('\n');
  if (text.length > LONGEST_AROUND) {
    return null;
  }
  if (cellType === 'markdown') {
    const paragraph = all.slice(all.findLastIndex(line => line.trim() === '') + 1);
    return { kind: 'markdown', text: paragraph.join('\n'), lines: paragraph.length };
  }
  const head = /(?:"""|''')$/.test(text) ? HEAD.exec(text)?.[1] : undefined;
  if (head !== undefined) {
    return { kind: 'function', text: head, lines: head.split('\n').length };
  }
  const code = all.findLastIndex(line => !COMMENT.test(line));
  const comment = all.slice(code + 1);
  if (comment.length > 0) {
    return { kind: 'comment', text: comment.join('\n'), lines: comment.length };
  }
  return HALF_WRITTEN.test(all.at(-1) ?? '') ? { kind: 'cell', text, lines: all.length } : null;
}

/** Whether words may ask for something by now. A heading that only names asks for nothing. */
export function isRipe({ kind, text }: Words): boolean {
  if (kind === 'function') {
    return true;
  }
  const lines = text.split('\n').filter(line => line.trim() !== '');
  const asks = ASKS.test((lines.at(-1) ?? '').replace(HEADING, ''));
  const onlyNames = kind === 'markdown' && lines.every(line => HEADING.test(line)) && !asks;
  const least = asks && kind !== 'comment' ? LEAST_ASKED : LEAST; // "# test data" only names
  return contentWords(text).length >= least && !onlyNames;
}

/** The words that say something. */
export function contentWords(text: string): readonly string[] {
  return (text.match(WORD) ?? []).filter(word => !FILLERS.has(word.toLowerCase()));
}
