import { field, nonEmpty } from '../shared/guards.ts';
import { parse } from '../shared/normalizer/lineLog.ts';
import type { StoreFormat, StorePart } from '../stores/storeFormat.ts';
import { storeRoots } from '../stores/roots.ts';
import { RecordParser } from '../stores/storeSession.ts';
import { OpenCodeReader } from './reader.ts';

/** A session and its child sessions. */
const tree = `WITH RECURSIVE tree(id) AS (
  SELECT ?1 UNION SELECT session.id FROM session JOIN tree ON session.parent_id = tree.id
)`;

/** Last change of a session and those below it. A message can change after the row of its session. */
const lastChange = `WITH RECURSIVE tree(id) AS (
  SELECT root.id UNION SELECT session.id FROM session JOIN tree ON session.parent_id = tree.id
) SELECT max(coalesce(
  (SELECT max(time_updated) FROM session WHERE id IN tree),
  root.time_updated
), coalesce((SELECT max(time_updated) FROM message WHERE session_id IN tree), 0),
  coalesce((SELECT max(time_updated) FROM part WHERE session_id IN tree), 0))`;

/**
 * The sessions of OpenCode: since 1.2 in `opencode.db` (SQLite, usually with a write-ahead log), before in
 * `storage/{session,message,part}/**.json`. Sources: captured stores of 1.18.33; the notes on the older files in
 * ryoppippi/ccusage#879.
 */
export const openCodeStore: StoreFormat = {
  agent: 'opencode',
  label: 'OpenCode',
  roots: storeRoots.opencode,
  place: (path) => {
    if (/^[^/]+\.db$/.test(path)) return { role: 'database' };
    return /^(?:session|message|part)\/.+\.json$/.test(path) ? 'head' : undefined;
  },
  look: placeOfDocument,
  database: {
    sessions: `SELECT id AS session, (${lastChange}) AS changed FROM session AS root
      WHERE parent_id IS NULL OR parent_id NOT IN (SELECT id FROM session) ORDER BY time_created, id`,
    records: [
      { table: 'session', sql: `${tree} SELECT * FROM session WHERE id IN tree ORDER BY id <> ?1, time_created, id` },
      { table: 'message', sql: `${tree} SELECT * FROM message WHERE session_id IN tree ORDER BY time_created, id` },
      { table: 'part', sql: `${tree} SELECT * FROM part WHERE session_id IN tree ORDER BY id` },
    ],
  },
  createParser: (options) => new RecordParser(options, (session) => new OpenCodeReader(session)),
  resume: (nativeId) => ({ program: 'opencode', args: ['--session', nativeId] }),
};

/** Messages and parts name their session; the document of a session has its own id. */
function placeOfDocument(path: string, head: readonly string[]): StorePart | undefined {
  const whole = parse(head.join('\n'));
  const start = head.join('\n');
  const find = (key: string) =>
    nonEmpty(field(whole, key)) ?? new RegExp(`"${key}"\\s*:\\s*"([\\w-]{1,100})"`).exec(start)?.[1];
  const session = find('sessionID');
  if (session !== undefined) return { role: 'main', session };
  const id = find('id');
  return path.startsWith('session/') && id !== undefined ? { role: 'sidecar', session: id } : undefined;
}
