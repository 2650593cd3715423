import type { StoreFacts } from '../../../model/session/observed.ts';

/** What is known of one session without its entries. */
export interface KnownFacts {
  readonly facts: StoreFacts;
  /** Why it cannot be read, or not all of it. */
  readonly problem: string | null;
}

/** Facts with the state of the files that they were read from. */
export interface CachedFacts extends KnownFacts {
  readonly stamp: string;
}

/** Keeps facts between processes. Neither call rejects. */
export interface FactsCache {
  /** `undefined` where nothing is known of that state. */
  get(id: string, stamp: string): Promise<KnownFacts | undefined>;
  /** Keeps what was read since, and forgets sessions that are no longer there. */
  save(changed: ReadonlyMap<string, CachedFacts>, isPresent: (id: string) => boolean): Promise<void>;
}
