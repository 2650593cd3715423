import type { StoreFormat, StorePart, StoreRecord } from '../../agents/stores/storeFormat.ts';
import { DatabaseFile } from '../sqlite/databaseFile.ts';
import type { StoreFile } from './files.ts';

interface DatabaseSession {
  readonly session: string;
  readonly file: StoreFile & { readonly part: StorePart; readonly database: DatabaseFile };
}

/** Sessions in a database. `opened` caches databases by path. */
export async function databaseSessions(
  format: StoreFormat,
  file: StoreFile,
  opened: Map<string, DatabaseFile>,
): Promise<{ readonly files: readonly DatabaseSession[]; readonly problem?: string }> {
  const statements = format.database;
  if (statements === undefined) return { files: [] };
  const database = opened.get(file.path) ?? new DatabaseFile(file.path);
  opened.set(file.path, database);
  const read = await database.read((queries) => queries.rows(statements.sessions));
  if (read.kind === 'unreadable') return { files: [], problem: read.reason };
  const files = read.value.flatMap(({ session, changed }) => {
    if (typeof session !== 'string') return [];
    const part: StorePart = { role: 'main', session };
    const mtimeMs = typeof changed === 'number' ? changed : file.mtimeMs;
    return [{ session, file: { ...file, size: 0, mtimeMs, part, database } }];
  });
  return read.problems.length === 0 ? { files } : { files, problem: read.problems.join(' ') };
}

/** Rows of one session. @throws Error after the readable rows if others are unreadable */
export async function* databaseRecords(
  format: StoreFormat,
  { path, part }: StoreFile & { readonly part: StorePart },
  database: DatabaseFile,
): AsyncGenerator<readonly StoreRecord[]> {
  if (!('session' in part)) return;
  const read = await database.read((queries) =>
    (format.database?.records ?? []).flatMap(({ table, sql }) =>
      queries.rows(sql, part.session).map((row) => ({ kind: 'row' as const, part, path, table, row })),
    ),
  );
  if (read.kind === 'unreadable') throw new Error(read.reason);
  yield read.value;
  if (read.problems.length > 0) throw new Error(read.problems.join(' '));
}
