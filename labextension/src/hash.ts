// SHA-256 (FIPS 180-4), because the browser's own is missing on pages that are not served over TLS or from localhost. Pure.

import { HASH_DIGITS } from './constants';

const ROUND_CONSTANTS = fractions(64, 1 / 3);
const FIRST_HASH = fractions(8, 1 / 2);

/** The first hex digits of the SHA-256 of a source in UTF-8, as `content_hash` in spark_jupyter/protocol/notebook.py gives them. */
export function contentHash(source: string): string {
  return sha256(new TextEncoder().encode(source)).slice(0, HASH_DIGITS);
}

/** SHA-256 of bytes, in hex. */
export function sha256(bytes: Uint8Array): string {
  const words = padded(bytes);
  const hash = Uint32Array.from(FIRST_HASH);
  for (let at = 0; at < words.length; at += 16) {
    compress(hash, words.subarray(at, at + 16));
  }
  return Array.from(hash, word => word.toString(16).padStart(8, '0')).join('');
}

/** The first 32 bits of the fractional parts of the roots of the first `count` primes. */
function fractions(count: number, power: number): number[] {
  const primes: number[] = [];
  for (let n = 2; primes.length < count; n += 1) {
    if (primes.every(prime => n % prime !== 0)) {
      primes.push(n);
    }
  }
  return primes.map(prime => ((prime ** power % 1) * 2 ** 32) >>> 0);
}

/** The message with its padding and length, as big-endian words. */
function padded(bytes: Uint8Array): Uint32Array {
  const blocks = Math.ceil((bytes.length + 9) / 64);
  const view = new DataView(new ArrayBuffer(blocks * 64));
  new Uint8Array(view.buffer).set(bytes);
  view.setUint8(bytes.length, 0x80);
  view.setUint32(blocks * 64 - 8, Math.floor(bytes.length / 2 ** 29));
  view.setUint32(blocks * 64 - 4, (bytes.length * 8) >>> 0);
  return Uint32Array.from({ length: blocks * 16 }, (_, index) => view.getUint32(index * 4));
}

function compress(hash: Uint32Array, block: Uint32Array): void {
  const w = new Uint32Array(64);
  w.set(block);
  for (let i = 16; i < 64; i += 1) {
    const s0 = rotate(w[i - 15], 7) ^ rotate(w[i - 15], 18) ^ (w[i - 15] >>> 3);
    const s1 = rotate(w[i - 2], 17) ^ rotate(w[i - 2], 19) ^ (w[i - 2] >>> 10);
    w[i] = w[i - 16] + s0 + w[i - 7] + s1;
  }
  let [a, b, c, d, e, f, g, h] = hash;
  for (let i = 0; i < 64; i += 1) {
    const s1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
    const choice = (e & f) ^ (~e & g);
    const first = (h + s1 + choice + ROUND_CONSTANTS[i] + w[i]) | 0;
    const s0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22);
    const majority = (a & b) ^ (a & c) ^ (b & c);
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + first) | 0, c, b, a, (first + s0 + majority) | 0];
  }
  [a, b, c, d, e, f, g, h].forEach((value, index) => {
    hash[index] += value;
  });
}

function rotate(word: number, by: number): number {
  return (word >>> by) | (word << (32 - by));
}
