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
import { indexCalls, indexOrders, type Place } from './messages.ts';

/** Delay before watching again after the thread has failed, in ms. */
const againMs = 5000;

/** The sessions of other programs in one place, as the indexing thread watches them. */
export class RemoteSessions implements ObservedFeed {
  readonly #place: Place;
  readonly #thread: IndexThread;
  readonly #log: Log;
  readonly #changes: Emitter<[SourcesChange]>;
  readonly #paths: Emitter<[ReadonlySet<string>]>;
  readonly #unpacker = new SessionUnpacker();
  #rows = new Map<string, ObservedSummary>();
  #lookers = 0;
  #watching: Promise<void> | undefined;
  #again: NodeJS.Timeout | undefined;

  constructor(place: Place, thread: IndexThread, log: Log) {
    this.#place = place;
    this.#thread = thread;
    this.#log = log;
    this.#changes = new Emitter(log);
    this.#paths = new Emitter(log);
    thread.listen(place.key, {
      changed: (change) => this.#applyChange(change),
      paths: (paths) => this.#paths.fire(paths),
      threadEnded: () => this.#watchAgain(),
    });
  }

  folders(): readonly string[] {
    const { home, variables: env } = this.#place;
    const place = { env, home, platform: process.platform };
    return storeFormats.flatMap((format) => format.roots(place).map(({ path }) => path));
  }

  look(listener: (change: SourcesChange) => void): Disposable {
    const registration = this.#changes.on(listener);
    this.#lookers += 1;
    void this.#watch();
    let isHeld = true;
    return {
      dispose: () => {
        registration.dispose();
        if (!isHeld) return;
        isHeld = false;
        this.#lookers = Math.max(0, this.#lookers - 1);
        if (this.#lookers === 0) this.#unwatch();
      },
    };
  }

  onPaths(listener: (paths: ReadonlySet<string>) => void): Disposable {
    return this.#paths.on(listener);
  }

  async list(): Promise<readonly ObservedSummary[]> {
    if (this.#lookers === 0) return this.#thread.request(indexCalls.list, { place: this.#place });
    await this.#watch();
    return [...this.#rows.values()];
  }

  async find(id: string): Promise<FollowedSession | undefined> {
    const found = await this.#thread.request(indexCalls.find, { place: this.#place, id });
    return found === null ? undefined : this.#unpacker.unpack(found);
  }

  async history(id: string): Promise<ObservedHistory | undefined> {
    return (await this.#thread.request(indexCalls.history, { place: this.#place, id })) ?? undefined;
  }

  dispose(): void {
    this.#lookers = 0;
    this.#unwatch();
  }

  #watch(): Promise<void> {
    if (this.#watching !== undefined) return this.#watching;
    const watching = this.#thread.request(indexCalls.watch, { place: this.#place }).then((rows) => {
      this.#rows = new Map(rows.map((row) => [row.session_id, row]));
    });
    this.#watching = watching;
    watching.catch((error: unknown) => {
      this.#log.error(`Sessions of other programs cannot be listed: ${String(error)}`);
      if (this.#watching === watching) this.#watchAgain();
    });
    return watching;
  }

  #unwatch(): void {
    clearTimeout(this.#again);
    this.#watching = undefined;
    this.#thread.notify(indexOrders.unwatch, { place: this.#place });
  }

  #applyChange(change: SourcesChange): void {
    for (const row of change.changed) this.#rows.set(row.session_id, row);
    for (const id of change.removed) this.#rows.delete(id);
    this.#changes.fire(change);
  }

  /** Watches again after a moment, and reports what changed meanwhile. */
  #watchAgain(): void {
    this.#unpacker.forgetNotes();
    this.#watching = undefined;
    if (this.#lookers === 0) return;
    clearTimeout(this.#again);
    this.#again = setTimeout(() => {
      const before = this.#rows;
      this.#watch().then(
        () => {
          const removed = [...before.keys()].filter((id) => !this.#rows.has(id));
          this.#changes.fire({ changed: [...this.#rows.values()], removed });
        },
        () => undefined,
      );
    }, againMs);
    this.#again.unref();
  }
}
