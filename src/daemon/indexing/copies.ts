import { storeFormats } from '../../agents/stores/formats.ts';
import type { FollowedSession } from '../../engine/sources/foundSession.ts';
import { DatabaseFile } from '../../engine/sqlite/databaseFile.ts';
import type { SentSession } from './messages.ts';

/** Without the functions of its format and open databases, which another thread has of its own. */
export function packSession({ files: { format, session, files }, ...found }: FollowedSession): SentSession {
  const sent = files.map(({ database, ...file }) => ({ ...file, isDatabase: database !== undefined }));
  return { ...found, files: { agent: format.agent, session, files: sent } };
}

/** `databases`: those that are open in this thread, by path. */
export function unpackSession(
  { files: { agent, session, files }, ...found }: SentSession,
  databases: Map<string, DatabaseFile>,
): FollowedSession {
  const format = storeFormats.find((each) => each.agent === agent);
  if (format === undefined) throw new Error(`There is no store of ${agent}.`);
  const here = files.map(({ isDatabase, ...file }) => {
    if (!isDatabase) return file;
    const database = databases.get(file.path) ?? new DatabaseFile(file.path);
    databases.set(file.path, database);
    return { ...file, database };
  });
  return { ...found, files: { format, session, files: here } };
}
