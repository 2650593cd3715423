import { visibleLine } from '../../model/text/visibleText.ts';

/** One line that says in markdown what it says: no mark of it means anything, no address is a link, nothing is unseen. */
export function plainMarkdown(text: string): string {
  return visibleLine(text.replaceAll(/[\r\n\t]+/g, ' '))
    .replaceAll(/[!#$&*<>@[\\\]^_`{|}~]|:(?=\/)|(?<=www)\./gi, String.raw`\$&`)
    .replace(/^(\s*)([-+=]|\d+(?=[.)]))/, (_, space: string, mark: string) =>
      /\d/.test(mark) ? `${space}${mark}\\` : `${space}\\${mark}`,
    );
}

/** A table that is also one when it is read as plain text. Cells are markdown, with no bar that is not escaped. */
export function alignedTable(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, at) => Math.max(3, ...rows.map((row) => row[at]?.length ?? 0)));
  const line = (row: readonly string[]): string =>
    `| ${row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(' | ')} |`;
  const [head = [], ...rest] = rows;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rest.map(line)].join('\n');
}
