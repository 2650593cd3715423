import { createHash } from 'node:crypto';
import type { ObservedSummary } from '../../insight/observed/summary.ts';
import type { RunSpending } from '../../insight/usage/spending.ts';
import { isObject } from '../../model/text/json.ts';
import type { Log } from '../api.ts';
import { isUnwritable } from './catalogue.ts';
import type { Database } from './database.ts';

/** A session of another program with its usage per day. */
export interface ObservedSession {
  readonly summary: ObservedSummary;
  readonly spent: readonly RunSpending[];
}

/** Rows as last read, and the highest number of them. */
interface ReadRows {
  readonly database: Database;
  readonly last: number;
  readonly sessions: ReadonlyMap<string, ObservedSession>;
}

/** Table of other programs' sessions, with a cache of the last read or written rows. */
export class ObservedRows {
  #read: ReadRows | undefined;
  #written: { readonly database: Database; readonly sessions: ReadonlySet<ObservedSession> } | undefined;

  /** Reads only rows that changed. */
  read(database: Database): readonly ObservedSession[] {
    const before = this.#read?.database === database ? this.#read : undefined;
    let read = readRows(database, before);
    const { count } = database.get('SELECT count(*) AS count FROM observed') ?? {};
    if (read.sessions.size !== count) read = readRows(database, undefined);
    this.#read = read;
    return [...read.sessions.values()];
  }

  /** Writes the differences. Failed writes are logged only: the next process writes them again. */
  write(database: Database, sessions: readonly ObservedSession[], log: Log): void {
    const before = this.#written?.database === database ? this.#written.sessions : undefined;
    if (before?.size === sessions.length && sessions.every((session) => before.has(session))) return;
    try {
      writeRows(database, sessions);
      this.#written = { database, sessions: new Set(sessions) };
    } catch (error) {
      if (!isUnwritable(error)) throw error;
      log.warn(`The catalogue cannot be written: ${String(error)}`);
    }
  }
}

/** The sessions that changed last, at most `most`, newest first, as they were last written. */
export function newestObserved(database: Database, most: number): ObservedSummary[] {
  return database.all('SELECT summary FROM observed ORDER BY updated DESC LIMIT ?', most).flatMap((row) => {
    const summary: unknown = JSON.parse(String(row['summary']));
    return isSummary(summary) ? [summary] : [];
  });
}

function readRows(database: Database, before: ReadRows | undefined): ReadRows {
  let last = before?.last ?? 0;
  const rows = database.all('SELECT no, id, summary, spent FROM observed WHERE no > ?', last);
  if (before !== undefined && rows.length === 0) return before;
  const sessions = new Map(before?.sessions);
  for (const row of rows) {
    const summary: unknown = JSON.parse(String(row['summary']));
    if (isSummary(summary)) sessions.set(String(row['id']), storedSession(summary, String(row['spent'])));
    last = Math.max(last, Number(row['no']));
  }
  return { database, last, sessions };
}

/** Parses the usage only if somebody reads it, because a search reads all sessions. */
function storedSession(summary: ObservedSummary, written: string): ObservedSession {
  let spent: readonly RunSpending[] | undefined;
  return {
    summary,
    get spent() {
      return (spent ??= parseSpent(written));
    },
  };
}

function parseSpent(written: string): readonly RunSpending[] {
  const spent: unknown = JSON.parse(written);
  return isSpentList(spent) ? spent : [];
}

function writeRows(database: Database, sessions: readonly ObservedSession[]): void {
  const rows = database.all('SELECT id, hash FROM observed');
  const known = new Map(rows.map(({ id, hash }) => [String(id), hash]));
  const changed = sessions.flatMap(({ summary, spent }) => {
    const [id, texts] = [summary.session_id, [JSON.stringify(summary), JSON.stringify(spent)] as const];
    const hash = createHash('sha1').update(texts[0]).update(texts[1]).digest('base64');
    const before = known.get(id);
    known.delete(id);
    return before === hash ? [] : [[id, summary.updated_at, hash, ...texts] as const];
  });
  if (changed.length === 0 && known.size === 0) return;
  database.transaction(() => {
    for (const values of changed)
      database.run(
        'INSERT OR REPLACE INTO observed (id, updated, hash, summary, spent) VALUES (?, ?, ?, ?, ?)',
        ...values,
      );
    for (const id of known.keys()) database.run('DELETE FROM observed WHERE id = ?', id);
  });
}

/** Rows have this schema version, so checking the identifying fields is enough. */
function isSummary(value: unknown): value is ObservedSummary {
  return (
    isObject(value) &&
    typeof value['session_id'] === 'string' &&
    Array.isArray(value['executor_session_ids']) &&
    isObject(value['source']) &&
    isObject(value['live'])
  );
}

function isSpentList(value: unknown): value is RunSpending[] {
  return Array.isArray(value) && value.every((item) => isObject(item) && typeof item['at'] === 'string');
}
