import type { Database } from './database.ts';

/** A database of another version is thrown away and made again. */
export const schemaVersion = 3;

/** The id of an entry is the number of its session, and then its index: entries of one session lie together. */
export const entriesPerSession = 2 ** 24;

export function entryId(session: number, index: number): number {
  return session * entriesPerSession + index;
}

/**
 * `sessions`: what was indexed, and of which state of the record or the store (`stamp`). `chunks`: the text of some 16 KB of
 * entries, compressed, by the id of the first. `entries`: what can be asked for of each. `word_index`: which entries hold a word.
 * `touches`: which calls read or changed which file. `observed`: sessions of other programs as lists show
 * them, and what they used on which day (both JSON).
 * `facts`: what their stores say of them, and of which state of their files; only what changed is read again.
 */
const schema = `
CREATE TABLE sessions (
  no INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, observed INTEGER NOT NULL, stamp TEXT NOT NULL,
  entries INTEGER NOT NULL, words INTEGER NOT NULL, cut INTEGER NOT NULL, damaged INTEGER NOT NULL);
CREATE TABLE chunks (id INTEGER PRIMARY KEY, next INTEGER NOT NULL, hash TEXT NOT NULL, texts BLOB NOT NULL);
CREATE TABLE entries (
  id INTEGER PRIMARY KEY, kind INTEGER NOT NULL, state INTEGER, tool INTEGER, origin TEXT, synthetic INTEGER NOT NULL,
  at INTEGER, words INTEGER NOT NULL, cut INTEGER NOT NULL);
CREATE TABLE tools (no INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, small TEXT NOT NULL);
CREATE TABLE files (no INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, small TEXT NOT NULL);
CREATE TABLE touches (
  entry INTEGER NOT NULL, file INTEGER NOT NULL, changed INTEGER NOT NULL, PRIMARY KEY (entry, file)) WITHOUT ROWID;
CREATE INDEX touches_by_file ON touches (file, entry);
CREATE VIRTUAL TABLE word_index USING fts5(
  text, content='', contentless_delete=1, detail=none, tokenize="ascii tokenchars '_'");
CREATE TABLE observed (id TEXT PRIMARY KEY, summary TEXT NOT NULL, spent TEXT NOT NULL);
CREATE TABLE facts (id TEXT PRIMARY KEY, stamp TEXT NOT NULL, facts BLOB NOT NULL, problem TEXT);
`;

export function createSchema(database: Database): void {
  database.transaction(() => {
    database.exec(schema);
    database.exec(`PRAGMA user_version=${schemaVersion}`);
  });
}

/** 0 for a new file. */
export function versionOf(database: Database): number {
  const version = database.get('PRAGMA user_version')?.['user_version'];
  return typeof version === 'number' ? version : 0;
}
