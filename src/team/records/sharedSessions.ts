import * as z from 'zod';
import { sessionIdSchema } from '../../model/session/session.ts';
import { shareSchema, type Share } from '../../model/session/share.ts';
import { sessionSummarySchema, type SessionSummary, type TeamShare } from '../../model/session/summary.ts';
import type { Database } from '../database/connection.ts';

/** Rows of one answer. */
const pageRows = 500;

/** How far the team's copy of a record has come. */
export interface RecordExtent {
  readonly lines: number;
  /** SHA-256 of the last line. */
  readonly head: string;
}

export interface SharedSession extends RecordExtent {
  readonly session_id: string;
  readonly owner: string;
  /** The member for whom the owner's machine ran it. */
  readonly requested_by: string | null;
  readonly share: Share;
  readonly hostname: string;
  /** ISO 8601. */
  readonly updated_at: string;
  /** `null`: its owner's version of Vitrine, or its owner, wrote something else. */
  readonly summary: SessionSummary | null;
}

const extentSchema = z.object({ lines: z.coerce.number(), head: z.string() });
const rowSchema = extentSchema.extend({
  session_id: sessionIdSchema,
  owner: z.string(),
  requested_by: z.string().nullable(),
  share: shareSchema,
  hostname: z.string(),
  updated_at: z.date(),
  summary: z.unknown(),
});

interface NewState {
  readonly id: string;
  readonly share: Share;
  readonly hostname: string;
  /** Summary with secrets masked. */
  readonly summary: unknown;
  readonly updatedAt: string;
  /** Shares a session that was withdrawn before. */
  readonly mustRepeat?: boolean;
}

/** @throws errors of the database */
export async function shareSession(database: Database, state: NewState): Promise<RecordExtent> {
  const { id, share, hostname, summary, updatedAt, mustRepeat = false } = state;
  const { rows } = await database.query('SELECT * FROM vitrine.share_session($1, $2, $3, $4, $5, $6)', [
    ...[id, share, hostname, JSON.stringify(summary), updatedAt, mustRepeat],
  ]);
  return extentSchema.parse(rows[0]);
}

/** Appends lines, the first of which is line `from`. @throws errors of the database */
export async function appendLines(
  database: Database,
  id: string,
  from: number,
  lines: readonly string[],
): Promise<RecordExtent> {
  const { rows } = await database.query('SELECT * FROM vitrine.append_lines($1, $2, $3)', [id, from, lines]);
  return extentSchema.parse(rows[0]);
}

/** False: the login shares no such session. @throws errors of the database */
export async function withdrawSession(
  database: Database,
  id: string,
  reason: 'withdrawn' | 'deleted',
): Promise<boolean> {
  const { rows } = await database.query<{ done: boolean }>('SELECT vitrine.withdraw_session($1, $2) AS done', [
    ...[id, reason],
  ]);
  return rows[0]?.done === true;
}

const columns = 'session_id, owner, requested_by, share, hostname, summary, updated_at, lines, head';

/** Sessions that the login may see, newest first. @throws errors of the database */
export async function listShared(database: Database, limit: number): Promise<readonly SharedSession[]> {
  const { rows } = await database.query(
    `SELECT ${columns} FROM vitrine.sessions ORDER BY updated_at DESC, session_id LIMIT $1`,
    [limit],
  );
  return rows.flatMap(sharedOf);
}

/** `null`: there is none that the login may see. @throws errors of the database */
export async function findShared(database: Database, id: string): Promise<SharedSession | null> {
  const { rows } = await database.query(`SELECT ${columns} FROM vitrine.sessions WHERE session_id = $1`, [id]);
  return rows.flatMap(sharedOf)[0] ?? null;
}

/** What lists say about it to `user`. */
export function sharedState({ owner, requested_by, hostname, share }: SharedSession, user: string): TeamShare {
  return { member: owner, hostname, share, ...(requested_by === user && { requested: true as const }) };
}

/** Rows come from other members: what does not fit is left out. */
function sharedOf(row: unknown): readonly SharedSession[] {
  const { data } = rowSchema.safeParse(row);
  if (data === undefined) return [];
  const { updated_at, summary, ...rest } = data;
  const parsed = sessionSummarySchema.safeParse(summary).data;
  const own = parsed?.session_id === rest.session_id ? parsed : null;
  return [{ ...rest, updated_at: updated_at.toISOString(), summary: own }];
}

interface StoredLine {
  readonly line: string;
  readonly hash: string;
}

/** Lines from `from` on, in order; at most 500. @throws errors of the database */
export async function readLines(database: Database, id: string, from: number): Promise<readonly StoredLine[]> {
  const { rows } = await database.query<StoredLine>(
    'SELECT line, hash FROM vitrine.lines WHERE session_id = $1 AND seq >= $2 ORDER BY seq LIMIT $3',
    [id, from, pageRows],
  );
  return rows;
}
