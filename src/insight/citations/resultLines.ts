const numbered = /^ {0,10}(\d{1,7})(?:→|\t|\| ?)(.*)$/;

/**
 * The lines of a file as a read gave them, without the numbers that some agents put before each, and which line is the
 * first. What an agent adds after the numbered lines is left out.
 */
export function linesOfResult(
  text: string,
  startLine: number,
): { readonly first: number; readonly lines: readonly string[] } {
  if (text === '') return { first: startLine, lines: [] };
  const all = text.split('\n');
  const start = Number(numbered.exec(all[0] ?? '')?.[1] ?? NaN);
  if (Number.isNaN(start)) return { first: startLine, lines: all.at(-1) === '' ? all.slice(0, -1) : all };
  const lines: string[] = [];
  for (const line of all) {
    const found = numbered.exec(line);
    if (found?.[2] === undefined || Number(found[1]) !== start + lines.length) break;
    lines.push(found[2]);
  }
  // A numbered last line without anything is what follows the final line end.
  if (lines.at(-1) === '' && lines.length > 1) lines.pop();
  return { first: start, lines };
}
