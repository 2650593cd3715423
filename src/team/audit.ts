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
type AuditRow = z.infer<typeof rowSchema>;

/** Who did what in a period, oldest first, as far as the login may see it. @throws errors of the database */
export async function* readAudit(
  database: Database,
  { from, to }: { readonly from: Date; readonly to: Date | null },
): AsyncGenerator<AuditRow> {
  for (let last = '0'; ;) {
    const { rows } = await database.query(
      `SELECT a.id::text, a.at, a.who, a.what, a.session_id, a.run_id, a.detail, s.head,
              CASE WHEN g.session_id IS NOT NULL THEN json_build_object('lines', g.lines, 'head', g.head, 'key', g.fingerprint,
                'signature', g.signature, 'at', g.signed_at) END AS signed
       FROM vitrine.audit AS a LEFT JOIN vitrine.sessions AS s USING (session_id) LEFT JOIN vitrine.signatures AS g USING (session_id)
       WHERE a.id > $1 AND a.at >= $2 AND ($3::timestamptz IS NULL OR a.at < $3) ORDER BY a.id LIMIT $4`,
      [last, from, to, pageRows],
    );
    const found = rows.map((row) => rowSchema.parse(row));
    yield* found;
    const end = found.at(-1);
    if (end === undefined) return;
    last = end.id;
  }
}
