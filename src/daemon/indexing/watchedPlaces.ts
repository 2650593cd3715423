import { storeFormats } from '../../agents/stores/formats.ts';
import type { Disposable, Log } from '../../engine/api.ts';
import type { IndexedSources } from '../../engine/catalogue/refresh.ts';
import { ObservedSessions } from '../../engine/sources/following/observedSessions.ts';
import { systemProcesses } from '../../engine/sources/live/processes.ts';
import type { FactsCache } from '../../engine/sources/reading/factsCache.ts';
import { SessionSources, type ObservedTranscript, type SourcesChange } from '../../engine/sources/sources.ts';
import type { ObservedSummary } from '../../insight/observed/summary.ts';
import type { PriceTable } from '../../insight/prices/prices.ts';
import type { RunSpending } from '../../insight/usage/spending.ts';
import { packSession } from './copies.ts';
import type { Place, SentSession } from './messages.ts';

/** Places with stores of their own: people have one, tests have more. */
const maxPlaces = 8;

interface WatchedPlacesDeps {
  readonly cache: FactsCache;
  readonly prices: () => Promise<PriceTable>;
  readonly log: Log;
  readonly onChange: (key: string, change: SourcesChange) => void;
  readonly onPaths: (key: string, paths: ReadonlySet<string>) => void;
}

interface WatchedPlace {
  readonly sources: SessionSources;
  readonly sessions: ObservedSessions;
  registrations: readonly Disposable[];
}

/** The stores of all places that clients named: watched for the daemon, and together the sources of the catalogue. */
export class WatchedPlaces implements IndexedSources {
  readonly #deps: WatchedPlacesDeps;
  readonly #places = new Map<string, WatchedPlace>();

  constructor(deps: WatchedPlacesDeps) {
    this.#deps = deps;
  }

  sessionsAt(place: Place): ObservedSessions {
    return this.#placeOf(place).sessions;
  }

  /**
   * Lists sessions and reports changes until `unwatch`. The list may be partial: the newest ones. The others are reported
   * as changes, and so are sessions of `known` (ids) that no longer exist.
   */
  async watch(place: Place, known: readonly string[] = []): Promise<readonly ObservedSummary[]> {
    const watched = this.#placeOf(place);
    const { sessions } = watched;
    if (watched.registrations.length === 0) {
      watched.registrations = [
        sessions.onPaths((paths) => this.#deps.onPaths(place.key, paths)),
        sessions.subscribe((change) => this.#deps.onChange(place.key, change)),
      ];
    }
    const newest = await sessions.listPartly();
    this.#reportMissing(place, sessions, known).catch((error: unknown) =>
      this.#deps.log.error(`Stores of agents cannot be read: ${String(error)}`),
    );
    return newest;
  }

  async #reportMissing({ key }: Place, sessions: ObservedSessions, known: readonly string[]): Promise<void> {
    if (known.length === 0) return;
    const found = new Set((await sessions.list()).map(({ session_id: id }) => id));
    const removed = known.filter((id) => !found.has(id));
    if (removed.length > 0) this.#deps.onChange(key, { changed: [], removed });
  }

  unwatch({ key }: Place): void {
    const watched = this.#places.get(key);
    if (watched === undefined) return;
    for (const registration of watched.registrations) registration.dispose();
    watched.registrations = [];
  }

  async find(place: Place, id: string): Promise<SentSession | null> {
    const found = await this.sessionsAt(place).find(id);
    return found === undefined ? null : packSession(found);
  }

  async list(): Promise<ObservedSummary[]> {
    const rows = new Map<string, ObservedSummary>();
    for (const { sessions } of this.#places.values()) {
      for (const row of await sessions.list()) rows.set(row.session_id, row);
    }
    return [...rows.values()];
  }

  /** Settles when the looks at the stores that have begun are done; `undefined`: there is none. */
  pendingScans(): Promise<unknown> | undefined {
    for (const { sessions } of this.#places.values()) {
      const busy = sessions.pendingScans();
      if (busy !== undefined) return busy;
    }
    return undefined;
  }

  spentOf(row: ObservedSummary): readonly RunSpending[] | undefined {
    for (const { sources } of this.#places.values()) {
      const spent = sources.spentOf(row);
      if (spent !== undefined) return spent;
    }
    return undefined;
  }

  stampOf(id: string): string | undefined {
    for (const { sources } of this.#places.values()) {
      const stamp = sources.stampOf(id);
      if (stamp !== undefined) return stamp;
    }
    return undefined;
  }

  async read(id: string): Promise<ObservedTranscript | null> {
    for (const { sources } of this.#places.values()) {
      if (sources.stampOf(id) !== undefined) return sources.read(id);
    }
    return null;
  }

  #placeOf({ key, home, variables }: Place): WatchedPlace {
    const known = this.#places.get(key);
    if (known !== undefined) return known;
    const [oldest] = this.#places.keys();
    if (this.#places.size >= maxPlaces && oldest !== undefined) {
      this.#places.get(oldest)?.sessions.dispose();
      this.#places.delete(oldest);
    }
    const { prices, log, cache } = this.#deps;
    const clock = Date.now;
    const place = { env: variables, home, platform: process.platform };
    const sources = new SessionSources({ formats: storeFormats, place, processes: systemProcesses, clock, cache });
    const watched = { sources, sessions: new ObservedSessions({ sources, prices, clock, log }), registrations: [] };
    this.#places.set(key, watched);
    return watched;
  }
}
