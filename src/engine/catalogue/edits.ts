import path from 'node:path';
import type { SearchedSession } from '../search/types.ts';
import type { Database } from './database.ts';
import { idsPerBlock } from './schema.ts';

/** A file that an agent changed, and the last tool call that changed it. */
export interface RecentEdit {
  /** Absolute path. */
  readonly path: string;
  readonly session: SearchedSession;
  /** Index of the entry. */
  readonly entry: number;
  /** ISO 8601. */
  readonly at: string;
}

/** Files that these sessions (by id) changed most recently, newest first, without duplicates. */
export function recentEdits(
  database: Database,
  sessions: ReadonlyMap<string, SearchedSession>,
  most: number,
): RecentEdit[] {
  const rows = database.all(`SELECT files.path AS path, sessions.id AS session, max(entries.at) AS at,
      entries.id - sessions.block * ${idsPerBlock} AS entry
    FROM touches JOIN entries ON entries.id = touches.entry JOIN files ON files.no = touches.file
      JOIN sessions ON sessions.no = entries.session
    WHERE touches.changed = 1 AND entries.at IS NOT NULL GROUP BY touches.file, sessions.no ORDER BY at DESC`);
  const found = new Map<string, RecentEdit>();
  for (const row of rows) {
    if (found.size === most) break;
    const session = sessions.get(String(row['session']));
    // Recordings change no files.
    if (session === undefined || session.recording || session.imported !== undefined) continue;
    const file = path.resolve(session.project_dir ?? '/', String(row['path']));
    if (found.has(file)) continue;
    const at = new Date(Number(row['at'])).toISOString();
    found.set(file, { path: file, session, entry: Number(row['entry']), at });
  }
  return [...found.values()];
}

/** Ids of sessions with tool calls that read or changed the file, under any of these names. */
export function sessionsTouching(database: Database, names: readonly string[]): Set<string> {
  const marks = names.map(() => '?').join(', ');
  const rows = database.all(
    `SELECT DISTINCT sessions.id AS id FROM files JOIN touches ON touches.file = files.no
      JOIN entries ON entries.id = touches.entry JOIN sessions ON sessions.no = entries.session WHERE files.path IN (${marks})`,
    ...names,
  );
  return new Set(rows.map(({ id }) => String(id)));
}
