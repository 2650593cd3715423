import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { StorePart } from '../../../agents/stores/storeFormat.ts';
import type { StoreFacts } from '../../../model/session/observed.ts';
import { isObject } from '../../../model/text/json.ts';

/** Facts about one session, without its entries. */
export interface SessionFacts {
  readonly facts: StoreFacts;
  /** Why it cannot be read completely. */
  readonly problem: string | null;
}

/** The facts that are needed of all sessions all the time. */
export type BriefFacts = Pick<StoreFacts, 'nativeIds' | 'agentVersion' | 'entryPoint' | 'last' | 'lastActivityAt'>;

/** What stays in memory of a session. */
export interface BriefSession {
  /** State of the files that it was read from. */
  readonly stamp: string;
  readonly brief: BriefFacts;
  /** For `SharedKeys`. */
  readonly keys: Float64Array;
  /** Why it cannot be read completely. */
  readonly problem: string | null;
}

export interface CachedFacts extends BriefSession {
  readonly packed: Uint8Array;
}

/** Role of a file, with the state of its beginning. */
export interface CachedPart {
  readonly key: string;
  readonly part: StorePart;
}

/** Keeps facts between processes. Never rejects. */
export interface FactsCache {
  /** `undefined` if there are no facts for that state of the files. */
  brief(id: string, stamp: string): Promise<BriefSession | undefined>;
  /** All facts, packed; `undefined` if there are none for that state of the files. */
  packed(id: string, stamp: string): Promise<Uint8Array | undefined>;
  /** `false` if they could not be stored. */
  save(changed: ReadonlyMap<string, CachedFacts>): Promise<boolean>;
  /** Removes the facts of other sessions. */
  keepOnly(isPresent: (id: string) => boolean): Promise<void>;
  /** By path. */
  parts(): Promise<ReadonlyMap<string, CachedPart>>;
  /** Adds parts, and removes those of deleted files. */
  saveParts(changed: ReadonlyMap<string, CachedPart>, isPresent: (path: string) => boolean): Promise<void>;
}

/** Takes a fifteenth of the memory. */
export function packFacts(facts: StoreFacts): Uint8Array {
  // A copy, because the result is a small part of a large buffer.
  return Uint8Array.from(deflateRawSync(JSON.stringify(facts), { level: 1 }));
}

/** `undefined` if damaged. */
export function unpackFacts(packed: Uint8Array): StoreFacts | undefined {
  try {
    const facts: unknown = JSON.parse(inflateRawSync(packed).toString('utf8'));
    return isFacts(facts) ? facts : undefined;
  } catch {
    return undefined;
  }
}

/** They were packed by the same version of the catalogue, so checking the identifying fields is enough. */
function isFacts(value: unknown): value is StoreFacts {
  return (
    isObject(value) && Array.isArray(value['nativeIds']) && Array.isArray(value['requests']) && isObject(value['last'])
  );
}
