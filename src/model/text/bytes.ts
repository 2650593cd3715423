const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** Bytes of output: a list of numbers in the first versions, base64 in later ones. */
export function bytesOf(chunk: unknown): readonly number[] {
  if (typeof chunk === 'string') return fromBase64(chunk);
  return Array.isArray(chunk) ? chunk.filter(isByte) : [];
}

function isByte(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= 255;
}

function fromBase64(text: string): number[] {
  const bytes: number[] = [];
  let bits = 0;
  let buffer = 0;
  for (const character of text) {
    const value = alphabet.indexOf(character);
    if (value === -1) continue;
    buffer = ((buffer << 6) | value) & 0xfff;
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes.push((buffer >> bits) & 0xff);
  }
  return bytes;
}

/** Decodes UTF-8; invalid bytes become U+FFFD. (Pure code has no `TextDecoder`.) */
export function utf8(bytes: readonly number[]): string {
  const parts: string[] = [];
  let at = 0;
  while (at < bytes.length) {
    const first = bytes[at] ?? 0;
    const length = first < 0x80 ? 1 : first >= 0xf0 && first < 0xf5 ? 4 : first >= 0xe0 ? 3 : first >= 0xc2 ? 2 : 0;
    const rest = bytes.slice(at + 1, at + length);
    const whole = length > 0 && first < 0xf5 && rest.length === length - 1 && rest.every((byte) => byte >> 6 === 2);
    const point = whole ? rest.reduce((value, byte) => (value << 6) | (byte & 0x3f), leadByte(first, length)) : 0xfffd;
    const least = [0, 0, 0x80, 0x800, 0x10000][length] ?? 0;
    const valid = whole && point >= least && point <= 0x10ffff && (point < 0xd800 || point > 0xdfff);
    parts.push(valid ? String.fromCodePoint(point) : '\uFFFD');
    at += valid ? length : 1;
  }
  return parts.join('');
}

function leadByte(first: number, length: number): number {
  return length === 1 ? first : first & (0x7f >> length);
}
