import { type Database, numbersIn } from './database.ts';
import { endId, entryId, type SessionBlocks } from './schema.ts';

/** Larger numbers of words are stored as this one: with the flag, a number takes two bytes. */
const maxWords = 0x7fff;
const idFactor = 0x1_0000;

/** Number of words of each entry of a session, and which entries are automatic messages. */
export interface EntryLengths {
  words(index: number): number;
  isSynthetic(index: number): boolean;
}

/**
 * Reads the lengths of all entries of a session from their rows, to be stored in one value: a search needs those of every
 * match, and would otherwise look for each row. Two bytes for each index: twice the number of words, plus 1 if synthetic.
 */
export function packLengths(database: Database, session: SessionBlocks): Uint8Array {
  const first = entryId(session, 0);
  // The drivers bind numbers as floating-point ones, so no parameter is part of the result.
  const row = database.get(
    `SELECT count(*) AS count, group_concat(id * ${idFactor} + min(words, ${maxWords}) * 2 + synthetic) AS lengths
     FROM (SELECT id, words, synthetic FROM entries WHERE id >= ? AND id < ? ORDER BY id)`,
    ...[first, endId(session)],
  );
  const numbers = numbersIn(String(row?.['lengths'] ?? ''), Number(row?.['count']));
  const indexOf = (number: number): number => Math.floor(number / idFactor) - first;
  const lengths = new Uint16Array(numbers.length === 0 ? 0 : indexOf(numbers.at(-1) ?? 0) + 1);
  for (const number of numbers) lengths[indexOf(number)] = number % idFactor;
  return new Uint8Array(lengths.buffer);
}

/** By session number. */
export function entryLengths(database: Database, sessions: readonly SessionBlocks[]): Map<number, EntryLengths> {
  const bySession = new Map(sessions.map((session) => [session.no, session]));
  const rows = database.all(
    'SELECT no, lengths FROM sessions WHERE no IN (SELECT value FROM json_each(?))',
    JSON.stringify([...bySession.keys()]),
  );
  return new Map(
    rows.flatMap(({ no, lengths }) => {
      const session = bySession.get(Number(no));
      if (session === undefined || !(lengths instanceof Uint8Array)) return [];
      return [[session.no, new StoredLengths(database, session, lengths)] as const];
    }),
  );
}

class StoredLengths implements EntryLengths {
  readonly #database: Database;
  readonly #session: SessionBlocks;
  readonly #lengths: Uint16Array;

  constructor(database: Database, session: SessionBlocks, packed: Uint8Array) {
    this.#database = database;
    this.#session = session;
    // A copy, because the bytes may start at an odd address.
    this.#lengths = new Uint16Array(new Uint8Array(packed).buffer);
  }

  words(index: number): number {
    return this.#at(index) >> 1;
  }

  isSynthetic(index: number): boolean {
    return (this.#at(index) & 1) === 1;
  }

  /** An entry that was added since the lengths were stored has its row only. */
  #at(index: number): number {
    const known = this.#lengths[index];
    if (known !== undefined) return known;
    const id = entryId(this.#session, index);
    const row = this.#database.get('SELECT words * 2 + synthetic AS length FROM entries WHERE id = ?', id);
    return Number(row?.['length'] ?? 0);
  }
}
