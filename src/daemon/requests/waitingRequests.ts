import type { Disposable, Log, SessionHandle } from '../../engine/api.ts';
import { Emitter } from '../../engine/emitter.ts';
import type { AgentRequest, Decision } from '../../model/agent/request.ts';
import type { EntryUpdate, NormalizedEntry } from '../../model/transcript/entry.ts';
import { UnrecordedEntries } from './unrecordedEntries.ts';

interface WaitingRequestsDeps {
  /** Its transcript lacks requests that wait. */
  readonly base: SessionHandle;
  readonly pending: () => readonly AgentRequest[];
  /** How a request was decided that the transcript will not have. */
  readonly decisionOf?: (requestId: string) => Decision | undefined;
  readonly log: Log;
}

type Transcript = Pick<SessionHandle, 'entryCount' | 'openIndexes' | 'openEntries' | 'read' | 'onUpdates'>;

/** A transcript with the requests that it lacks while they wait, each after the entries that it has. */
export class WaitingRequests implements Transcript, Disposable {
  readonly #deps: WaitingRequestsDeps;
  readonly #entries: UnrecordedEntries;
  readonly #updates: Emitter<[updates: readonly EntryUpdate[], total: number]>;
  readonly #registration: Disposable;
  #lastWork: Promise<void> = Promise.resolve();

  constructor(deps: WaitingRequestsDeps) {
    const { base, log } = deps;
    this.#deps = deps;
    this.#entries = new UnrecordedEntries(base.summary().project_dir ?? '');
    this.#updates = new Emitter(log);
    this.#registration = base.onUpdates(() => {
      if (this.#entries.total > 0) void this.arrange();
    });
  }

  entryCount(): number {
    return Math.max(this.#deps.base.entryCount(), this.#entries.total);
  }

  openIndexes(): readonly number[] {
    return [...this.#deps.base.openIndexes(), ...this.#entries.waitingIndexes()].sort((a, b) => a - b);
  }

  openEntries(): readonly NormalizedEntry[] {
    return [...this.#deps.base.openEntries(), ...this.#entries.unsettled()];
  }

  async read(from: number, to: number): Promise<readonly NormalizedEntry[]> {
    const { base } = this.#deps;
    const stored = await base.read(from, to);
    return [...stored, ...this.#entries.entriesBetween(Math.max(from, base.entryCount()), to)];
  }

  onUpdates(listener: Parameters<SessionHandle['onUpdates']>[0]): Disposable {
    const registrations = [
      this.#deps.base.onUpdates((updates) => listener(updates, this.entryCount())),
      this.#updates.on(listener),
    ];
    return {
      dispose: () => {
        for (const registration of registrations) registration.dispose();
      },
    };
  }

  /** Call this when requests came or went. Calls run one after another, because each reads entries. Never rejects. */
  arrange(): Promise<void> {
    const { base, pending, decisionOf, log } = this.#deps;
    const arranged = this.#lastWork.then(async () => {
      const firstUnreported = base.entryCount();
      const entries = await base.read(
        Math.min(firstUnreported, this.#entries.first ?? firstUnreported),
        firstUnreported,
      );
      const updates = this.#entries.arrange(pending(), { entries, firstUnreported }, decisionOf);
      if (updates.length > 0) this.#updates.fire(updates, this.entryCount());
    });
    this.#lastWork = arranged.catch((error: unknown) => log.warn(`${base.id}: ${String(error)}`));
    return this.#lastWork;
  }

  dispose(): void {
    this.#registration.dispose();
  }
}
