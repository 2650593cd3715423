const [quote, backslash, comma, bracket, brace] = [34, 92, 44, 91, 123];

/**
 * Whether JSON has more than `max` values: 16 MB of nested brackets take seconds to parse, and a text of 16 MB takes milliseconds.
 * Counts commas and opening brackets outside strings.
 */
export function hasMoreValues(line: Buffer, max: number): boolean {
  let count = 0;
  for (let at = 0; at < line.length; at += 1) {
    const byte = line[at];
    if (byte === quote) {
      at = endOfString(line, at + 1);
      if (at === -1) return false;
    } else if (byte === comma || byte === bracket || byte === brace) {
      count += 1;
      if (count > max) return true;
    }
  }
  return false;
}

/** Position of the closing quote; -1 if there is none. */
function endOfString(line: Buffer, from: number): number {
  for (let end = line.indexOf(quote, from); end !== -1; end = line.indexOf(quote, end + 1)) {
    let escapes = 0;
    while (end - escapes > from && line[end - escapes - 1] === backslash) escapes += 1;
    if (escapes % 2 === 0) return end;
  }
  return -1;
}
