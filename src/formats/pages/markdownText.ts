import { visibleLine } from '../../model/text/visibleText.ts';

/** Escapes all Markdown in one line, and makes invisible characters visible. */
export function plainMarkdown(text: string): string {
  return visibleLine(text.replaceAll(/[\r\n\t]+/g, ' '))
    .replaceAll(/[!#$&*<>@[\\\]^_`{|}~]|:(?=\/)|(?<=www)\./gi, String.raw`\$&`)
    .replace(/^(\s*)([-+=]|\d+(?=[.)]))/, (_, space: string, mark: string) =>
      /\d/.test(mark) ? `${space}${mark}\\` : `${space}\\${mark}`,
    );
}

/** A Markdown table that is also readable as plain text. Cells must be Markdown with escaped bars. */
export function alignedTable(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, at) => Math.max(3, ...rows.map((row) => row[at]?.length ?? 0)));
  const line = (row: readonly string[]): string =>
    `| ${row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(' | ')} |`;
  const [head = [], ...rest] = rows;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rest.map(line)].join('\n');
}
