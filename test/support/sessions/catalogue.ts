import { Catalogue } from '../../../src/engine/catalogue/catalogue.ts';
import { temporaryStore } from './records.ts';

type CatalogueOfStore = Awaited<ReturnType<typeof temporaryStore>> & { readonly catalogue: Catalogue };

/** For each test of the suite, an empty store and its catalogue. The fields are set before each test. */
export function useCatalogue(): CatalogueOfStore {
  const fixture = {} as { -readonly [Key in keyof CatalogueOfStore]: CatalogueOfStore[Key] };
  beforeEach(async () => {
    const store = await temporaryStore();
    Object.assign(fixture, store, { catalogue: new Catalogue(store.dir) });
  });
  afterEach(async () => {
    fixture.catalogue.close();
    await fixture.remove();
  });
  return fixture;
}
