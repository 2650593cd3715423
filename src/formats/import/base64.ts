const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** The text whose UTF-8 is given in base64; `undefined` where it is no base64, or no UTF-8. */
export function textOfBase64(base64: string): string | undefined {
  const escaped: string[] = [];
  let bits = 0;
  let held = 0;
  for (const digit of base64.replaceAll(/[\s=]+/g, '')) {
    const value = digits.indexOf(digit);
    if (value === -1) return undefined;
    held = ((held << 6) | value) & 0xfff;
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    escaped.push(`%${((held >> bits) & 0xff).toString(16).padStart(2, '0')}`);
  }
  try {
    // (Pure code has no `TextDecoder`.)
    return decodeURIComponent(escaped.join(''));
  } catch {
    return undefined;
  }
}
