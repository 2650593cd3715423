import { constants, rmSync } from 'node:fs';
import { copyFile, mkdtemp, open, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { readingDriver, type OpenDatabase, type SqliteDriver, type SqliteRow } from './driver.ts';
import { foldWal, walGeneration } from './wal.ts';

/** Queries a database. */
export interface DatabaseQueries {
  /** Rows up to the first failure, which is added to the problems. */
  rows(sql: string, ...parameters: readonly (number | string)[]): readonly SqliteRow[];
}

export type DatabaseRead<T> =
  /** `problems`: why the value may be incomplete, one sentence each. */
  | { readonly kind: 'read'; readonly value: T; readonly problems: readonly string[] }
  | { readonly kind: 'unreadable'; readonly reason: string };

export interface DatabaseFileOptions {
  /** Folder for private copies. Default: the system's temporary folder. */
  readonly temporaryFolder?: string;
  /** Default: SQLite of the runtime, else the WebAssembly build. `undefined`: there is none. */
  readonly driver?: () => Promise<SqliteDriver | undefined>;
  /** Larger databases are not copied, in bytes. */
  readonly maxCopyBytes?: number;
}

/** State of the database's files. It must be the same before and after a read or copy. */
interface Version {
  readonly database: string;
  readonly bytes: number;
  /** Generation of the write-ahead log; `undefined` if it is missing or empty. */
  readonly wal: string | undefined;
  /** Size and time of the log. */
  readonly walEnd: string;
  /** State of the rollback journal; `undefined` if there is none. */
  readonly journal: string | undefined;
}

interface Copy {
  readonly version: Version;
  readonly isTorn: boolean;
}

const attempts = 4;
const defaultMaxCopyBytes = 2 * 1024 ** 3;
const signature = Buffer.from('SQLite format 3\0');

/** How long an unused copy is kept, in ms. */
const keepCopyMs = 30_000;

/**
 * Reads another program's database without locks or side files: in place if it has no write-ahead log, else from a
 * private copy that includes the log. The copy is kept for half a minute or until `dispose`.
 */
export class DatabaseFile {
  readonly #path: string;
  readonly #options: DatabaseFileOptions;
  #folder: string | undefined;
  #copy: Copy | undefined;
  #expiryTimer: NodeJS.Timeout | undefined;
  /** Serializes reads, which share the copy. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(databasePath: string, options: DatabaseFileOptions = {}) {
    this.#path = databasePath;
    this.#options = options;
  }

  /** Does not throw for problems of the files. Calls `use` again if the database changed meanwhile. */
  async read<T>(use: (database: DatabaseQueries) => T): Promise<DatabaseRead<T>> {
    const reading = this.#turn.then(() => this.#read(use));
    this.#turn = reading;
    return reading;
  }

  async #read<T>(use: (database: DatabaseQueries) => T): Promise<DatabaseRead<T>> {
    clearTimeout(this.#expiryTimer);
    const driver = await (this.#options.driver ?? readingDriver)();
    if (driver === undefined) return { kind: 'unreadable', reason: 'This runtime has no SQLite (node:sqlite).' };
    try {
      for (let attempt = 1; attempt <= attempts; attempt += 1) {
        const before = await this.#readVersion();
        if (typeof before === 'string') return { kind: 'unreadable', reason: before };
        const isQuiet = before.wal === undefined && before.journal === undefined;
        const inPlace = driver.readsInPlace && isQuiet && attempt < attempts;
        if (!inPlace && !(await this.#refreshCopy(before))) continue;
        const read = inPlace
          ? query(() => driver.open(this.#path, 'immutable'), use)
          : query(() => driver.open(this.#copyPath, before.journal === undefined ? 'immutable' : 'private'), use);
        if (inPlace && !isSame(before, await this.#readVersion())) continue;
        if (read.kind === 'unreadable' || inPlace || this.#copy?.isTorn !== true) return read;
        const problem = 'The write-ahead log of the database is damaged or incomplete at its end.';
        return { ...read, problems: [...read.problems, problem] };
      }
      return { kind: 'unreadable', reason: 'The database changed during each read.' };
    } catch (error) {
      return { kind: 'unreadable', reason: reasonOf(error) };
    } finally {
      if (this.#folder !== undefined) this.#expireLater();
    }
  }

  #expireLater(): void {
    this.#expiryTimer = setTimeout(() => void this.dispose(), keepCopyMs);
    this.#expiryTimer.unref();
  }

  /** Removes the private copy. */
  async dispose(): Promise<void> {
    clearTimeout(this.#expiryTimer);
    await this.#turn;
    const folder = this.#folder;
    this.#folder = undefined;
    this.#copy = undefined;
    if (folder === undefined) return;
    copies.delete(folder);
    await rm(folder, { recursive: true, force: true });
  }

  get #copyPath(): string {
    return path.join(this.#folder ?? '', 'copy.db');
  }

  /** A string is the reason why the file cannot be read. */
  async #readVersion(): Promise<Version | string> {
    const file = await stat(this.#path, { bigint: true });
    if (!file.isFile()) return 'This is not a file.';
    if (!(await isDatabase(this.#path))) return 'This file is not an SQLite database.';
    const log = await statOf(`${this.#path}-wal`);
    const journal = await statOf(`${this.#path}-journal`);
    return {
      database: `${file.dev}:${file.ino}:${file.size}:${file.mtimeNs}`,
      bytes: Number(file.size + (log?.size ?? 0n) + (journal?.size ?? 0n)),
      wal: log === undefined ? undefined : ((await walGeneration(`${this.#path}-wal`)) ?? 'damaged'),
      walEnd: log === undefined ? '' : `${log.size}:${log.mtimeNs}`,
      journal: journal === undefined ? undefined : `${journal.size}:${journal.mtimeNs}`,
    };
  }

  /** Returns `false` if the database changed during the copy. */
  async #refreshCopy(version: Version): Promise<boolean> {
    const known = this.#copy?.version;
    if (known !== undefined && isSame(known, version) && known.walEnd === version.walEnd) return true;
    const max = this.#options.maxCopyBytes ?? defaultMaxCopyBytes;
    if (version.bytes > max) {
      throw new Error(`The database is in use and too large to copy: ${version.bytes} bytes, at most ${max}.`);
    }
    this.#folder ??= await copyFolder(this.#options.temporaryFolder ?? tmpdir());
    this.#copy = undefined;
    const { wal, journal } = version;
    // Within a generation, the log only grows, so only its new pages are copied.
    const onlyGrown = known !== undefined && wal !== undefined && isSame(known, version);
    if (!onlyGrown) await copy(this.#path, this.#copyPath);
    if (journal === undefined) await rm(`${this.#copyPath}-journal`, { force: true });
    else await copy(`${this.#path}-journal`, `${this.#copyPath}-journal`);
    const isTorn = wal !== undefined && (await foldWal(`${this.#path}-wal`, this.#copyPath)).isTorn;
    if (!isSame(version, await this.#readVersion())) return false;
    this.#copy = { version, isTorn };
    return true;
  }
}

/** Copies that this process must delete before it exits. */
const copies = new Set<string>();
let isWatchingExit = false;

async function copyFolder(temporaryFolder: string): Promise<string> {
  const folder = await mkdtemp(path.join(temporaryFolder, 'vitrine-sqlite-'));
  if (!isWatchingExit) process.once('exit', removeCopies);
  isWatchingExit = true;
  copies.add(folder);
  return folder;
}

function removeCopies(): void {
  for (const folder of copies) rmSync(folder, { recursive: true, force: true });
}

function isSame(a: Version, b: Version | string): boolean {
  return typeof b !== 'string' && a.database === b.database && a.wal === b.wal && a.journal === b.journal;
}

/** Shares blocks if the file system supports it. */
async function copy(from: string, to: string): Promise<void> {
  await copyFile(from, to, constants.COPYFILE_FICLONE);
}

async function isDatabase(file: string): Promise<boolean> {
  const handle = await open(file, 'r');
  try {
    const start = Buffer.alloc(signature.length);
    const { bytesRead } = await handle.read(start, 0, start.length, 0);
    return bytesRead === 0 || start.equals(signature);
  } finally {
    await handle.close();
  }
}

/** `undefined` if the file is missing or empty. */
async function statOf(file: string): Promise<{ readonly size: bigint; readonly mtimeNs: bigint } | undefined> {
  try {
    const { size, mtimeNs } = await stat(file, { bigint: true });
    return size === 0n ? undefined : { size, mtimeNs };
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

function query<T>(open: () => OpenDatabase, use: (database: DatabaseQueries) => T): DatabaseRead<T> {
  const problems = new Set<string>();
  let database: OpenDatabase;
  try {
    database = open();
  } catch (error) {
    return { kind: 'unreadable', reason: reasonOf(error) };
  }
  try {
    const value = use({
      rows: (sql, ...parameters) => {
        const rows: SqliteRow[] = [];
        try {
          for (const row of database.rows(sql, parameters)) rows.push(row);
        } catch (error) {
          problems.add(reasonOf(error));
        }
        return rows;
      },
    });
    return { kind: 'read', value, problems: [...problems] };
  } finally {
    database.close();
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
