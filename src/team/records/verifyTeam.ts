import * as z from 'zod';
import type { Database } from '../database/connection.ts';
import { firstHead, lineProblem } from './maskedLines.ts';
import { fingerprint, isSigned } from './signedHeads.ts';
import { readLines } from './sharedSessions.ts';

const rowSchema = z.object({
  session_id: z.string(),
  owner: z.string(),
  lines: z.coerce.number(),
  head: z.string(),
  signed_lines: z.coerce.number().nullable(),
  signed_head: z.string().nullable(),
  signature: z.string().nullable(),
  fingerprint: z.string().nullable(),
  member: z.string().nullable(),
  public_key: z.string().nullable(),
});
type Row = z.infer<typeof rowSchema>;

export interface VerifiedSession {
  readonly session_id: string;
  readonly owner: string;
  readonly lines: number;
  /** `unsigned`: its lines fit, but no machine has signed their end yet, such as of a session that runs. */
  readonly state: 'verified' | 'unsigned' | 'altered';
  /** Why it is altered. */
  readonly problem?: string;
  /** Fingerprint of the key that signed it. */
  readonly key?: string;
  /** Lines after the signed ones, which only fit. */
  readonly unsigned_lines?: number;
}

/** Verifies each record that the login can read, line by line. @throws errors of the database */
export async function* verifyTeam(database: Database): AsyncGenerator<VerifiedSession> {
  const { rows } = await database.query(
    `SELECT s.session_id, s.owner, s.lines, s.head, g.lines AS signed_lines, g.head AS signed_head, g.signature, g.fingerprint,
            k.member, k.public_key
     FROM vitrine.sessions AS s LEFT JOIN vitrine.signatures AS g USING (session_id) LEFT JOIN vitrine.keys AS k USING (fingerprint)
     WHERE s.share = 'records' OR session_user IN (s.owner, s.requested_by)
       OR (SELECT vitrine.role_of_login()) = 'owner'
     ORDER BY s.session_id`,
  );
  for (const row of rows) yield await verifySession(database, rowSchema.parse(row));
}

async function verifySession(database: Database, row: Row): Promise<VerifiedSession> {
  const { session_id, owner, lines, head, signed_lines: signed } = row;
  const base = { session_id, owner, lines, ...(row.fingerprint !== null && { key: row.fingerprint }) };
  let [count, last, atSigned] = [0, firstHead, firstHead];
  for (;;) {
    const stored = await readLines(database, session_id, count);
    if (stored.length === 0) break;
    for (const { line, hash } of stored) {
      const problem = lineProblem(line, hash, last);
      if (problem !== null) return { ...base, state: 'altered', problem: `line ${count + 1} ${problem}` };
      [last, count] = [hash, count + 1];
      if (count === signed) atSigned = hash;
    }
  }
  const problem =
    count !== lines || last !== head ? `it has ${count} of ${lines} lines` : signatureProblem(row, count, atSigned);
  if (problem !== null) return { ...base, state: 'altered', problem };
  if (signed === null) return { ...base, state: 'unsigned' };
  return { ...base, state: 'verified', ...(signed < count && { unsigned_lines: count - signed }) };
}

/** `atSigned`: hash of the last line that was signed. */
function signatureProblem(row: Row, count: number, atSigned: string): string | null {
  const { session_id: id, owner, signed_lines: lines, signed_head: head, signature, member, public_key: key } = row;
  if (lines === null || head === null || signature === null) return null;
  if (count < lines) return `${lines} lines were signed, and it has ${count}`;
  if (atSigned !== head) return `line ${lines} is not the one that was signed`;
  if (key === null || member !== owner || fingerprint(key) !== row.fingerprint)
    return 'its key does not belong to its owner';
  return isSigned(key, signature, id, { lines, head }) ? null : 'its signature is not valid';
}
