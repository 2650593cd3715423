import { csvCell } from '../export/csv.ts';
import type { AuditRow } from './rows.ts';

export const auditFormats = ['jsonl', 'csv', 'markdown'] as const;
export type AuditFormat = (typeof auditFormats)[number];

const columns = [
  'at',
  'session_id',
  'run_id',
  'agent',
  'host',
  'kind',
  'subject',
  'status',
  'detail',
  'entry',
] as const;
const shown = ['at', 'kind', 'subject', 'status', 'detail'] as const;

/** Rows as text, grouped by session. */
export async function* auditText(format: AuditFormat, rows: AsyncIterable<AuditRow>): AsyncGenerator<string> {
  if (format === 'csv') yield `${columns.join(',')}\r\n`;
  if (format === 'markdown') yield '# Audit\n';
  let session = '';
  for await (const row of rows) {
    if (format === 'jsonl') yield `${JSON.stringify(row)}\n`;
    else if (format === 'csv') yield `${columns.map((column) => csvCell(row[column])).join(',')}\r\n`;
    else {
      if (row.session_id !== session) {
        session = row.session_id;
        const where = row.host === null ? '' : ` on ${singleLine(row.host)}`;
        yield `\n## ${session}: ${singleLine(row.agent)}${where}\n\n| ${shown.join(' | ')} |\n|${' --- |'.repeat(shown.length)}\n`;
      }
      yield `| ${shown.map((column) => code(row[column])).join(' | ')} |\n`;
    }
  }
}

/** Untrusted text as a code span in a table cell. */
function code(value: string | number | null): string {
  if (value === null || value === '') return '';
  const text = singleLine(String(value)).replaceAll('|', '\\|');
  const ticks = '`'.repeat(1 + Math.max(0, ...[...text.matchAll(/`{1,1000}/g)].map(([run]) => run.length)));
  return ticks === '`' ? `\`${text}\`` : `${ticks} ${text} ${ticks}`;
}

function singleLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}
