import { isSessionLive } from '../../../model/session/status.ts';
import type { SessionSummary } from '../../../model/session/summary.ts';
import type { SessionHandle } from '../../api.ts';
import type { BlueprintAccess } from '../../blueprints/access.ts';
import { blueprintResumeRequest, type ResumeBlueprintDeps } from '../../blueprints/resume.ts';
import { EngineFailure, failures } from '../../failures/failures.ts';
import { Backoff } from './backoff.ts';
import { callbackMessage } from './callbackMessage.ts';
import type { Callback, CallbackStore } from './callbackStore.ts';
import { isDeleted, dueCallbacks } from './dueCallbacks.ts';
import type { CallbackEngine } from '../engine.ts';
import { resultOfChild, type ChildResult } from '../childResult.ts';
import { FailedCallbacks, type FailedCallbacksDeps } from './failedCallbacks.ts';

/** Maximum number of results in one message; the rest is sent when the run with these has ended. */
const maxResultsPerMessage = 100;

export interface CallbackSenderDeps
  extends
    Pick<ResumeBlueprintDeps, 'blueprints' | 'use'>,
    Pick<BlueprintAccess, 'chosen'>,
    Pick<FailedCallbacksDeps, 'log' | 'clock' | 'decide' | 'onUndeliveredCallbacks'> {
  readonly callbacks: CallbackStore;
  /** Interval for checking sessions in other processes, and delay before the first retry, in ms. Default 10,000. */
  readonly retryMs?: number;
}

