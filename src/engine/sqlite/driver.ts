import { pathToFileURL } from 'node:url';

export type SqliteValue = null | number | string | Uint8Array;
export type SqliteRow = Readonly<Record<string, SqliteValue>>;

/** A database opened for reading. */
export interface OpenDatabase {
  /** Rows of a query, one at a time. @throws SQLite errors, also between rows */
  rows(sql: string, parameters: readonly (number | string)[]): Iterable<SqliteRow>;
  close(): void;
}

export interface SqliteDriver {
  /** Whether it can read a file without a lock. Otherwise it only gets copies. */
  readonly readsInPlace: boolean;
  /** `immutable`: no locks, and no check for a log. `private`: a copy of our own, which SQLite may roll back first. */
  open(path: string, mode: 'immutable' | 'private'): OpenDatabase;
}

/** SQLite of the runtime; `undefined` in some versions of Electron and Node. */
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

/** SQLite as WebAssembly. It locks files with a folder next to them, so it must not open files of other programs. */
export async function wasmReader(): Promise<SqliteDriver> {
  const { default: wasm } = await import('node-sqlite3-wasm');
  return {
    readsInPlace: false,
    open: (path) => {
      const database = new wasm.Database(path);
      // Otherwise, a copy in WAL mode would need shared memory.
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

/** SQLite of the runtime, else the WebAssembly build. */
export async function readingDriver(): Promise<SqliteDriver> {
  return (await builtInDriver()) ?? (await wasmReader());
}

/** Integers are read as bigint, because unsafe ones would throw; these become strings. */
function plainRow(row: object): SqliteRow {
  return Object.fromEntries(Object.entries(row).map(([column, value]) => [column, plainValue(value)]));
}

function plainValue(value: unknown): SqliteValue {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : value.toString();
  return typeof value === 'number' || typeof value === 'string' || value instanceof Uint8Array ? value : null;
}
