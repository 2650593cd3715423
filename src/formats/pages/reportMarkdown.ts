import { visibleLine } from '../../model/text/visibleText.ts';
import type { Report, ReportBody, ReportCell, ReportTable } from '../../model/pages/report.ts';
import { alignedTable, plainMarkdown } from './markdownText.ts';

/** The report as a Markdown document, without buttons. */
export function reportMarkdown(report: Report): string {
  const parts = [
    `# ${plainMarkdown(report.title)}`,
    ...bodyParts(report),
    ...report.sections.flatMap((section) => [`## ${plainMarkdown(section.title)}`, ...bodyParts(section)]),
  ];
  return `${parts.join('\n\n')}\n`;
}

function bodyParts({ text = [], facts = [], tables = [] }: ReportBody): string[] {
  const list = facts.map(({ name, value }) => `- ${plainMarkdown(name)}: ${cellText(value)}`).join('\n');
  return [...text.map(plainMarkdown), ...(list === '' ? [] : [list]), ...tables.flatMap(tableParts)];
}

function tableParts({ label, columns, rows, note }: ReportTable): string[] {
  // A column of buttons is left out.
  const shown = columns.map((_, at) => rows.length === 0 || rows.some((row) => (row[at]?.text ?? '') !== ''));
  const saved = <T>(all: readonly T[]): T[] => all.filter((_, at) => shown[at]);
  const head = saved(columns).map((column) => plainMarkdown(column.label));
  const table = alignedTable([head, ...rows.map((row) => saved(row).map(cellText))]);
  return [`**${plainMarkdown(label)}**`, table, ...(note === undefined ? [] : [plainMarkdown(note)])];
}

function cellText({ text, code }: ReportCell): string {
  if (code !== true || text === '') return plainMarkdown(text);
  // A code span cannot contain backticks, and a bar would end its table cell.
  return /[`|\r\n\\]/.test(text) ? plainMarkdown(text) : `\`${visibleLine(text, 'code')}\``;
}
