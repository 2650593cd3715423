import { createHash } from 'node:crypto';
import type { NormalizedEntry } from '../../model/transcript/entry.ts';
import { encodeChunk, packChunk } from './chunkText.ts';
import type { Database } from './database.ts';
import { entryRow, type EntryRow } from './entryRow.ts';
import { entriesPerSession, entryId } from './schema.ts';
import type { WriteBatch } from './writeBatch.ts';

/** Maximum characters in a chunk. A chunk is unpacked to show one of its entries, and rewritten when one changes. */
const chunkCharacters = 16 * 1024;
/** Maximum entries in a chunk. */
const maxEntries = 64;

interface Known {
  readonly next: number;
  readonly hash: string;
}

/** Writes one session's entries as chunks. Unchanged chunks are not written again. */
export class SessionWriter {
  readonly #database: Database;
  readonly #batch: WriteBatch;
  readonly #session: number;
  readonly #known: Map<number, Known>;
  #rows: EntryRow[] = [];
  #characters = 0;
  /** Index of the first entry in the current chunk. */
  #first: number;

  /** `from`: index of the first entry that will be added. */
  constructor(database: Database, batch: WriteBatch, session: number, from: number) {
    this.#database = database;
    this.#batch = batch;
    this.#session = session;
    this.#first = from;
    this.#known = new Map(
      database
        .all(
          'SELECT id, next, hash FROM chunks WHERE id >= ? AND id < ?',
          entryId(session, from),
          entryId(session + 1, 0),
        )
        .map(({ id, next, hash }) => [
          Number(id) - session * entriesPerSession,
          { next: Number(next), hash: String(hash) },
        ]),
    );
  }

  /** Call in index order. */
  add(entry: NormalizedEntry): void {
    const row = entryRow(entry);
    this.#rows.push(row);
    this.#characters += row.texts.reduce((sum, text) => sum + text.length, 0);
    if (this.#characters >= chunkCharacters || this.#rows.length === maxEntries) this.#close(entry.index + 1);
  }

  /** `to`: index after the last added entry. Unless `isWhole`, later entries stay. */
  end(to: number, isWhole: boolean): void {
    if (this.#rows.length > 0) this.#close(to);
    const isLonger = [...this.#known.values()].some(({ next }) => next > this.#first);
    if (!isWhole || !isLonger) return;
    const from = entryId(this.#session, this.#first);
    this.#batch.add(0, () => removeEntries(this.#database, from, entryId(this.#session + 1, 0)));
  }

  #close(next: number): void {
    const [database, session, first] = [this.#database, this.#session, this.#first];
    const [rows, characters] = [this.#rows, this.#characters];
    const texts = encodeChunk(rows);
    this.#rows = [];
    this.#characters = 0;
    this.#first = next;
    const known = this.#known.get(first);
    const hash = hashOf(texts, rows);
    if (known?.next === next && known.hash === hash) return;
    const packed = packChunk(texts, database.packing);
    this.#batch.add(characters, () => {
      removeEntries(database, entryId(session, first), entryId(session, next));
      database.run('INSERT INTO chunks VALUES (?, ?, ?, ?)', entryId(session, first), next, hash, packed);
      for (const row of rows) insertEntry(database, entryId(session, row.index), row);
    });
  }
}

/** The words are derived from the texts. */
function hashOf(texts: Buffer, rows: readonly EntryRow[]): string {
  const others = rows.map(
    ({ index, kind, state, tool, paths, changed, origin, synthetic, at, length, cut }) =>
      [index, kind, state, tool, paths, changed, origin, synthetic, at, length, cut] as const,
  );
  return createHash('sha1').update(texts).update(JSON.stringify(others)).digest('base64').slice(0, 16);
}

function insertEntry(database: Database, id: number, row: EntryRow): void {
  const { kind, state, tool, origin, synthetic, at, length, words, paths, changed, cut } = row;
  const toolNo = tool === null ? null : numberOf(database, 'tools', 'name', tool);
  database.run(
    'INSERT INTO entries VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)',
    ...[id, kind, state, toolNo, origin, synthetic ? 1 : 0, at, length, cut ? 1 : 0],
  );
  database.run('INSERT INTO word_index (rowid, text) VALUES (?, ?)', id, words);
  for (const path of paths) {
    database.run(
      'INSERT OR IGNORE INTO touches VALUES (?, ?, ?)',
      ...[id, numberOf(database, 'files', 'path', path), changed ? 1 : 0],
    );
  }
}

function numberOf(database: Database, table: 'tools' | 'files', column: 'name' | 'path', value: string): number {
  const select = `SELECT no FROM ${table} WHERE ${column} = ?`;
  const known = database.get(select, value);
  if (known !== undefined) return Number(known['no']);
  database.run(`INSERT INTO ${table} (${column}, small) VALUES (?, ?)`, value, value.toLowerCase());
  return Number(database.get(select, value)?.['no']);
}

/** Removes the entries `from <= id < to`, and the chunks that start there. */
function removeEntries(database: Database, from: number, to: number): void {
  // Before each deletion, FTS writes its pending words to the file, even if there is nothing to delete.
  if (database.get('SELECT 1 FROM entries WHERE id >= ? AND id < ? LIMIT 1', from, to) === undefined) return;
  database.run('DELETE FROM word_index WHERE rowid IN (SELECT id FROM entries WHERE id >= ? AND id < ?)', from, to);
  database.run('DELETE FROM entries WHERE id >= ? AND id < ?', from, to);
  database.run('DELETE FROM touches WHERE entry >= ? AND entry < ?', from, to);
  database.run('DELETE FROM chunks WHERE id >= ? AND id < ?', from, to);
}

/** Removes a session from the index. */
export function removeSession(database: Database, no: number): void {
  database.transaction(() => {
    removeEntries(database, entryId(no, 0), entryId(no + 1, 0));
    database.run('DELETE FROM sessions WHERE no = ?', no);
  });
}
