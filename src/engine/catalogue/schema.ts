import type { Database } from './database.ts';

/** A database of another version is deleted and created again. */
export const schemaVersion = 11;

/**
 * Bytes of pending words after which FTS5 writes a segment. With its default of 1 MB, it writes and merges so many that
 * indexing takes a fifth longer.
 */
const pendingWordBytes = 8 << 20;

/** Ids of entries are given to sessions in blocks. */
export const idsPerBlock = 256;

/**
 * The blocks of a session: its entries have contiguous ids, and those of all sessions are close together. The full-text
 * index stores differences between ids, so it would be half as large again if each session had room for millions.
 */
export interface SessionBlocks {
  /** The session's number. */
  readonly no: number;
  /** The first block. */
  readonly block: number;
  readonly blocks: number;
}

export function entryId({ block }: Pick<SessionBlocks, 'block'>, index: number): number {
  return block * idsPerBlock + index;
}

/** The id after the last one of the session. */
export function endId({ block, blocks }: SessionBlocks): number {
  return (block + blocks) * idsPerBlock;
}

/**
 * `sessions`: indexed sessions with the indexed state of their record or store (`stamp`), and the
 * lengths of their entries (`entryLengths.ts`). `chunks`: compressed text of
 * about 32 KB of entries, by the id of the first. `entries`: searchable fields of each entry. `word_index`: full-text
 * index. `touches`: which calls read or changed which file. `observed`: sessions of other programs for lists, and their
 * usage per day (both JSON), with a hash of both; a row gets a new, higher `no` whenever it is written. `facts`: what is needed of all
 * their sessions, with the state of their files; `packed_facts`: all facts; `parts`: roles of those files, so that only changed
 * ones are read again.
 */
const schema = `
CREATE TABLE sessions (
  no INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, block INTEGER NOT NULL UNIQUE, blocks INTEGER NOT NULL,
  observed INTEGER NOT NULL, stamp TEXT NOT NULL, entries INTEGER NOT NULL, words INTEGER NOT NULL, cut INTEGER NOT NULL, damaged INTEGER NOT NULL,
  lengths BLOB NOT NULL);
CREATE TABLE chunks (id INTEGER PRIMARY KEY, next INTEGER NOT NULL, hash TEXT NOT NULL, texts BLOB NOT NULL);
CREATE TABLE entries (
  id INTEGER PRIMARY KEY, session INTEGER NOT NULL, kind INTEGER NOT NULL, state INTEGER, tool INTEGER, origin TEXT,
  synthetic INTEGER NOT NULL, at INTEGER, words INTEGER NOT NULL, cut INTEGER NOT NULL);
CREATE TABLE tools (no INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, small TEXT NOT NULL);
CREATE TABLE files (no INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, small TEXT NOT NULL);
CREATE TABLE touches (
  entry INTEGER NOT NULL, file INTEGER NOT NULL, changed INTEGER NOT NULL, PRIMARY KEY (entry, file)) WITHOUT ROWID;
CREATE INDEX touches_by_file ON touches (file, entry);
CREATE VIRTUAL TABLE word_index USING fts5(
  text, content='', contentless_delete=1, detail=none, tokenize="ascii tokenchars '_'");
INSERT INTO word_index (word_index, rank) VALUES ('hashsize', ${pendingWordBytes});
CREATE TABLE observed (
  no INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, updated TEXT NOT NULL, hash TEXT NOT NULL,
  summary TEXT NOT NULL, spent TEXT NOT NULL);
CREATE INDEX observed_by_time ON observed (updated);
CREATE INDEX observed_hashes ON observed (id, hash);
CREATE TABLE facts (id TEXT PRIMARY KEY, stamp TEXT NOT NULL, brief TEXT NOT NULL, keys BLOB NOT NULL, problem TEXT);
CREATE TABLE packed_facts (id TEXT PRIMARY KEY, packed BLOB NOT NULL);
CREATE TABLE parts (path TEXT PRIMARY KEY, key TEXT NOT NULL, part TEXT NOT NULL) WITHOUT ROWID;
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
