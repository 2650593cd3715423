/** Markdown that costs a reader more than its length suggests. */

/** Size of tokens including their addresses: what a page would have to draw. */
export function sizeOf(tokens: unknown): number {
  if (Array.isArray(tokens)) return tokens.reduce<number>((sum, token) => sum + sizeOf(token), 0);
  if (typeof tokens !== 'object' || tokens === null) return 0;
  let size = 'type' in tokens || 'tokens' in tokens ? 1 : 0;
  for (const [key, value] of Object.entries(tokens)) {
    if (key === 'href' && typeof value === 'string') size += value.length;
    else if (key !== 'raw') size += sizeOf(value);
  }
  return size;
}

export function table(columns: number, rows: number): string {
  return `${'|a'.repeat(columns)}|\n${'|-'.repeat(columns)}|\n${'|\n'.repeat(rows)}`;
}

/** Texts put before a piece, so that the lexer and the splitter may disagree on the rest. */
const beginnings: readonly ((size: number) => string)[] = [
  () => '',
  () => '```a`b\n\n',
  () => '<!--\n```\n-->\n\n',
  () => '<pre>\n~~~\n</pre>\n\n',
  () => '|a|\n|-|\n# b\n',
  () => '|a|\n|-|\n> ',
  () => '- ```\n\n',
  () => '> ~~~\n\n',
  (size) => `[a]: http://${'x'.repeat(Math.min(size / 4, 1900))}\n\n`,
  (size) => `[a]: <${'"'.repeat(Math.min(size / 4, 1900))}>\n\n`,
  (size) => Array.from({ length: size / 20 }, (_, at) => `[a${at}]: b\n`).join('') + '\n',
  (size) => `${table(size / 16, size / 8)}\n`,
  (size) => `${'|'.repeat(size / 8)}\n${'-|'.repeat(size / 8)}\n${'|\n'.repeat(size / 8)}`,
];

// prettier-ignore
const atoms = [
  '#', '\n', '\n\n', ' ', '  ', '    ', '\t', '-', '- ', '1.', '1) ', '>', '> ', '*', '**', '_', '~~', '`', '```', '[', ']', '](', ')', '![', '[a]',
  '[a][a]', '![a]', '|', '|-', '|-|\n', ':', '<', '<a', '<!--', '</p>', '&', '&#1;', '"', "'", '\\', 'www.a ', 'http://a ', 'a@b.c ', '[x](y)',
  '=', '+ ', '- [ ] ', 'a', 'é', '😀', '\u200b', '\u0001', '\r', '\r\n', '***\n',
];

/** Attempt with this number and about this size; beginning and piece do not depend on the size. */
export function createAttempt(number: number, size: number): string {
  const beginning = beginnings[number % beginnings.length]?.(size) ?? '';
  let state = number * 2_654_435_761;
  const next = (below: number): number => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b_3c6d) + 0x9e37_79b9) >>> 0;
    return state % below;
  };
  const piece = Array.from({ length: 1 + next(5) }, () => atoms[next(atoms.length)] ?? '').join('');
  return beginning + piece.repeat(Math.ceil(Math.max(size / 4, size - beginning.length) / piece.length));
}
