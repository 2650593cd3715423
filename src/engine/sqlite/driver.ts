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
  /**
   * `immutable`: as a file that nobody changes, without locks, and without looking for a log beside it. `private`: a copy of
   * our own, which SQLite may roll back first.
   */
  open(path: string, mode: 'immutable' | 'private'): OpenDatabase;
}

/** SQLite of the runtime; `undefined` where it has none, as some versions of Electron and Node. */
export async function builtInDriver(): Promise<SqliteDriver | undefined> {
  try {
    const { DatabaseSync } = await import('node:sqlite');
    return {
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

/** Whole numbers come as bigint, since others than the safe ones would be an error; these are told as a text. */
function plainRow(row: Readonly<Record<string, null | number | bigint | string | Uint8Array>>): SqliteRow {
  const plain: Record<string, SqliteValue> = {};
  for (const [column, value] of Object.entries(row)) {
    if (typeof value !== 'bigint') plain[column] = value;
    else plain[column] = Number.isSafeInteger(Number(value)) ? Number(value) : value.toString();
  }
  return plain;
}
