import type { StorePart } from '../../agents/stores/storeFormat.ts';
import { isObject } from '../../model/text/json.ts';
import type { Log } from '../api.ts';
import type { CachedFacts, CachedPart, FactsCache } from '../sources/reading/factsCache.ts';
import type { Catalogue } from './catalogue.ts';

/** Facts of other programs' sessions, cached in the catalogue. If that fails, they are read from the stores. */
export class StoredFacts implements FactsCache {
  readonly #catalogue: Catalogue;
  readonly #log: Pick<Log, 'warn'>;

  constructor(catalogue: Catalogue, log: Pick<Log, 'warn'>) {
    this.#catalogue = catalogue;
    this.#log = log;
  }

  async get(id: string, stamp: string): Promise<Omit<CachedFacts, 'stamp'> | undefined> {
    try {
      return await this.#catalogue.use((database) => {
        const row = database.get('SELECT facts, problem FROM facts WHERE id = ? AND stamp = ?', id, stamp);
        const packed = row?.['facts'];
        if (row === undefined || !(packed instanceof Uint8Array)) return undefined;
        return { packed, problem: typeof row['problem'] === 'string' ? row['problem'] : null };
      });
    } catch {
      return undefined;
    }
  }

  save(changed: ReadonlyMap<string, CachedFacts>): Promise<boolean> {
    return this.#write(() =>
      this.#catalogue.use((database) =>
        database.transaction(() => {
          for (const [id, { stamp, packed, problem }] of changed)
            database.run('INSERT OR REPLACE INTO facts VALUES (?, ?, ?, ?)', id, stamp, packed, problem);
        }),
      ),
    );
  }

  async keepOnly(isPresent: (id: string) => boolean): Promise<void> {
    await this.#write(() => this.#keepOnly('facts', 'id', isPresent));
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

  async #keepOnly(table: 'facts' | 'parts', column: 'id' | 'path', isPresent: (key: string) => boolean): Promise<void> {
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
