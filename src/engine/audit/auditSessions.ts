import { auditRows, type AuditRow } from '../../formats/audit/rows.ts';
import { redactedSource } from '../../formats/export/shared/redacted.ts';
import type { Redactor } from '../../formats/redaction/redactor.ts';
import type { SessionSummary } from '../../model/session/summary.ts';
import { EngineFailure } from '../failures/failures.ts';
import { sourceOf } from '../archive/exportSession.ts';
import type { LineOf } from '../../formats/record.ts';
import type { RecordReader } from '../record/contract.ts';
import { verifyRecord } from '../record/chain/verify.ts';
import { toEnglish } from '../failures/wording.ts';
import { verdictWording } from './verdictWording.ts';
import type { Deletions } from './deletions.ts';
import type { VerificationReport } from './verify.ts';

/** Half-open: `from <= t < to`, in epoch milliseconds. */
export interface Period {
  readonly from: number;
  readonly to: number;
}

type Decision = LineOf<'decision'>['decision'];

export interface AuditDeps {
  readonly open: (id: string) => Promise<RecordReader>;
  readonly verify: (id: string) => Promise<VerificationReport>;
  /** `null`: secrets are not masked. */
  readonly redactor: Redactor | null;
  /** Time of the audit, ISO 8601. */
  readonly at: string;
  readonly deletions: Deletions;
}

/** Ids of sessions that were active in a period, oldest first. */
export function sessionsWithin(summaries: readonly SessionSummary[], { from, to }: Period): string[] {
  return summaries
    .filter(({ created_at, updated_at }) => Date.parse(created_at) < to && Date.parse(updated_at) >= from)
    .sort((a, b) => (a.created_at < b.created_at ? -1 : 1))
    .map(({ session_id }) => session_id);
}

/**
 * For each session, first the state of its record, then its events in the period. Deletions come last: of these
 * sessions, or in the period.
 * @throws EngineFailure
 */
export async function* auditSessions(
  ids: readonly string[],
  period: Period | null,
  { open, verify, redactor, at, deletions }: AuditDeps,
): AsyncGenerator<AuditRow> {
  const deleted = (await deletions.list()).filter((deletion) =>
    period === null ? ids.some((id) => id === deletion['session_id']) : isInPeriod(deletion.at, period),
  );
  for (const id of ids) {
    const verified = await verify(id).catch((error: unknown) => {
      if (EngineFailure.is(error, 'session_missing') && deleted.length > 0) return null;
      throw error;
    });
    if (verified === null) continue;
    const reader = await open(id);
    try {
      const found = await sourceOf(reader);
      const source = redactor === null ? found : { ...found, ...redactedSource(found, redactor) };
      const { summary } = source;
      yield {
        at,
        session_id: id,
        run_id: null,
        agent: summary.agent_label,
        host: summary.hostname ?? null,
        kind: 'record',
        subject: toEnglish(verdictWording(verified)),
        status: verified.verdict,
        detail: verified.head,
        entry: null,
      };
      for await (const row of auditRows(source)) {
        if (period !== null && !isInPeriod(row.at, period)) continue;
        yield redactor === null ? row : maskRow(row, redactor);
      }
    } finally {
      await reader.close();
    }
  }
  if (deleted.length > 0) yield await deletionsRow(at, deletions.file);
  for (const deletion of deleted) yield deletionRow(deletion);
}

function isInPeriod(time: string, { from, to }: Period): boolean {
  const at = Date.parse(time);
  // Rows without a time are included.
  return Number.isNaN(at) || (at >= from && at < to);
}

function maskRow(row: AuditRow, redactor: Redactor): AuditRow {
  const mask = (field: 'subject' | 'status' | 'detail', text: string): string =>
    redactor.redactText(text, { ...(row.entry !== null && { entry: row.entry }), path: ['audit', field] });
  return {
    ...row,
    subject: mask('subject', row.subject),
    status: row.status === null ? null : mask('status', row.status),
    detail: row.detail === null ? null : mask('detail', row.detail),
  };
}

/** State of the deletion log itself. */
async function deletionsRow(at: string, file: string): Promise<AuditRow> {
  const found = await verifyRecord(file);
  return {
    at,
    session_id: 'deleted',
    run_id: null,
    agent: 'Vitrine',
    host: null,
    kind: 'record',
    subject: toEnglish(verdictWording(found)),
    status: found.verdict,
    detail: found.head,
    entry: null,
  };
}

function deletionRow({ at, type, session_id: id, agent, host, ...rest }: Decision): AuditRow {
  const text = (value: unknown): string | null => (typeof value === 'string' ? value : null);
  return {
    at,
    session_id: text(id) ?? '',
    run_id: null,
    agent: text(agent) ?? '',
    host: text(host),
    kind: 'deletion',
    subject: text(id) ?? '',
    status: type === 'deletion' ? text(rest['reason']) : 'failed',
    detail: JSON.stringify(rest),
    entry: null,
  };
}
