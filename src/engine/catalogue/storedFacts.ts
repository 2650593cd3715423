import type { StorePart } from '../../agents/stores/storeFormat.ts';
import { isObject } from '../../model/text/json.ts';
import type { Log } from '../api.ts';
import type { BriefFacts, BriefSession, CachedFacts, CachedPart, FactsCache } from '../sources/reading/factsCache.ts';
import type { Catalogue } from './catalogue.ts';
import type { DatabaseRow } from './database.ts';

/** Facts of other programs' sessions, cached in the catalogue. If that fails, they are read from the stores. */
export class StoredFacts implements FactsCache {
  readonly #catalogue: Catalogue;
  readonly #log: Pick<Log, 'warn'>;

  constructor(catalogue: Catalogue, log: Pick<Log, 'warn'>) {
    this.#catalogue = catalogue;
    this.#log = log;
  }

  async brief(id: string, stamp: string): Promise<BriefSession | undefined> {
    return this.#get('SELECT brief, keys, problem FROM facts WHERE id = ? AND stamp = ?', id, stamp, (row) => {
      const brief: unknown = JSON.parse(String(row['brief']));
      const keys = keysIn(row['keys']);
      if (!isBrief(brief) || keys === undefined) return undefined;
      return { stamp, brief, keys, problem: typeof row['problem'] === 'string' ? row['problem'] : null };
    });
  }

  async packed(id: string, stamp: string): Promise<Uint8Array | undefined> {
    const packed = 'SELECT packed FROM facts JOIN packed_facts USING (id) WHERE id = ? AND stamp = ?';
    return this.#get(packed, id, stamp, (row) => (row['packed'] instanceof Uint8Array ? row['packed'] : undefined));
  }

  save(changed: ReadonlyMap<string, CachedFacts>): Promise<boolean> {
    return this.#write(() =>
      this.#catalogue.use((database) =>
        database.transaction(() => {
          for (const [id, { stamp, brief, keys, problem, packed }] of changed) {
            const bytes = new Uint8Array(keys.buffer, keys.byteOffset, keys.byteLength);
            const values = [id, stamp, JSON.stringify(brief), bytes, problem] as const;
            database.run('INSERT OR REPLACE INTO facts VALUES (?, ?, ?, ?, ?)', ...values);
            database.run('INSERT OR REPLACE INTO packed_facts VALUES (?, ?)', id, packed);
          }
        }),
      ),
    );
  }

  /** `undefined` also if the catalogue cannot be read. */
  async #get<T>(
    sql: string,
    id: string,
    stamp: string,
    parse: (row: DatabaseRow) => T | undefined,
  ): Promise<T | undefined> {
    try {
      return await this.#catalogue.use((database) => {
        const row = database.get(sql, id, stamp);
        return row === undefined ? undefined : parse(row);
      });
    } catch {
      return undefined;
    }
  }

  async keepOnly(isPresent: (id: string) => boolean): Promise<void> {
    for (const table of ['facts', 'packed_facts'] as const) {
      await this.#write(() => this.#keepOnly(table, 'id', isPresent));
    }
  }

  async parts(): Promise<ReadonlyMap<string, CachedPart>> {
    try {
      return await this.#catalogue.use((database) => {
        const rows = database.all('SELECT path, key, part FROM parts');
        return new Map(
          rows.flatMap(({ path, key, part }) => {
            const parsed: unknown = JSON.parse(String(part));
            return isPart(parsed) ? [[String(path), { key: String(key), part: parsed }] as const] : [];
          }),
        );
      });
    } catch {
      return new Map();
    }
  }

  async saveParts(changed: ReadonlyMap<string, CachedPart>, isPresent: (path: string) => boolean): Promise<void> {
    await this.#write(() =>
      this.#catalogue.use((database) => {
        if (changed.size === 0) return;
        database.transaction(() => {
          for (const [path, { key, part }] of changed)
            database.run('INSERT OR REPLACE INTO parts VALUES (?, ?, ?)', path, key, JSON.stringify(part));
        });
      }),
    );
    await this.#write(() => this.#keepOnly('parts', 'path', isPresent));
  }

  async #keepOnly(
    table: 'facts' | 'packed_facts' | 'parts',
    column: 'id' | 'path',
    isPresent: (key: string) => boolean,
  ): Promise<void> {
    await this.#catalogue.use((database) => {
      const keys = database.all(`SELECT ${column} AS key FROM ${table}`).map(({ key }) => String(key));
      const missing = keys.filter((key) => !isPresent(key));
      if (missing.length === 0) return;
      database.transaction(() => {
        for (const key of missing) database.run(`DELETE FROM ${table} WHERE ${column} = ?`, key);
      });
    });
  }

  async #write(work: () => Promise<unknown>): Promise<boolean> {
    try {
      await work();
      return true;
    } catch (error) {
      this.#log.warn(`The catalogue cannot be written: ${String(error)}`);
      return false;
    }
  }
}

function isPart(value: unknown): value is StorePart {
  return isObject(value) && typeof value['role'] === 'string';
}

/** The same version of the catalogue wrote them, so checking the identifying fields is enough. */
function isBrief(value: unknown): value is BriefFacts {
  return isObject(value) && Array.isArray(value['nativeIds']) && isObject(value['last']);
}

function keysIn(stored: unknown): Float64Array | undefined {
  if (!(stored instanceof Uint8Array) || stored.byteLength % Float64Array.BYTES_PER_ELEMENT !== 0) return undefined;
  // A copy, because numbers must be aligned.
  return new Float64Array(Uint8Array.from(stored).buffer);
}
