import { closeSync, existsSync, openSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { type Database, databaseDriver, type DatabaseDriver } from './database.ts';
import { createSchema, schemaVersion, versionOf } from './schema.ts';

/** Created by earlier versions, no longer used. */
const oldIndexFolder = 'search';
/** `SQLITE_IOERR_SHORT_READ`: the file ends in the middle of a page. */
const shortRead = 522;
const fileSuffixes = ['', '-wal', '-shm', '-journal'];

/** Size of a catalogue in memory: 64 MB of 4 KB pages. */
const maxMemoryPages = 16 * 1024;

interface OpenCatalogue {
  readonly database: Database;
  /** Detects a replaced file; `null` for a database in memory. */
  readonly inode: number | null;
}

/**
 * `catalogue.db` of a store: the search index and usage data, derived from records and sources. It is created if
 * missing, and created again if damaged or of another version. Several processes may have it open. Without a writable
 * store, the catalogue is in memory and holds as much as fits.
 */
export class Catalogue {
  readonly #folder: string;
  readonly #loadDriver: () => Promise<DatabaseDriver>;
  #driver: DatabaseDriver | undefined;
  #opened: OpenCatalogue | undefined;
  #closed = false;

  constructor(folder: string, loadDriver: () => Promise<DatabaseDriver> = databaseDriver) {
    this.#folder = folder;
    this.#loadDriver = loadDriver;
  }

  /**
   * Runs `work` with the database, and again with a new database if it turned out to be damaged.
   * @throws SQLite errors if the database can be neither read nor created
   */
  async use<T>(work: (database: Database) => T | Promise<T>): Promise<T> {
    const database = await this.#open();
    try {
      return await work(database);
    } catch (error) {
      if (!isDamaged(error)) throw error;
      this.#discard();
      return await work(await this.#open());
    }
  }

  /** Deletes the catalogue; the next use creates it again. */
  async reset(): Promise<void> {
    await this.#open().catch(() => undefined);
    this.#discard();
  }

  close(): void {
    this.#closed = true;
    this.#closeDatabase();
  }

  async #open(): Promise<Database> {
    if (this.#closed) throw new Error('The catalogue is closed.');
    this.#driver ??= await this.#loadDriver();
    // Another process may have deleted or replaced the file.
    const inode = this.#opened?.inode ?? null;
    if (inode !== null && inode !== this.#inode()) this.#closeDatabase();
    this.#opened ??= existsSync(this.#folder) ? this.#openStored(this.#driver) : openInMemory(this.#driver);
    return this.#opened.database;
  }

  #openStored(driver: DatabaseDriver): OpenCatalogue {
    try {
      return this.#openFile(driver);
    } catch (error) {
      if (isDamaged(error)) {
        this.#removeFiles();
        return this.#openFile(driver);
      }
      if (isUnwritable(error)) return openInMemory(driver);
      throw error;
    }
  }

  #openFile(driver: DatabaseDriver): OpenCatalogue {
    this.#makeFile();
    let database = driver.open(this.#file);
    try {
      const version = versionOf(database);
      if (version !== 0 && version !== schemaVersion) {
        database.close();
        this.#removeFiles();
        this.#makeFile();
        database = driver.open(this.#file);
      }
      if (versionOf(database) === 0) {
        createIfMissing(database);
        rmSync(path.join(this.#folder, oldIndexFolder), { recursive: true, force: true });
      }
    } catch (error) {
      database.close();
      throw error;
    }
    return { database, inode: this.#inode() };
  }

  /** The database contains what users and agents wrote. SQLite gives its side files the same permissions. */
  #makeFile(): void {
    try {
      closeSync(openSync(this.#file, 'a', 0o600));
    } catch {
      // SQLite reports the reason when it opens the file.
    }
  }

  #discard(): void {
    const inode = this.#opened?.inode;
    this.#closeDatabase();
    // Another process may have replaced it already.
    if (inode !== null && (inode === undefined || inode === this.#inode())) this.#removeFiles();
  }

  #closeDatabase(): void {
    try {
      this.#opened?.database.close();
    } catch {
      // Already closed, or too damaged to close.
    }
    this.#opened = undefined;
  }

  #removeFiles(): void {
    for (const ending of fileSuffixes) rmSync(`${this.#file}${ending}`, { force: true });
  }

  #inode(): number {
    return statSync(this.#file, { throwIfNoEntry: false })?.ino ?? 0;
  }

  get #file(): string {
    return path.join(this.#folder, `catalogue${this.#driver?.suffix ?? ''}.db`);
  }
}

function openInMemory(driver: DatabaseDriver): OpenCatalogue {
  const database = driver.open(':memory:');
  database.exec(`PRAGMA max_page_count=${maxMemoryPages}`);
  createSchema(database);
  return { database, inode: null };
}

function createIfMissing(database: Database): void {
  try {
    createSchema(database);
  } catch (error) {
    // Another process created it first.
    if (versionOf(database) !== schemaVersion) throw error;
  }
}

/** Messages of SQLite for `SQLITE_CORRUPT`, `SQLITE_NOTADB`, and a missing table in a truncated file. */
function isDamaged(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = 'errcode' in error && typeof error.errcode === 'number' ? error.errcode & 0xff : undefined;
  if (code === 11 || code === 26 || ('errcode' in error && error.errcode === shortRead)) return true;
  return /malformed|not a database|not open|no such table|disk image|file is encrypted/.test(error.message);
}

/** The database cannot be written: disk full, no permission, or locked by another process. */
export function isUnwritable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = 'errcode' in error && typeof error.errcode === 'number' ? error.errcode & 0xff : undefined;
  // BUSY, READONLY, IOERR, FULL, CANTOPEN
  if (code !== undefined) return [5, 8, 10, 13, 14].includes(code);
  return /locked|readonly|disk I\/O|is full|unable to open/.test(error.message);
}
