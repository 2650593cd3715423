import path from 'node:path';
import { storeFormats } from '../../agents/stores/formats.ts';
import type { Disposable, Log } from '../../engine/api.ts';
import { Emitter } from '../../engine/emitter.ts';
import type { ObservedHistory } from '../../engine/import/importObserved.ts';
import type { ObservedFeed } from '../../engine/sources/following/openObserved.ts';
import type { FollowedSession } from '../../engine/sources/foundSession.ts';
import type { SourcesChange } from '../../engine/sources/sources.ts';
import type { ObservedSummary } from '../../insight/observed/summary.ts';
import { SessionUnpacker } from './copies.ts';
import type { IndexThread } from './indexThread.ts';
import { indexCalls, indexCommands, type Place } from './messages.ts';

/** Delay before watching again after the thread has failed, in ms. */
const retryMs = 5000;
/** Sessions in the first list from the catalogue. All rows of thousands would take a second. */
const maxSavedSessions = 400;

export interface RemoteSessionsDeps {
  readonly place: Place;
  readonly thread: Pick<IndexThread, 'listen' | 'request' | 'notify'>;
  /** The sessions that changed last, newest first, as the catalogue has them. Never rejects. */
  readonly saved: (most: number) => Promise<readonly ObservedSummary[]>;
  readonly log: Log;
}

/** The sessions of other programs in one place, as the indexing thread watches them. */
export class RemoteSessions implements ObservedFeed {
  readonly #deps: RemoteSessionsDeps;
  readonly #changes: Emitter<[SourcesChange]>;
  readonly #paths: Emitter<[ReadonlySet<string>]>;
  readonly #unpacker = new SessionUnpacker();
  #rows = new Map<string, ObservedSummary>();
  #subscriberCount = 0;
  #watching: Promise<void> | undefined;
  #retryTimer: NodeJS.Timeout | undefined;

  constructor(deps: RemoteSessionsDeps) {
    this.#deps = deps;
    this.#changes = new Emitter(deps.log);
    this.#paths = new Emitter(deps.log);
    deps.thread.listen(deps.place.key, {
      changed: (change) => this.#applyChange(change),
      paths: (paths) => this.#paths.fire(paths),
      threadEnded: () => this.#retryLater(),
    });
  }

  folders(): readonly string[] {
    const { home, variables: env } = this.#deps.place;
    const place = { env, home, platform: process.platform };
    return storeFormats.flatMap((format) => format.roots(place).map((root) => root.path));
  }

  subscribe(listener: (change: SourcesChange) => void): Disposable {
    const registration = this.#changes.on(listener);
    this.#subscriberCount += 1;
    // A failure is logged.
    this.#watch().catch(() => undefined);
    let isHeld = true;
    return {
      dispose: () => {
        registration.dispose();
        if (!isHeld) return;
        isHeld = false;
        this.#subscriberCount = Math.max(0, this.#subscriberCount - 1);
        if (this.#subscriberCount === 0) this.#unwatch();
      },
    };
  }

  onPaths(listener: (paths: ReadonlySet<string>) => void): Disposable {
    return this.#paths.on(listener);
  }

  /** The current list; at first, the newest sessions only. */
  async list(): Promise<readonly ObservedSummary[]> {
    const { thread, place } = this.#deps;
    if (this.#subscriberCount === 0) return thread.request(indexCalls.list, { place });
    await this.#watch();
    return [...this.#rows.values()];
  }

  async find(id: string): Promise<FollowedSession | undefined> {
    const { thread, place } = this.#deps;
    const found = await thread.request(indexCalls.find, { place, id });
    return found === null ? undefined : this.#unpacker.unpack(found);
  }

  async history(id: string): Promise<ObservedHistory | undefined> {
    const { thread, place } = this.#deps;
    return (await thread.request(indexCalls.history, { place, id })) ?? undefined;
  }

  dispose(): void {
    this.#subscriberCount = 0;
    this.#unwatch();
  }

  #watch(): Promise<void> {
    if (this.#watching !== undefined) return this.#watching;
    const watching = this.#startWatching(() => {
      if (this.#watching === watching) this.#retryLater();
    });
    this.#watching = watching;
    return watching;
  }

  /** Resolves when there is a list: from the catalogue before the thread starts, or from the thread. */
  async #startWatching(onFailure: () => void): Promise<void> {
    const { thread, place, log } = this.#deps;
    if (this.#rows.size === 0) this.#rows = await this.#readSaved();
    const known = [...this.#rows.keys()];
    const listing = thread.request(indexCalls.watch, { place, known }).then((rows) => {
      if (known.length > 0) this.#applyChange({ changed: rows, removed: [] });
      else for (const row of rows) this.#rows.set(row.session_id, row);
    });
    listing.catch((error: unknown) => {
      log.error(`Sessions of other programs cannot be listed: ${String(error)}`);
      onFailure();
    });
    if (known.length === 0) await listing;
  }

  /** Only ended sessions, because the state of others must be determined first. */
  async #readSaved(): Promise<Map<string, ObservedSummary>> {
    const folders = this.folders().map((folder) => folder + path.sep);
    const rows = (await this.#deps.saved(maxSavedSessions)).filter(
      ({ live, source }) => live.state === 'ended' && folders.some((folder) => source.path.startsWith(folder)),
    );
    return new Map(rows.map((row) => [row.session_id, row]));
  }

  #unwatch(): void {
    const { thread, place } = this.#deps;
    clearTimeout(this.#retryTimer);
    this.#watching = undefined;
    this.#rows.clear();
    thread.notify(indexCommands.unwatch, { place });
  }

  /** The thread reports all sessions after its start, most of them as they are known. */
  #applyChange({ changed, removed }: SourcesChange): void {
    const different = changed.filter((row) => {
      const known = this.#rows.get(row.session_id);
      return known === undefined || JSON.stringify(known) !== JSON.stringify(row);
    });
    for (const row of different) this.#rows.set(row.session_id, row);
    const missing = removed.filter((id) => this.#rows.delete(id));
    if (different.length + missing.length > 0) this.#changes.fire({ changed: different, removed: missing });
  }

  /** Watches again after a moment. The thread reports what changed meanwhile. */
  #retryLater(): void {
    this.#unpacker.forgetNotes();
    this.#watching = undefined;
    if (this.#subscriberCount === 0) return;
    clearTimeout(this.#retryTimer);
    this.#retryTimer = setTimeout(() => void this.#watch().catch(() => undefined), retryMs);
    this.#retryTimer.unref();
  }
}
