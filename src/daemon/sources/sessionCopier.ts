import type { Engine } from '../../engine/engine.ts';
import { failures } from '../../engine/failures/failures.ts';
import type { Log } from '../../engine/api.ts';
import type { ObservedHistory } from '../../engine/import/importObserved.ts';
import type { ObservedSummary } from '../../insight/observed/summary.ts';
import type { SessionSummary } from '../../model/session/summary.ts';

export interface SessionCopierDeps {
  readonly engine: Pick<Engine, 'list' | 'onSummary' | 'archive'>;
  readonly history: (id: string) => Promise<ObservedHistory | undefined>;
  /** A copy was made or brought up to date. */
  readonly onCopied: (summary: SessionSummary) => void;
  readonly log: Log;
}

interface CopyRequest {
  /** Which of the agents' own ids belong to sessions that Vitrine recorded. */
  readonly recorded: ReadonlyMap<string, string>;
  /** Copies every session that has ended. */
  readonly copiesAll: boolean;
}

/**
 * Copies sessions from other programs into records. Where such a session runs again in its own program, its copy is
 * brought up to date when it has ended; a copy in which Vitrine itself ran the agent is left alone.
 */
export class SessionCopier {
  readonly #deps: SessionCopierDeps;
  /** Time of the last change in each copy (ISO 8601), by session id. */
  #copies: Promise<Map<string, string>> | undefined;
  #knownCopies: ReadonlyMap<string, string> = new Map();
  readonly #runningIds = new Set<string>();
  /** Pending copies, and versions of sessions that could not be copied. */
  readonly #attemptedVersions = new Map<string, string>();
  #lastWork: Promise<unknown> = Promise.resolve();

  constructor(deps: SessionCopierDeps) {
    this.#deps = deps;
  }

  isCopy(id: string): boolean {
    return this.#knownCopies.has(id);
  }

  /** Whether the session of a copy runs in another program. */
  isRunning(id: string): boolean {
    return this.#runningIds.has(id);
  }

  /** Takes the current state of sessions, and starts the copies that are due. */
  async look(rows: readonly ObservedSummary[], { recorded, copiesAll }: CopyRequest): Promise<void> {
    const copies = await this.#load();
    for (const row of rows) {
      const { session_id: id, live, problem, updated_at: changed } = row;
      const copied = copies.get(id);
      if (copied === undefined) {
        const isNew = live.state === 'ended' && problem === null && row.turns !== 0;
        if (copiesAll && isNew && !row.executor_session_ids.some((nativeId) => recorded.has(nativeId)))
          this.#begin(id, changed);
      } else if (live.state !== 'ended') {
        this.#runningIds.add(id);
      } else if (this.#runningIds.has(id) || Date.parse(changed) > Date.parse(copied)) {
        this.#begin(id, changed);
      }
    }
  }

  /** Makes a copy, or brings it up to date. @throws EngineFailure, file system errors */
  keep(id: string): Promise<void> {
    const next = this.#lastWork.then(() => this.#keep(id));
    this.#lastWork = next.catch(() => undefined);
    return next;
  }

  #begin(id: string, changed: string): void {
    if (this.#attemptedVersions.get(id) === changed && !this.#runningIds.has(id)) return;
    this.#attemptedVersions.set(id, changed);
    this.#runningIds.delete(id);
    this.keep(id).then(
      () => this.#attemptedVersions.delete(id),
      (error: unknown) => this.#deps.log.warn(`${id} was not copied into a record: ${String(error)}`),
    );
  }

  async #keep(id: string): Promise<void> {
    const { archive } = this.#deps.engine;
    const history = await this.#deps.history(id);
    if (history === undefined) throw failures.sessionMissing(id);
    const copies = await this.#load();
    const summary = await (copies.has(id) ? archive.updateObserved(history) : archive.importObserved(history));
    copies.set(id, summary.updated_at);
    this.#runningIds.delete(id);
    this.#deps.onCopied(summary);
  }

  #load(): Promise<Map<string, string>> {
    this.#copies ??= this.#read();
    return this.#copies;
  }

  async #read(): Promise<Map<string, string>> {
    const copies = new Map<string, string>();
    const take = (summary: SessionSummary): void => {
      if (isCopy(summary)) copies.set(summary.session_id, summary.updated_at);
      else copies.delete(summary.session_id);
    };
    this.#deps.engine.onSummary(take);
    for (const summary of await this.#deps.engine.list()) take(summary);
    this.#knownCopies = copies;
    return copies;
  }
}

function isCopy({ imported, runs, forked_from: origin }: SessionSummary): boolean {
  return imported?.format === 'store' && runs === 1 && origin === undefined;
}
