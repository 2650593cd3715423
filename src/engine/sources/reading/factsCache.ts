import type { StoreFacts } from '../../../model/session/observed.ts';

/** Facts about one session, without its entries. */
export interface KnownFacts {
  readonly facts: StoreFacts;
  /** Why it cannot be read completely. */
  readonly problem: string | null;
}

/** Facts with the state of the files that they were read from. */
export interface CachedFacts extends KnownFacts {
  readonly stamp: string;
}

/** Keeps facts between processes. Never rejects. */
export interface FactsCache {
  /** `undefined` if there are no facts for that state of the files. */
  get(id: string, stamp: string): Promise<KnownFacts | undefined>;
  /** Stores changed facts, and removes those of deleted sessions. */
  save(changed: ReadonlyMap<string, CachedFacts>, isPresent: (id: string) => boolean): Promise<void>;
}
