// SHA-256 content hashes of cell sources.
//
// The browser's own implementation is missing on pages that are served without TLS, and is asynchronous.

import { sha256 } from '@noble/hashes/sha2';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils';
import { HASH_DIGITS } from './constants';

/** The first hex digits of the SHA-256 of a source in UTF-8, as `content_hash` in spark_jupyter/protocol/notebook.py gives them. */
export function contentHash(source: string): string {
  return bytesToHex(sha256(utf8ToBytes(source))).slice(0, HASH_DIGITS);
}
