import * as z from 'zod';
import type { Database } from './database/connection.ts';

const pageRows = 1000;

const rowSchema = z.object({
  id: z.coerce.string(),
  at: z.date().transform((at) => at.toISOString()),
  who: z.string(),
  what: z.string(),
  session_id: z.string().nullable(),
  run_id: z.string().nullable(),
  detail: z.unknown(),
  /** Hash of the last line of the team's current copy of the session; `null` if there is none. */
  head: z.string().nullable(),
  /** The newest signature over an end of that copy; `null`: none. */
  signed: z
    .object({ lines: z.number(), head: z.string(), key: z.string(), signature: z.string(), at: z.string() })
    .nullable(),
});
/** With the time in microseconds, to go on from there. */
const pagedSchema = rowSchema.extend({ exactly: z.string() });
type AuditRow = z.infer<typeof rowSchema>;

/** Who did what in a period, oldest first, as far as the login may see it. @throws errors of the database */
export async function* readAudit(
  database: Database,
  { from, to }: { readonly from: Date; readonly to: Date | null },
): AsyncGenerator<AuditRow> {
  for (let last = { at: from.toISOString(), id: '0' }; ;) {
    const { rows } = await database.query(
      `SELECT a.id::text, a.at, a.at::text AS exactly, a.who, a.what, a.session_id, a.run_id, a.detail,
              (SELECT s.head FROM vitrine.sessions AS s WHERE s.session_id = a.session_id) AS head,
              (SELECT json_build_object('lines', g.lines, 'head', g.head, 'key', g.fingerprint, 'signature', g.signature,
                 'at', g.signed_at)
               FROM vitrine.signatures AS g WHERE g.session_id = a.session_id) AS signed
       FROM vitrine.audit AS a
       WHERE (a.at, a.id) > ($1::timestamptz, $2) AND ($3::timestamptz IS NULL OR a.at < $3) ORDER BY a.at, a.id LIMIT $4`,
      [last.at, last.id, to, pageRows],
    );
    const found = rows.map((row) => pagedSchema.parse(row));
    for (const { exactly, ...row } of found) {
      yield row;
      last = { at: exactly, id: row.id };
    }
    if (found.length < pageRows) return;
  }
}
