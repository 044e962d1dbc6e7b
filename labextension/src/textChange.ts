// Smallest single change that turns one text into another.

/** `insert` in the place of what stands from `from` to `to`. */
export interface TextChange {
  readonly from: number;
  readonly to: number;
  readonly insert: string;
}

/** What makes `old` become `fresh`: one change, without what both begin and end with. Never between the halves of a character. */
export function textChange(old: string, fresh: string): TextChange {
  const most = Math.min(old.length, fresh.length);
  let from = 0;
  while (from < most && old[from] === fresh[from]) {
    from += 1;
  }
  let tail = 0;
  while (tail < most - from && old[old.length - 1 - tail] === fresh[fresh.length - 1 - tail]) {
    tail += 1;
  }
  // Yjs can't keep half a character.
  from -= isHighSurrogate(old, from - 1) ? 1 : 0;
  tail -= isLowSurrogate(old, old.length - tail) ? 1 : 0;
  return { from, to: old.length - tail, insert: fresh.slice(from, fresh.length - tail) };
}

function isHighSurrogate(text: string, at: number): boolean {
  return (text.charCodeAt(at) & 0xfc00) === 0xd800;
}

function isLowSurrogate(text: string, at: number): boolean {
  return (text.charCodeAt(at) & 0xfc00) === 0xdc00;
}