/** Resumes idle parents with the results of all their ended children. */
export class CallbackSender {
  readonly #engine: CallbackEngine;
  readonly #deps: CallbackSenderDeps;
  readonly #retryMs: number;
  /** Parents that are being processed. `mustRepeat`: something happened meanwhile, so process the parent again. */
  readonly #processingParents = new Map<string, { mustRepeat: boolean }>();
  /** Parents of this process, which it may resume. */
  readonly #ownParents = new Set<string>();
  /** Parents that are being resumed. */
  readonly #resumingParents = new Set<string>();
  readonly #failedDeliveries: FailedCallbacks;
  readonly #unreadableRetries: Backoff;
  #accepts: (session: SessionSummary) => boolean = () => false;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(engine: CallbackEngine, deps: CallbackSenderDeps) {
    this.#engine = engine;
    this.#deps = deps;
    this.#retryMs = deps.retryMs ?? 10_000;
    const retry = (parent: string): void => void this.sendDue(parent);
    this.#failedDeliveries = new FailedCallbacks({ ...deps, retry, retryMs: this.#retryMs });
    this.#unreadableRetries = new Backoff(this.#retryMs);
  }

  /**
   * Sends the callbacks of other processes to the parents that `accepts` selects; for a deleted parent, it gets the
   * child.
   */
  async recover(accepts: (session: SessionSummary) => boolean): Promise<void> {
    this.#accepts = accepts;
    await this.#sendAllDue();
  }

  async expect(callback: Callback): Promise<void> {
    this.#ownParents.add(callback.parent);
    await this.#deps.callbacks.expect(callback);
  }

  /** Sends the parent the results that are due. Call when a child or a run of the parent has ended. Never rejects. */
  async sendDue(parent: string): Promise<void> {
    const processing = this.#processingParents.get(parent);
    if (processing !== undefined) {
      processing.mustRepeat = true;
      return;
    }
    const ownEntry = { mustRepeat: true };
    this.#processingParents.set(parent, ownEntry);
    try {
      while (!this.#isClosed && takeMustRepeat(ownEntry)) await this.#sendDue(parent);
    } catch (error) {
      this.#deps.log.error(`${parent} could not get the results of its child sessions: ${String(error)}`);
    } finally {
      this.#processingParents.delete(parent);
    }
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#failedDeliveries.close();
    this.#unreadableRetries.close();
  }

  async #sendAllDue(): Promise<void> {
    // The process that is sending a callback may end before it has sent it.
    if (await this.#deps.callbacks.recover()) this.#checkLater();
    const waiting = await this.#deps.callbacks.readWaiting();
    const sessions = await this.#sessionsById();
    const ownEntry = waiting.filter(({ parent, child }) => {
      const session = sessions.get(parent) ?? sessions.get(child);
      return this.#ownParents.has(parent) || session === undefined || this.#accepts(session);
    });
    await Promise.all([...new Set(ownEntry.map(({ parent }) => parent))].map((parent) => this.sendDue(parent)));
  }

  async #sendDue(parent: string): Promise<void> {
    const { callbacks, log } = this.#deps;
    const all = (await callbacks.readWaiting()).filter((callback) => callback.parent === parent);
    if (all.length === 0) {
      this.#failedDeliveries.clear(parent);
      return;
    }
    const sessions = await this.#sessionsById();
    const pending = await callbacks.pending();
    const willResume = (id: string): boolean =>
      this.#resumingParents.has(id) ||
      (pending.some((callback) => callback.parent === id) && !this.#failedDeliveries.isGivenUp(id));
    const wasClosed = ({ session_id: id, runs }: SessionSummary): boolean =>
      pending.some((callback) => callback.parent === id && callback.closed_in === runs);
    const isGone = (id: string): Promise<boolean> => isDeleted(this.#engine.recordPath(id));
    const {
      due,
      toDrop: unneeded,
      isRunning,
      hasUnreadable,
    } = await dueCallbacks(parent, all, { sessions, isGone, willResume, wasClosed });
    const dropped = await callbacks.claim(unneeded);
    for (const { child } of dropped) log.info(`${parent} does not need the results of ${child}.`);
    await callbacks.remove(dropped);
    if (isRunning) this.#checkLater();
    if (hasUnreadable && !this.#isClosed) this.#unreadableRetries.schedule(parent, () => void this.sendDue(parent));
    if (!hasUnreadable) this.#unreadableRetries.clear(parent);
    if (due.length > 0) await this.#deliver(parent, sessions.get(parent), due.slice(0, maxResultsPerMessage));
  }

  async #deliver(parent: string, summary: SessionSummary | undefined, due: readonly Callback[]): Promise<void> {
    if (this.#failedDeliveries.isHeldBack(parent, summary?.runs ?? 0)) return;
    const { callbacks } = this.#deps;
    this.#resumingParents.add(parent);
    try {
      const taken = await callbacks.claim(due);
      if (taken.length === 0) return;
      const handle = await (summary === undefined ? this.#recordUnsent(taken) : this.#resume(summary, taken)).catch(
        async (error: unknown) => {
          await callbacks.release(taken);
          await this.#handleFailure(error, parent, taken);
          return null;
        },
      );
      if (handle === null) return;
      this.#failedDeliveries.clear(parent);
      await callbacks.remove(taken);
      void handle?.done.then(() => {
        handle.dispose();
        return this.#sendToParents(parent);
      });
    } finally {
      this.#resumingParents.delete(parent);
    }
  }

  async #resume(parent: SessionSummary, taken: readonly Callback[]): Promise<SessionHandle> {
    const results = await Promise.all(taken.map(({ child }) => this.#readResult(child)));
    const again = results.find(({ status }) => isSessionLive(status));
    if (again !== undefined) throw failures.sessionBusy(again.session_id);
    const { blueprints, use, chosen } = this.#deps;
    const { session_id: id, project_dir: projectDir = '' } = parent;
    const { prompt, reason } = callbackMessage(results);
    const request = await blueprintResumeRequest(id, prompt, { engine: this.#engine, blueprints, use, projectDir });
    return this.#engine.resume(id, { ...(chosen?.(parent, request) ?? request), origin: 'callback', reason });
  }

  async #handleFailure(error: unknown, parent: string, taken: readonly Callback[]): Promise<void> {
    const failure = EngineFailure.is(error) ? error : failures.internal(String(error));
    if (failure.code === 'engine_closed' || this.#isClosed) return;
    if (failure.code === 'session_busy') {
      // Another process resumed the parent first.
      this.#checkLater();
      return;
    }
    const summary = (await this.#sessionsById()).get(parent);
    if (summary === undefined) return;
    await this.#failedDeliveries.handleFailure(failure, summary, taken);
    if (this.#failedDeliveries.isGivenUp(parent)) void this.#sendToParents(parent);
  }

  /** Sends the result of this session, which has ended, to the parents that wait for it. Never rejects. */
  async #sendToParents(id: string): Promise<void> {
    const waiting = await this.#deps.callbacks.readWaiting();
    await Promise.all(waiting.filter(({ child }) => child === id).map(({ parent }) => this.sendDue(parent)));
  }

  /** The parent was deleted: records with each child that its result was not sent. */
  async #recordUnsent(taken: readonly Callback[]): Promise<undefined> {
    const { clock, log, decide } = this.#deps;
    for (const { child, parent } of taken) {
      log.warn(`${parent} no longer exists: the results of ${child} are not sent.`);
      const at = new Date(clock()).toISOString();
      const decision = { type: 'callback_undelivered', at, parent_session_id: parent, reason: 'parent_deleted' };
      await decide(child, decision).catch((error: unknown) => log.warn(`${child}: ${String(error)}`));
    }
  }

  async #sessionsById(): Promise<ReadonlyMap<string, SessionSummary>> {
    return new Map((await this.#engine.list()).map((session) => [session.session_id, session]));
  }

  async #readResult(child: string): Promise<ChildResult> {
    const handle = await this.#engine.open(child);
    try {
      return await resultOfChild(handle);
    } finally {
      handle.dispose();
    }
  }

  /** Checks again later, because other processes do not report the end of their runs here. */
  #checkLater(): void {
    if (this.#timer !== undefined || this.#isClosed) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      void this.#sendAllDue().catch((error: unknown) => this.#deps.log.error(`Callbacks: ${String(error)}`));
    }, this.#retryMs);
    this.#timer.unref();
  }
}

function takeMustRepeat(processing: { mustRepeat: boolean }): boolean {
  const { mustRepeat } = processing;
  processing.mustRepeat = false;
  return mustRepeat;
}
