import { storeFormats } from '../../agents/stores/formats.ts';
import type { Disposable, Log } from '../../engine/api.ts';
import type { IndexedSources } from '../../engine/catalogue/refresh.ts';
import { ObservedSessions } from '../../engine/sources/following/observedSessions.ts';
import { systemProcesses } from '../../engine/sources/live/processes.ts';
import type { FactsCache } from '../../engine/sources/reading/factsCache.ts';
import { SessionSources, type ObservedTranscript, type SourcesChange } from '../../engine/sources/sources.ts';
import type { OwnShare } from '../../insight/observed/countOnce.ts';
import type { ObservedSummary } from '../../insight/observed/summary.ts';
import type { PriceTable } from '../../insight/prices/prices.ts';
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

interface Watched {
  readonly sources: SessionSources;
  readonly sessions: ObservedSessions;
  registrations: readonly Disposable[];
}

/** The stores of all places that clients named: watched for the daemon, and together the sources of the catalogue. */
export class WatchedPlaces implements IndexedSources {
  readonly #deps: WatchedPlacesDeps;
  readonly #places = new Map<string, Watched>();

  constructor(deps: WatchedPlacesDeps) {
    this.#deps = deps;
  }

  at(place: Place): ObservedSessions {
    return this.#watched(place).sessions;
  }

  /** Tells of changes until `unwatch`. */
  watch(place: Place): Promise<readonly ObservedSummary[]> {
    const watched = this.#watched(place);
    const { sessions } = watched;
    if (watched.registrations.length === 0) {
      watched.registrations = [
        sessions.onPaths((paths) => this.#deps.onPaths(place.key, paths)),
        sessions.look((change) => this.#deps.onChange(place.key, change)),
      ];
    }
    return sessions.list();
  }

  unwatch({ key }: Place): void {
    const watched = this.#places.get(key);
    if (watched === undefined) return;
    for (const each of watched.registrations) each.dispose();
    watched.registrations = [];
  }

  async find(place: Place, id: string): Promise<SentSession | null> {
    const found = await this.at(place).find(id);
    return found === undefined ? null : packSession(found);
  }

  async list(): Promise<ObservedSummary[]> {
    const rows = new Map<string, ObservedSummary>();
    for (const { sessions } of this.#places.values()) {
      for (const row of await sessions.list()) rows.set(row.session_id, row);
    }
    return [...rows.values()];
  }

  shareOf(id: string): OwnShare | undefined {
    return this.#first((sources) => sources.shareOf(id));
  }

  stampOf(id: string): string | undefined {
    return this.#first((sources) => sources.stampOf(id));
  }

  async read(id: string): Promise<ObservedTranscript | null> {
    for (const { sources } of this.#places.values()) {
      if (sources.stampOf(id) !== undefined) return sources.read(id);
    }
    return null;
  }

  #first<T>(of: (sources: SessionSources) => T | undefined): T | undefined {
    for (const { sources } of this.#places.values()) {
      const found = of(sources);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  #watched({ key, home, variables }: Place): Watched {
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
    const made = { sources, sessions: new ObservedSessions({ sources, prices, clock, log }), registrations: [] };
    this.#places.set(key, made);
    return made;
  }
}
