const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const values: ReadonlyMap<string, number> = new Map([
  ...Array.from(digits, (digit, value): [string, number] => [digit, value]),
  ['-', 62],
  ['_', 63],
]);

/** Printable text at the start of decoded base64, in either alphabet; ignores line ends and blanks. */
export function printableBase64(base64: string): string {
  let [bits, bitCount, text] = [0, 0, ''];
  for (const digit of base64) {
    const value = values.get(digit);
    if (value === undefined) continue;
    bitCount = ((bitCount << 6) | value) & 0x3fff;
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    const code = (bitCount >> bits) & 0xff;
    if (!isPrintable(code)) break;
    text += String.fromCharCode(code);
  }
  return text;
}

/** As above, for hexadecimal. */
export function printableHex(hex: string): string {
  let text = '';
  for (let at = 0; at + 1 < hex.length; at += 2) {
    const code = Number.parseInt(hex.slice(at, at + 2), 16);
    if (!isPrintable(code)) break;
    text += String.fromCharCode(code);
  }
  return text;
}

/** Printable ASCII, blanks and line ends. */
function isPrintable(code: number): boolean {
  return (code >= 0x20 && code < 0x7f) || code === 0x0a || code === 0x0d || code === 0x09;
}
