import { readFile, readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import type { SessionNote, StoreFormat, StorePart, StoreRecord } from '../../../src/agents/stores/storeFormat.ts';
import { DatabaseFile } from '../../../src/engine/sqlite/databaseFile.ts';
import type { EntryUpdate, NormalizedEntry } from '../../../src/model/transcript/entry.ts';
import type { StoreFacts } from '../../../src/model/session/observed.ts';
import { addUsage, type TokenUsage } from '../../../src/model/usage/usage.ts';

export interface ReadSession {
  readonly session: string;
  readonly facts: StoreFacts;
  readonly entries: readonly NormalizedEntry[];
}

interface SessionPart {
  readonly path: string;
  readonly part: StorePart;
}

/** All sessions that a format finds in a home, oldest first, read completely. */
export async function readHome(
  format: StoreFormat,
  home: string,
  env: Readonly<Record<string, string>> = {},
): Promise<readonly ReadSession[]> {
  const found: SessionPart[] = [];
  for (const { path: root, depth } of format.roots({ env, home, platform: 'linux' })) {
    for (const relative of await filesBelow(root, depth)) {
      const full = path.join(root, relative);
      const placed = format.place(relative);
      const lines = placed === 'head' ? (await readFile(full, 'utf8')).split('\n') : [];
      const part = placed === 'head' ? format.look?.(relative, lines) : placed;
      if (part !== undefined) found.push({ path: full, part });
    }
  }
  const notes = new Map<string, SessionNote>();
  for (const file of found.filter(({ part }) => part.role === 'shared')) {
    for (const record of await fileRecords(format, file)) {
      for (const note of format.notes?.(record) ?? []) notes.set(note.key, { ...notes.get(note.key), ...note });
    }
  }
  const sessions = new Map<string, StoreRecord[]>();
  for (const role of ['sidecar', 'main', 'subagent'] as const) {
    for (const file of found) {
      const { part } = file;
      if (part.role !== role) continue;
      const records = sessions.get(part.session) ?? [];
      records.push(...(await fileRecords(format, file)));
      sessions.set(part.session, records);
    }
  }
  for (const file of found) {
    if (file.part.role === 'database') await databaseRecords(format, file, sessions);
  }
  return [...sessions]
    .map(([session, records]) => readRecords(format, session, records, notes))
    .sort((a, b) => (a.facts.startedAt ?? '').localeCompare(b.facts.startedAt ?? ''));
}

export function readRecords(
  format: StoreFormat,
  session: string,
  records: readonly StoreRecord[],
  notes: ReadonlyMap<string, SessionNote> = new Map(),
): ReadSession {
  const parser = format.createParser({ needsEntries: true, session, notes });
  const updates = records.flatMap((record) => parser.push(record));
  return { session, entries: settledEntries([...updates, ...parser.end(false)]), facts: parser.facts() };
}

export function settledEntries(updates: readonly EntryUpdate[]): readonly NormalizedEntry[] {
  const entries: NormalizedEntry[] = [];
  for (const update of updates) {
    if (update.op === 'put') entries[update.entry.index] = update.entry;
    else {
      const before = entries[update.index]!;
      entries[update.index] = { ...before, content: before.content + update.text };
    }
  }
  return entries;
}

/** Total usage of all sessions, without duplicate requests. */
export function totalUsage(sessions: readonly ReadSession[]): {
  readonly usage: TokenUsage;
  readonly requests: number;
} {
  const requests = new Map(
    sessions.flatMap(({ facts }) => facts.requests.map((request) => [request.key, request] as const)),
  );
  return {
    usage: [...requests.values()].reduce<TokenUsage>((sum, { usage }) => addUsage(sum, usage), {}),
    requests: requests.size,
  };
}

async function filesBelow(root: string, depth: number): Promise<string[]> {
  try {
    if (!(await stat(root)).isDirectory()) return [];
  } catch {
    return [];
  }
  const names = await readdir(root, { recursive: true, withFileTypes: true });
  return names
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)).split(path.sep).join('/'))
    .filter((relative) => relative.split('/').length <= depth)
    .sort();
}

async function fileRecords(format: StoreFormat, { path: file, part }: SessionPart): Promise<StoreRecord[]> {
  const text = await readFile(file, 'utf8');
  const isDocument = format.isDocument?.(file) ?? /\.(?:json|ya?ml|txt)$/i.test(file);
  if (isDocument) return [{ kind: 'document', part, path: file, text }];
  return text.split('\n').map((line) => ({ kind: 'line', part, path: file, text: line }));
}

async function databaseRecords(
  format: StoreFormat,
  { path: file }: SessionPart,
  sessions: Map<string, StoreRecord[]>,
): Promise<void> {
  const { database } = format;
  if (database === undefined) return;
  const source = new DatabaseFile(file);
  const read = await source.read((queries) => {
    for (const row of queries.rows(database.sessions)) {
      const session = String(row['session']);
      const part: StorePart = { role: 'main', session };
      sessions.set(
        session,
        database.records.flatMap(({ table, sql }) =>
          queries.rows(sql, session).map((record) => ({ kind: 'row' as const, part, path: file, table, row: record })),
        ),
      );
    }
  });
  await source.dispose();
  if (read.kind === 'unreadable') throw new Error(read.reason);
  if (read.problems.length > 0) throw new Error(read.problems.join(' '));
}
