import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { isObject } from '../../model/text/json.ts';
import type { StoreFacts } from '../../model/session/observed.ts';
import type { Log } from '../api.ts';
import type { CachedFacts, FactsCache } from '../sources/reading/factsCache.ts';
import type { KnownFacts } from '../sources/reading/factsCache.ts';
import type { Catalogue } from './catalogue.ts';

/** Facts of other programs' sessions, cached in the catalogue. If that fails, they are read from the stores. */
export class StoredFacts implements FactsCache {
  readonly #catalogue: Catalogue;
  readonly #log: Pick<Log, 'warn'>;

  constructor(catalogue: Catalogue, log: Pick<Log, 'warn'>) {
    this.#catalogue = catalogue;
    this.#log = log;
  }

  async get(id: string, stamp: string): Promise<KnownFacts | undefined> {
    try {
      return await this.#catalogue.use((database) => {
        const row = database.get('SELECT facts, problem FROM facts WHERE id = ? AND stamp = ?', id, stamp);
        const packed = row?.['facts'];
        if (row === undefined || !(packed instanceof Uint8Array)) return undefined;
        const facts: unknown = JSON.parse(inflateRawSync(packed).toString('utf8'));
        const problem = typeof row['problem'] === 'string' ? row['problem'] : null;
        return isFacts(facts) ? { facts, problem } : undefined;
      });
    } catch {
      return undefined;
    }
  }

  async save(changed: ReadonlyMap<string, CachedFacts>, isPresent: (id: string) => boolean): Promise<void> {
    try {
      await this.#catalogue.use((database) => {
        const ids = database.all('SELECT id FROM facts').map(({ id }) => String(id));
        const gone = ids.filter((id) => !isPresent(id));
        if (changed.size === 0 && gone.length === 0) return;
        database.transaction(() => {
          for (const [id, { stamp, facts, problem }] of changed) {
            const packed = deflateRawSync(JSON.stringify(facts), { level: 1 });
            database.run('INSERT OR REPLACE INTO facts VALUES (?, ?, ?, ?)', id, stamp, packed, problem);
          }
          for (const id of gone) database.run('DELETE FROM facts WHERE id = ?', id);
        });
      });
    } catch (error) {
      this.#log.warn(`The catalogue cannot be written: ${String(error)}`);
    }
  }
}

/** Rows have this schema version, so checking the identifying fields is enough. */
function isFacts(value: unknown): value is StoreFacts {
  return (
    isObject(value) && Array.isArray(value['nativeIds']) && Array.isArray(value['requests']) && isObject(value['last'])
  );
}
