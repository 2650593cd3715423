import type { KnownFacts } from './factsMemory.ts';

/** Facts with the state of the files that they were read from. */
export interface CachedFacts extends KnownFacts {
  readonly stamp: string;
}

/** Keeps facts between processes. Neither call rejects. */
export interface FactsCache {
  /** `undefined` where nothing is known of that state. */
  get(id: string, stamp: string): Promise<KnownFacts | undefined>;
  /** Keeps what was read since, and forgets sessions that are not there any more. */
  save(changed: ReadonlyMap<string, CachedFacts>, isPresent: (id: string) => boolean): Promise<void>;
}
