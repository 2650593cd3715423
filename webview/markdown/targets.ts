import { isUnsafePath } from '../../src/text/unsafePath.ts';

/** Target of a link in a session: a web page, opened through the host, or a file of the project. */
export type Target =
  | { readonly kind: 'page'; readonly url: string }
  | { readonly kind: 'file'; readonly path: string; readonly line?: number };

const scheme = /^[a-z][a-z0-9+.-]*:/i;
const driveLetter = /^[a-z]:[\\/]/i;
const withLine = /^(.*?)(?::(\d{1,7})(?::\d{1,5})?|#L(\d{1,7})(?:-L?\d{1,7})?)?$/s;
const unsafe = /[\u0000-\u001f\u007f\u200e\u200f\u202a-\u202e\u2066-\u2069]/;

/** Allowed targets in a session: `http`, `https` and paths. Anything else is not a link. */
export function linkTarget(address: string): Target | undefined {
  const text = address.trim();
  if (text === '' || text.length > 8192 || unsafe.test(text)) return undefined;
  if (/^https?:\/\//i.test(text)) {
    return URL.canParse(text) ? { kind: 'page', url: text } : undefined;
  }
  if (text.startsWith('#')) return undefined;
  const [, encoded = '', colon, hash] = withLine.exec(text) ?? [];
  const path = decodePath(encoded);
  if (path === undefined || path.trim() === '' || unsafe.test(path) || isUnsafePath(path)) return undefined;
  if (scheme.test(path.trim()) && !driveLetter.test(path)) return undefined;
  const line = Number(colon ?? hash ?? 0);
  return { kind: 'file', path, ...(line > 0 && { line }) };
}

/** Decoded once, as browsers do; `undefined` if the result is encoded again, or the encoding is invalid. */
function decodePath(path: string): string | undefined {
  const isEncoded = (text: string): boolean => /%[\da-f]{2}/i.test(text);
  if (!isEncoded(path)) return path;
  try {
    const plain = decodeURIComponent(path);
    return isEncoded(plain) ? undefined : plain;
  } catch {
    return undefined;
  }
}
