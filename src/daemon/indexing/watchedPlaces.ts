import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { storeFormats } from '../../agents/stores/formats.ts';
import type { Disposable, Log } from '../../engine/api.ts';
import type { IndexedSources } from '../../engine/catalogue/refresh.ts';
import { changeOf, ObservedSessions } from '../../engine/sources/following/observedSessions.ts';
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
/** Sessions in the first list from the catalogue, and in each later part. All rows of thousands would take a second. */
const sessionsPerPart = 1000;

interface WatchedPlacesDeps {
  readonly cache: FactsCache;
  /** The sessions that changed last, newest first, as the catalogue has them from the last time. Never rejects. */
  readonly saved: (most: number) => Promise<readonly ObservedSummary[]>;
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

  at(place: Place): ObservedSessions {
    return this.#watched(place).sessions;
  }

  /**
   * Lists sessions and reports changes until `unwatch`. The list may be partial: the newest sessions that had ended
   * according to the catalogue, or the newest ones. The others are reported as changes.
   */
  async watch(place: Place): Promise<readonly ObservedSummary[]> {
    const watched = this.#watched(place);
    const { sessions } = watched;
    const isFirst = watched.registrations.length === 0;
    if (isFirst) {
      watched.registrations = [
        sessions.onPaths((paths) => this.#deps.onPaths(place.key, paths)),
        sessions.look((change) => this.#deps.onChange(place.key, change)),
      ];
    }
    const newest = isFirst ? await this.#saved(sessions, sessionsPerPart) : [];
    if (newest.length === 0) return sessions.listPartly();
    this.#listOthers(place, sessions, newest).catch((error: unknown) =>
      this.#deps.log.error(`Stores of agents cannot be read: ${String(error)}`),
    );
    return newest;
  }

  /** Reports the other sessions: first as the catalogue has them, then all in their current state. */
  async #listOthers(place: Place, sessions: ObservedSessions, newest: readonly ObservedSummary[]): Promise<void> {
    const listing = sessions.list();
    // Awaited below, but it may fail before.
    listing.catch(() => undefined);
    // The client gets its list first.
    await setImmediate();
    const known = byId(newest);
    const all = await this.#saved(sessions, Number.MAX_SAFE_INTEGER);
    const others = all.filter(({ session_id: id }) => !known.has(id));
    for (let from = 0; from < others.length; from += sessionsPerPart) {
      this.#deps.onChange(place.key, { changed: others.slice(from, from + sessionsPerPart), removed: [] });
      await setImmediate();
    }
    this.#deps.onChange(place.key, changeOf(byId([...newest, ...others]), byId(await listing)));
  }

  /** Only ended sessions, because the state of others must be determined first. */
  async #saved(sessions: ObservedSessions, most: number): Promise<ObservedSummary[]> {
    const folders = sessions.folders();
    const rows = await this.#deps.saved(most);
    return rows.filter(
      ({ live, source }) =>
        live.state === 'ended' && folders.some((folder) => source.path.startsWith(folder + path.sep)),
    );
  }

  unwatch({ key }: Place): void {
    const watched = this.#places.get(key);
    if (watched === undefined) return;
    for (const registration of watched.registrations) registration.dispose();
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

  /** Settles when the looks at the stores that have begun are done; `undefined`: there is none. */
  busy(): Promise<unknown> | undefined {
    for (const { sessions } of this.#places.values()) {
      const busy = sessions.busy();
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

  #watched({ key, home, variables }: Place): WatchedPlace {
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

function byId(rows: readonly ObservedSummary[]): Map<string, ObservedSummary> {
  return new Map(rows.map((row) => [row.session_id, row]));
}
