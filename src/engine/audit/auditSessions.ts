import { auditRows, type AuditRow } from '../../formats/audit/rows.ts';
import type { Redactor } from '../../formats/redaction/redactor.ts';
import type { SessionSummary } from '../../model/summary.ts';
import { sourceOf } from '../exportSession.ts';
import type { RecordReader } from '../record/contract.ts';
import { verdictText } from './verdictText.ts';
import type { Verified } from './verify.ts';

/** A period: from `from` on, and before `to`; epoch milliseconds. */
export interface Period {
  readonly from: number;
  readonly to: number;
}

export interface AuditDeps {
  readonly open: (id: string) => Promise<RecordReader>;
  readonly verify: (id: string) => Promise<Verified>;
  /** `null`: secrets stay. */
  readonly redactor: Redactor | null;
  /** Of the account itself, ISO 8601. */
  readonly at: string;
}

/** Sessions that were at work in a period, oldest first. */
export function within(summaries: readonly SessionSummary[], { from, to }: Period): string[] {
  return summaries
    .filter(({ created_at, updated_at }) => Date.parse(created_at) < to && Date.parse(updated_at) >= from)
    .sort((a, b) => (a.created_at < b.created_at ? -1 : 1))
    .map(({ session_id }) => session_id);
}

/** The account of each session: first how its record stands, then what happened in the period. @throws EngineFailure */
export async function* auditSessions(
  ids: readonly string[],
  period: Period | null,
  { open, verify, redactor, at }: AuditDeps,
): AsyncGenerator<AuditRow> {
  for (const id of ids) {
    const verified = await verify(id);
    const reader = await open(id);
    try {
      const source = await sourceOf(reader);
      const { summary } = source;
      yield {
        at,
        session_id: id,
        run_id: null,
        agent: summary.agent_label,
        host: summary.hostname ?? null,
        kind: 'record',
        subject: verdictText(verified),
        status: verified.verdict,
        detail: verified.head,
        entry: null,
      };
      for await (const row of auditRows(source)) {
        if (period !== null && !isIn(row.at, period)) continue;
        yield redactor === null ? row : masked(row, redactor);
      }
    } finally {
      await reader.close();
    }
  }
}

function isIn(time: string, { from, to }: Period): boolean {
  const at = Date.parse(time);
  // What has no time of its own is left in.
  return Number.isNaN(at) || (at >= from && at < to);
}

function masked(row: AuditRow, redactor: Redactor): AuditRow {
  const mask = (field: 'subject' | 'status' | 'detail', text: string): string =>
    redactor.text(text, { ...(row.entry !== null && { entry: row.entry }), path: ['audit', field] });
  return {
    ...row,
    subject: mask('subject', row.subject),
    status: row.status === null ? null : mask('status', row.status),
    detail: row.detail === null ? null : mask('detail', row.detail),
  };
}
