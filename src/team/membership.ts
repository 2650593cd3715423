import type { Database } from './database/connection.ts';

export type MemberKind = 'owner' | 'member' | 'auditor';

export interface Member {
  readonly name: string;
  readonly kind: MemberKind;
  /** ISO 8601. */
  readonly joined_at: string;
  readonly seen_at: string;
}

interface TeamStatus {
  readonly kind: MemberKind | null;
  /** Names of the migrations of the database, oldest first. */
  readonly migrations: readonly string[];
  readonly members: readonly Member[];
  readonly sessions: number;
  readonly own_sessions: number;
}

/** Adds the login to the list of members, and says what it may do. @throws errors of the database */
export async function joinTeam(database: Database): Promise<MemberKind> {
  const { rows } = await database.query<{ kind: MemberKind }>('SELECT vitrine.join_team() AS kind');
  const [row] = rows;
  if (row === undefined) throw new Error('The database returned an unexpected response.');
  return row.kind;
}

/** Returns the number of sessions that were deleted. @throws errors of the database */
export async function leaveTeam(database: Database, deleteMine: boolean): Promise<number> {
  const { rows } = await database.query<{ deleted: string }>('SELECT vitrine.leave_team($1) AS deleted', [deleteMine]);
  return Number(rows[0]?.deleted ?? 0);
}

/** @throws errors of the database */
export async function teamStatus(database: Database): Promise<TeamStatus> {
  const kind = await database.query<{ kind: MemberKind | null }>('SELECT vitrine.role_of_login() AS kind');
  const migrations = await database.query<{ name: string }>('SELECT name FROM vitrine.migrations ORDER BY id');
  const members = await database.query<{ name: string; kind: MemberKind; joined_at: Date; seen_at: Date }>(
    'SELECT name, kind, joined_at, seen_at FROM vitrine.members ORDER BY name',
  );
  const counts = await database.query<{ all: string; own: string }>(
    'SELECT count(*) AS all, count(*) FILTER (WHERE owner = session_user) AS own FROM vitrine.sessions',
  );
  return {
    kind: kind.rows[0]?.kind ?? null,
    migrations: migrations.rows.map(({ name }) => name),
    members: members.rows.map(({ joined_at, seen_at, ...member }) => ({
      ...member,
      joined_at: joined_at.toISOString(),
      seen_at: seen_at.toISOString(),
    })),
    sessions: Number(counts.rows[0]?.all ?? 0),
    own_sessions: Number(counts.rows[0]?.own ?? 0),
  };
}
