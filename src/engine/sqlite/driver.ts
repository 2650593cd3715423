import { pathToFileURL } from 'node:url';

export type SqliteValue = null | number | string | Uint8Array;
export type SqliteRow = Readonly<Record<string, SqliteValue>>;

/** An open database that nothing is written to. */
export interface OpenDatabase {
  /** Rows of a query, one at a time. @throws as SQLite does, also in the middle of the rows. */
  rows(sql: string, parameters: readonly (number | string)[]): Iterable<SqliteRow>;
  close(): void;
}

export interface SqliteDriver {
  /** It can read a file without a lock. Else it is only given copies. */
  readonly readsInPlace: boolean;
  /**
   * `immutable`: as a file that no one changes, without locks, and without looking for a log beside it. `private`: a copy of
   * our own, which SQLite may roll back first.
   */
  open(path: string, mode: 'immutable' | 'private'): OpenDatabase;
}

/** SQLite of the runtime; `undefined` where it has none, as some versions of Electron and Node. */
export async function builtInDriver(): Promise<SqliteDriver | undefined> {
  try {
    const { DatabaseSync } = await import('node:sqlite');
    return {
      readsInPlace: true,
      open: (path, mode) => {
        const url = pathToFileURL(path);
        if (mode === 'immutable') url.searchParams.set('immutable', '1');
        const database = new DatabaseSync(url, { readOnly: mode === 'immutable' });
        return {
          *rows(sql, parameters) {
            const statement = database.prepare(sql);
            statement.setReadBigInts(true);
            for (const row of statement.iterate(...parameters)) yield plainRow(row);
          },
          close: () => database.close(),
        };
      },
    };
  } catch {
    return undefined;
  }
}

/** SQLite as WebAssembly. It locks what it opens by a folder beside it, so that it must not open files of others. */
export async function wasmReader(): Promise<SqliteDriver> {
  const { default: wasm } = await import('node-sqlite3-wasm');
  return {
    readsInPlace: false,
    open: (path) => {
      const database = new wasm.Database(path);
      // A copy may be in WAL mode, which needs shared memory otherwise.
      database.exec('PRAGMA locking_mode=EXCLUSIVE');
      return {
        *rows(sql, parameters) {
          const statement = database.prepare(sql);
          try {
            for (const row of statement.iterate([...parameters])) yield plainRow(row);
          } finally {
            statement.finalize();
          }
        },
        close: () => database.close(),
      };
    },
  };
}

/** That of the runtime, else the one as WebAssembly. */
export async function readingDriver(): Promise<SqliteDriver> {
  return (await builtInDriver()) ?? (await wasmReader());
}

/** Whole numbers come as bigint, since others than the safe ones would be an error; these are told as a text. */
function plainRow(row: object): SqliteRow {
  return Object.fromEntries(Object.entries(row).map(([column, value]) => [column, plainValue(value)]));
}

function plainValue(value: unknown): SqliteValue {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : value.toString();
  return typeof value === 'number' || typeof value === 'string' || value instanceof Uint8Array ? value : null;
}
