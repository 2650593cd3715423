import { rmSync, statSync } from 'node:fs';
import type { SqliteRow, SqliteValue } from '../sqlite/driver.ts';
import { hasZstd, type TextPacking } from './chunkText.ts';

/** SQLite of the runtime gives a `bigint` only if asked. */
export type DatabaseRow = Readonly<Record<string, SqliteValue | bigint>>;

type Parameter = null | number | string | Uint8Array;

/** Vitrine's own database. Calls are synchronous, so keep transactions short. */
export interface Database {
  readonly packing: TextPacking;
  /** Runs several statements without parameters. */
  exec(sql: string): void;
  run(sql: string, ...parameters: readonly Parameter[]): void;
  all(sql: string, ...parameters: readonly Parameter[]): DatabaseRow[];
  get(sql: string, ...parameters: readonly Parameter[]): DatabaseRow | undefined;
  /** Commits all of `work` or nothing. Other processes wait meanwhile. */
  transaction<T>(work: () => T): T;
  close(): void;
}

export interface DatabaseDriver {
  /** File suffix. Drivers use different files, because they do not see each other's locks. */
  readonly suffix: string;
  /** @throws SQLite errors */
  open(path: string): Database;
}

/** How long a statement waits for another process, in ms. */
const busyMs = 5000;
/** Transactions take milliseconds. A lock older than this, in ms, was left by a killed process. */
const abandonedLockMs = 30_000;
/** For every connection: overwrite deleted content. */
const connectionPragmas = 'PRAGMA secure_delete=ON';
/** Maximum number of cached prepared statements. */
const maxStatements = 64;

/** SQLite of the runtime, else the WebAssembly build, whose databases runtimes without Zstandard can read. */
export async function databaseDriver(): Promise<DatabaseDriver> {
  return (await nativeDriver()) ?? (await wasmDriver());
}

/** `undefined` if the runtime lacks SQLite or Zstandard, such as Node 20 and some Electron versions. */
async function nativeDriver(): Promise<DatabaseDriver | undefined> {
  if (!hasZstd()) return undefined;
  try {
    const { DatabaseSync } = await import('node:sqlite');
    return {
      suffix: '',
      open: (path) => {
        const database = new DatabaseSync(path);
        const statements = new StatementCache((sql) => database.prepare(sql));
        const exec = (sql: string): void => database.exec(sql);
        // Data lost in a power failure is read again from the records.
        exec(`PRAGMA busy_timeout=${busyMs}; PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; ${connectionPragmas}`);
        return {
          packing: 'zstd',
          exec,
          run: (sql, ...parameters) => void statements.get(sql).run(...parameters),
          all: (sql, ...parameters) => statements.get(sql).all(...parameters),
          get: (sql, ...parameters) => statements.get(sql).get(...parameters),
          transaction: (work) => transaction(exec, work),
          close: () => database.close(),
        };
      },
    };
  } catch {
    return undefined;
  }
}

export async function wasmDriver(): Promise<DatabaseDriver> {
  const { default: wasm } = await import('node-sqlite3-wasm');
  return {
    suffix: '-wasm',
    open: (path) => {
      removeAbandonedLock(path);
      const database = new wasm.Database(path);
      const statements = new StatementCache(
        (sql) => database.prepare(sql),
        (statement) => statement.finalize(),
      );
      const exec = (sql: string): void => database.exec(sql);
      exec(`PRAGMA busy_timeout=${busyMs}; PRAGMA journal_mode=TRUNCATE; PRAGMA synchronous=OFF; ${connectionPragmas}`);
      return {
        packing: 'deflate',
        exec,
        run: (sql, ...parameters) => void statements.get(sql).run([...parameters]),
        all: (sql, ...parameters) =>
          statements
            .get(sql)
            .all([...parameters])
            .map(plainRow),
        get: (sql, ...parameters) => {
          const row = statements.get(sql).get([...parameters]);
          return row === null ? undefined : plainRow(row);
        },
        transaction: (work) => transaction(exec, work),
        close: () => {
          statements.clear();
          database.close();
        },
      };
    },
  };
}

function removeAbandonedLock(path: string): void {
  const lock = `${path}.lock`;
  const since = statSync(lock, { throwIfNoEntry: false })?.mtimeMs;
  if (since !== undefined && Date.now() - since > abandonedLockMs) rmSync(lock, { recursive: true, force: true });
}

function transaction<T>(exec: (sql: string) => void, work: () => T): T {
  exec('BEGIN IMMEDIATE');
  try {
    const result = work();
    exec('COMMIT');
    return result;
  } catch (error) {
    try {
      exec('ROLLBACK');
    } catch {
      // SQLite has already rolled back.
    }
    throw error;
  }
}

class StatementCache<T> {
  readonly #known = new Map<string, T>();
  readonly #prepare: (sql: string) => T;
  readonly #finalize: (statement: T) => void;

  constructor(prepare: (sql: string) => T, finalize: (statement: T) => void = () => undefined) {
    this.#prepare = prepare;
    this.#finalize = finalize;
  }

  get(sql: string): T {
    const known = this.#known.get(sql);
    if (known !== undefined) return known;
    if (this.#known.size >= maxStatements) this.clear();
    const prepared = this.#prepare(sql);
    this.#known.set(sql, prepared);
    return prepared;
  }

  clear(): void {
    for (const statement of this.#known.values()) this.#finalize(statement);
    this.#known.clear();
  }
}

/** Copies only rows that need a conversion. */
function plainRow(row: object): SqliteRow {
  if (isPlain(row)) return row;
  return Object.fromEntries(Object.entries(row).map(([column, value]) => [column, plainValue(value)]));
}

function isPlain(row: object): row is SqliteRow {
  return Object.values(row).every((value) => plainValue(value) === value);
}

function plainValue(value: unknown): SqliteValue {
  if (typeof value === 'bigint') return Number(value);
  if (typeof value === 'number' || typeof value === 'string' || value instanceof Uint8Array) return value;
  return null;
}

const [zero, comma] = [48, 44] as const;

/** The `count` non-negative integers that SQLite's `group_concat` wrote into a text. */
export function numbersIn(list: string, count: number): Float64Array {
  const numbers = new Float64Array(count);
  let [place, value] = [0, 0];
  for (let at = 0; at < list.length; at += 1) {
    const code = list.charCodeAt(at);
    if (code === comma) {
      numbers[place] = value;
      place += 1;
      value = 0;
    } else value = value * 10 + (code - zero);
  }
  if (place < count) numbers[place] = value;
  return numbers;
}
