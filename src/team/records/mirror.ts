import { mkdir, open, readdir, readFile, rename, rm, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod';
import { sessionIdSchema } from '../../model/session/session.ts';
import type { TeamShare } from '../../model/session/summary.ts';
import type { Database } from '../database/connection.ts';
import { teamFolder } from '../teamFile.ts';
import { firstHead, lineProblem } from './maskedLines.ts';
import { findShared, listShared, readLines, sharedState, type SharedSession } from './sharedSessions.ts';

const stateSchema = z.object({ lines: z.number(), head: z.string(), bytes: z.number() });
type State = z.infer<typeof stateSchema>;

const empty: State = { lines: 0, head: firstHead, bytes: 0 };

/** A store for copies of sessions of other members. */
export const mirrorFolder = (storeDir: string): string => path.join(teamFolder(storeDir), 'mirror');

/** The record of a copy. */
export const copiedRecord = (mirror: string, id: string): string =>
  path.join(mirror, 'sessions', sessionIdSchema.parse(id), 'record.jsonl');

export interface PulledLines {
  readonly session: SharedSession;
  /** Why the copy ends before the team's; `null`: it does not. */
  readonly problem: string | null;
}

/** Sessions, and lines in total, of which a search has copies. */
const [maxPulled, maxPulledLines] = [500, 200_000];

export interface PulledSessions {
  /** Those with a copy, newest first. */
  readonly sessions: readonly { readonly session_id: string; readonly shared: TeamShare }[];
  /** False: older ones have none. */
  readonly isComplete: boolean;
  /** Copies that end early. */
  readonly problems: readonly { readonly id: string; readonly reason: string }[];
}

/**
 * Brings the copies of what other members share with `user` up to date, and removes those of withdrawn sessions. `pull` as
 * `pullSession`. @throws errors of the database and the file system
 */
export async function pullShared(
  database: Database,
  mirror: string,
  user: string,
  pull: (id: string) => Promise<PulledLines | null> = (id) => pullSession(database, mirror, id),
): Promise<PulledSessions> {
  const listed = await listShared(database, maxPulled);
  const others = listed.filter((session) => session.owner !== user && session.lines > 0);
  const [sessions, problems] = [
    new Array<PulledSessions['sessions'][number]>(),
    new Array<{ id: string; reason: string }>(),
  ];
  let lines = 0;
  for (const session of others) {
    const { session_id: id } = session;
    lines += session.lines;
    if (lines > maxPulledLines) break;
    const known = await readState(path.join(mirror, 'sessions', id));
    const pulled = known.head === session.head ? { session, problem: null } : await pull(id);
    if (pulled === null) continue;
    sessions.push({ session_id: id, shared: sharedState(session, user) });
    if (pulled.problem !== null) problems.push({ id, reason: pulled.problem });
  }
  const current = new Set(listed.map(({ session_id }) => session_id));
  const copies = (await readdir(path.join(mirror, 'sessions')).catch(() => [])).map((name) =>
    sessionIdSchema.safeParse(name),
  );
  for (const { data } of copies) if (data !== undefined && !current.has(data)) await pull(data);
  return { sessions, isComplete: sessions.length === others.length && listed.length < maxPulled, problems };
}

/**
 * Brings the copy of a session up to date and verifies every line that it adds. `null`: the login may see no such session;
 * an earlier copy is then removed. @throws errors of the database and the file system
 */
export async function pullSession(database: Database, mirror: string, id: string): Promise<PulledLines | null> {
  const folder = path.join(mirror, 'sessions', sessionIdSchema.parse(id));
  const session = await findShared(database, id);
  if (session === null) {
    await rm(folder, { recursive: true, force: true });
    return null;
  }
  if (session.lines === 0) return { session, problem: null };
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await holdLease(folder, session.hostname);
  let state = await readState(folder);
  // Withdrawn and shared again, or of another database.
  if (!(await isPartOf(database, id, state))) state = empty;
  const handle = await open(path.join(folder, 'record.jsonl'), state.bytes === 0 ? 'w' : 'r+', 0o600);
  try {
    // Another process began it again meanwhile.
    if ((await handle.stat()).size < state.bytes) state = empty;
    // Lines after the last saved state, left by a crash, are read again.
    await handle.truncate(state.bytes);
    for (;;) {
      const lines = await readLines(database, id, state.lines);
      if (lines.length === 0) return { session, problem: null };
      const texts: string[] = [];
      let [head, problem]: [string, string | null] = [state.head, null];
      for (const { line, hash } of lines) {
        problem = lineProblem(line, hash, head) ?? headerProblem(line, state.lines + texts.length, id);
        if (problem !== null) break;
        texts.push(`${line}\n`);
        head = hash;
      }
      const bytes = Buffer.from(texts.join(''));
      await handle.write(bytes, 0, bytes.length, state.bytes);
      state = { lines: state.lines + texts.length, head, bytes: state.bytes + bytes.length };
      await writeState(folder, state);
      if (problem !== null) return { session, problem: `Line ${state.lines + 1} ${problem}.` };
    }
  } finally {
    await handle.close();
  }
}

/** A record cannot pass itself off as that of another session. */
function headerProblem(line: string, index: number, id: string): string | null {
  if (index > 0) return null;
  const { success } = z.object({ kind: z.literal('header'), session_id: z.literal(id) }).safeParse(JSON.parse(line));
  return success ? null : 'belongs to another session';
}

async function isPartOf(database: Database, id: string, { lines, head }: State): Promise<boolean> {
  if (lines === 0) return true;
  const [last] = await readLines(database, id, lines - 1);
  return last?.hash === head;
}

const stateFile = (folder: string): string => path.join(folder, 'mirror.json');

async function readState(folder: string): Promise<State> {
  const text = await readFile(stateFile(folder), 'utf8').catch(() => 'null');
  try {
    return stateSchema.safeParse(JSON.parse(text)).data ?? empty;
  } catch {
    return empty;
  }
}

async function writeState(folder: string, state: State): Promise<void> {
  await writeFile(`${stateFile(folder)}.new`, JSON.stringify(state), { mode: 0o600 });
  await rename(`${stateFile(folder)}.new`, stateFile(folder));
}

/**
 * Says that another machine writes the record, so that nothing here completes, changes or resumes it. Readers take such a
 * lease to be abandoned after a day, so each look renews it.
 */
async function holdLease(folder: string, hostname: string): Promise<void> {
  const file = path.join(folder, 'writer.1.json');
  const now = new Date();
  const holder = { pid: 1, startTime: null, hostname, machine: `team-${hostname}`, at: now.toISOString() };
  await writeFile(file, JSON.stringify(holder), { mode: 0o600 });
  await utimes(file, now, now);
}
