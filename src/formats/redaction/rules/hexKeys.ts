import type { TextSpan } from './rule.ts';

const key = /(?<![\w/+-])[\da-fA-F]{64}(?![\w/+-])/g;
const reach = 80;
const keyWords = /key|token|secret|passw|passphrase|credential|\bauth|bearer|signing|master|seed/i;
const digest =
  /sha-?\d|hash|digest|checksum|integrity|commit|revision|etag|blob|tree|content[_-]?id|fingerprint|public/i;

/**
 * Keys of 32 bytes in hexadecimal. Checksums look the same and are far more frequent, so the line must mention a key
 * and no checksum before it.
 */
export function hexKeys(text: string): TextSpan[] {
  const found: TextSpan[] = [];
  for (const { index, 0: digits } of text.matchAll(key)) {
    const line = text.slice(Math.max(0, index - reach), index);
    const before = line.slice(line.lastIndexOf('\n') + 1);
    if (!keyWords.test(before) || digest.test(before) || new Set(digits).size < 8) continue;
    found.push({ start: index, end: index + digits.length });
  }
  return found;
}

const storageKey = /(?<![A-Za-z0-9+/=])[A-Za-z0-9+/]{86}==(?![A-Za-z0-9+/=])/g;

/** Keys of Azure services: 64 bytes in base64, like SHA-512 in lock files. */
export function azureKeys(text: string): TextSpan[] {
  const found: TextSpan[] = [];
  for (const { index, 0: digits } of text.matchAll(storageKey)) {
    if (digest.test(text.slice(Math.max(0, index - 24), index)) || new Set(digits).size < 24) continue;
    found.push({ start: index, end: index + digits.length });
  }
  return found;
}
