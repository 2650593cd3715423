import { createHash } from 'node:crypto';
import type { NormalizedEntry } from '../../model/transcript/entry.ts';
import { encodeChunk, packChunk } from './chunkText.ts';
import type { Database } from './database.ts';
import { entryRow, type EntryRow } from './entryRow.ts';
import { endId, entryId, idsPerBlock, type SessionBlocks } from './schema.ts';
import type { WriteBatch } from './writeBatch.ts';

/** Maximum characters in a chunk. A chunk is unpacked to show one of its entries, and rewritten when one changes. */
const chunkCharacters = 32 * 1024;
/** Maximum entries in a chunk. */
const maxChunkEntries = 64;

interface KnownChunk {
  readonly next: number;
  readonly hash: string;
}

/** Writes one session's entries as chunks. Unchanged chunks are not written again. */
export class SessionWriter {
  readonly #database: Database;
  readonly #batch: WriteBatch;
  readonly #session: SessionBlocks;
  readonly #knownChunks: Map<number, KnownChunk>;
  #rows: EntryRow[] = [];
  #characters = 0;
  /** Index of the first entry in the current chunk. */
  #first: number;

  /** `from`: index of the first entry that will be added. */
  constructor(database: Database, batch: WriteBatch, session: SessionBlocks, from: number) {
    this.#database = database;
    this.#batch = batch;
    this.#session = session;
    this.#first = from;
    this.#knownChunks = new Map(
      database
        .all('SELECT id, next, hash FROM chunks WHERE id >= ? AND id < ?', entryId(session, from), endId(session))
        .map(({ id, next, hash }) => [Number(id) - entryId(session, 0), { next: Number(next), hash: String(hash) }]),
    );
  }

  /** Call in index order. */
  add(entry: NormalizedEntry): void {
    const row = entryRow(entry);
    this.#rows.push(row);
    this.#characters += row.texts.reduce((sum, text) => sum + text.length, 0);
    if (this.#characters >= chunkCharacters || this.#rows.length === maxChunkEntries) this.#closeChunk(entry.index + 1);
  }

  /** `to`: index after the last added entry. Unless `isWhole`, later entries stay. */
  end(to: number, isWhole: boolean): void {
    if (this.#rows.length > 0) this.#closeChunk(to);
    const isLonger = [...this.#knownChunks.values()].some(({ next }) => next > this.#first);
    if (!isWhole || !isLonger) return;
    const from = entryId(this.#session, this.#first);
    this.#write(0, () => removeEntries(this.#database, from, endId(this.#session)));
  }

  #closeChunk(next: number): void {
    const [database, session, first] = [this.#database, this.#session, this.#first];
    const [rows, characters] = [this.#rows, this.#characters];
    const texts = encodeChunk(rows);
    this.#rows = [];
    this.#characters = 0;
    this.#first = next;
    const known = this.#knownChunks.get(first);
    const hash = hashOf(texts, rows);
    if (known?.next === next && known.hash === hash) return;
    const packed = packChunk(texts, database.packing);
    // Without the texts, which are packed: the work may wait for a large batch.
    const entries = rows.map((row) => ({ ...row, texts: [] }));
    this.#write(characters, () => {
      removeEntries(database, entryId(session, first), entryId(session, next));
      database.run('INSERT INTO chunks VALUES (?, ?, ?, ?)', entryId(session, first), next, hash, packed);
      for (const entry of entries) insertEntry(database, session, entry);
    });
  }

  /** Does nothing if another process has meanwhile removed the session, or moved it to other blocks. */
  #write(characters: number, work: () => void): void {
    const { no } = this.#session;
    this.#batch.add(characters, () => {
      if (this.#database.get('SELECT 1 FROM sessions WHERE no = ?', no) !== undefined) work();
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

function insertEntry(database: Database, session: SessionBlocks, row: EntryRow): void {
  const id = entryId(session, row.index);
  const { kind, state, tool, origin, synthetic, at, length, words, paths, changed, cut } = row;
  const toolNo = tool === null ? null : numberOf(database, 'tools', 'name', tool);
  database.run(
    'INSERT INTO entries VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
    ...[id, session.no, kind, state, toolNo, origin, synthetic ? 1 : 0, at, length, cut ? 1 : 0],
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
export function removeSession(database: Database, session: SessionBlocks): void {
  database.transaction(() => removeRows(database, session));
}

function removeRows(database: Database, session: SessionBlocks): void {
  removeEntries(database, entryId(session, 0), endId(session));
  database.run('DELETE FROM sessions WHERE no = ?', session.no);
}

/** The blocks of a session with so many entries. A session that outgrew its blocks is removed and gets twice as many. */
export function reserveBlocks(
  database: Database,
  id: string,
  { isObserved, entries }: { readonly isObserved: boolean; readonly entries: number },
): SessionBlocks {
  return database.transaction(() => {
    const known = blocksOf(database, id);
    const needed = Math.max(1, Math.ceil(entries / idsPerBlock));
    if (known !== undefined && known.blocks >= needed) return known;
    if (known !== undefined) removeRows(database, known);
    database.run(
      `INSERT INTO sessions (id, block, blocks, observed, stamp, entries, words, cut, damaged, lengths)
       SELECT ?, coalesce(max(block + blocks), 0), ?, ?, '', 0, 0, 0, 0, x'' FROM sessions`,
      ...[id, Math.max(needed, 2 * (known?.blocks ?? 0)), isObserved ? 1 : 0],
    );
    const made = blocksOf(database, id);
    if (made === undefined) throw new Error('The session was inserted above.');
    return made;
  });
}

function blocksOf(database: Database, id: string): SessionBlocks | undefined {
  const row = database.get('SELECT no, block, blocks FROM sessions WHERE id = ?', id);
  return row && { no: Number(row['no']), block: Number(row['block']), blocks: Number(row['blocks']) };
}
