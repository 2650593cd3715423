import { closeSync, existsSync, openSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { type Database, databaseDriver, type DatabaseDriver } from './database.ts';
import { createSchema, schemaVersion, versionOf } from './schema.ts';

/** Made by earlier versions; nothing reads it any more. */
const formerIndex = 'search';
/** `SQLITE_IOERR_SHORT_READ`: the file ends in the middle of a page. */
const shortRead = 522;
const besides = ['', '-wal', '-shm', '-journal'];

/** Of a catalogue in memory: 64 MB of pages of 4 KB. */
const maxMemoryPages = 16 * 1024;

interface Opened {
  readonly database: Database;
  /** Tells this file from another one that has come in its place; `null` for a database in memory. */
  readonly inode: number | null;
}

/**
 * `catalogue.db` of a store: what can be found and summed up, derived from records and sources. It is made where it is
 * missing, and made again where it is damaged or of another version. Several processes may have it open. Where there is no
 * store, or nothing can be written to it, the catalogue is in memory and holds what fits.
 */
export class Catalogue {
  readonly #folder: string;
  readonly #loadDriver: () => Promise<DatabaseDriver>;
  #driver: DatabaseDriver | undefined;
  #opened: Opened | undefined;
  #closed = false;

  constructor(folder: string, loadDriver: () => Promise<DatabaseDriver> = databaseDriver) {
    this.#folder = folder;
    this.#loadDriver = loadDriver;
  }

  /**
   * Works with the database, and once more with a new one where it turned out to be damaged.
   * @throws as SQLite does, where it can be neither read nor made
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

  /** Throws away what is there; it is made again when it is next used. */
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
    // Someone may have deleted the file, or another process made it again.
    const inode = this.#opened?.inode ?? null;
    if (inode !== null && inode !== this.#inode()) this.#closeDatabase();
    this.#opened ??= existsSync(this.#folder) ? this.#openStored(this.#driver) : openInMemory(this.#driver);
    return this.#opened.database;
  }

  #openStored(driver: DatabaseDriver): Opened {
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

  #openFile(driver: DatabaseDriver): Opened {
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
        rmSync(path.join(this.#folder, formerIndex), { recursive: true, force: true });
      }
    } catch (error) {
      database.close();
      throw error;
    }
    return { database, inode: this.#inode() };
  }

  /** It holds what people and agents said. SQLite gives the files beside it the same permissions. */
  #makeFile(): void {
    try {
      closeSync(openSync(this.#file, 'a', 0o600));
    } catch {
      // SQLite says why.
    }
  }

  #discard(): void {
    const inode = this.#opened?.inode;
    this.#closeDatabase();
    // Another process may have made a new one already.
    if (inode !== null && (inode === undefined || inode === this.#inode())) this.#removeFiles();
  }

  #closeDatabase(): void {
    try {
      this.#opened?.database.close();
    } catch {
      // It is closed, or too damaged to be.
    }
    this.#opened = undefined;
  }

  #removeFiles(): void {
    for (const ending of besides) rmSync(`${this.#file}${ending}`, { force: true });
  }

  #inode(): number {
    return statSync(this.#file, { throwIfNoEntry: false })?.ino ?? 0;
  }

  get #file(): string {
    return path.join(this.#folder, `catalogue${this.#driver?.suffix ?? ''}.db`);
  }
}

function openInMemory(driver: DatabaseDriver): Opened {
  const database = driver.open(':memory:');
  database.exec(`PRAGMA max_page_count=${maxMemoryPages}`);
  createSchema(database);
  return { database, inode: null };
}

function createIfMissing(database: Database): void {
  try {
    createSchema(database);
  } catch (error) {
    // Another process was faster.
    if (versionOf(database) !== schemaVersion) throw error;
  }
}

/** As SQLite words `SQLITE_CORRUPT`, `SQLITE_NOTADB`, and a table that a torn file does not have. */
function isDamaged(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = 'errcode' in error && typeof error.errcode === 'number' ? error.errcode & 0xff : undefined;
  if (code === 11 || code === 26 || ('errcode' in error && error.errcode === shortRead)) return true;
  return /malformed|not a database|not open|no such table|disk image|file is encrypted/.test(error.message);
}

/** The database cannot be written: no room, no permission, or another process keeps it. */
export function isUnwritable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = 'errcode' in error && typeof error.errcode === 'number' ? error.errcode & 0xff : undefined;
  // BUSY, READONLY, IOERR, FULL, CANTOPEN
  if (code !== undefined) return [5, 8, 10, 13, 14].includes(code);
  return /locked|readonly|disk I\/O|is full|unable to open/.test(error.message);
}
