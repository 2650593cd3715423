import type { Log } from '../../../src/engine/api.ts';
import type { Catalogue } from '../../../src/engine/catalogue/catalogue.ts';
import type { RecordStore } from '../../../src/engine/record/recordStore.ts';
import { SessionSearch } from '../../../src/engine/search/sessionSearch.ts';
import type { SessionSources } from '../../../src/engine/sources/sources.ts';
import { loadPrices } from '../../../src/insight/prices/prices.ts';

/** Search over a store, with a separate catalogue, as in another process. */
export function searchOf(
  store: RecordStore,
  log: Log,
  { sources, catalogue }: { sources?: SessionSources; catalogue: Catalogue },
): SessionSearch {
  return new SessionSearch(catalogue, { store, log, sources, prices: () => loadPrices() });
}
