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

/** Results in one message; the others are told when its run has ended. */
const mostAtOnce = 100;

export interface CallbackSenderDeps
  extends
    Pick<ResumeBlueprintDeps, 'blueprints' | 'use'>,
    Pick<BlueprintAccess, 'chosen'>,
    Pick<FailedCallbacksDeps, 'log' | 'clock' | 'decide' | 'onUndelivered'> {
  readonly callbacks: CallbackStore;
  /** Before what another process runs, or what failed, is looked at again. Milliseconds; default 10,000. */
  readonly againMs?: number;
}

/** Resumes idle parents with the results of all their ended children. */
export class CallbackSender {
  readonly #engine: CallbackEngine;
  readonly #deps: CallbackSenderDeps;
  readonly #againMs: number;
  /** Each parent is seen to once at a time, and again where something happened meanwhile. */
  readonly #busy = new Map<string, { again: boolean }>();
  /** Parents that this process may resume: its own, and those that it was told to accept. */
  readonly #own = new Set<string>();
  /** Parents that are being resumed. */
  readonly #telling = new Set<string>();
  readonly #failedDeliveries: FailedCallbacks;
  readonly #unread: Backoff;
  #accepts: (session: SessionSummary) => boolean = () => false;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(engine: CallbackEngine, deps: CallbackSenderDeps) {
    this.#engine = engine;
    this.#deps = deps;
    this.#againMs = deps.againMs ?? 10_000;
    const sendAgain = (parent: string): void => void this.tell(parent);
    this.#failedDeliveries = new FailedCallbacks({ ...deps, sendAgain, againMs: this.#againMs });
    this.#unread = new Backoff(this.#againMs);
  }

  /** Resumes what another process waited for; of a parent that is deleted its child is asked about. */
  async recover(accepts: (session: SessionSummary) => boolean): Promise<void> {
    this.#accepts = accepts;
    await this.#all();
  }

  async expect(callback: Callback): Promise<void> {
    this.#own.add(callback.parent);
    await this.#deps.callbacks.expect(callback);
  }

  /** A child or the run of a parent has ended. Never rejects. */
  async tell(parent: string): Promise<void> {
    const busy = this.#busy.get(parent);
    if (busy !== undefined) {
      busy.again = true;
      return;
    }
    const mine = { again: true };
    this.#busy.set(parent, mine);
    try {
      while (!this.#closed && takeAgain(mine)) await this.#tell(parent);
    } catch (error) {
      this.#deps.log.error(`${parent} could not get the results of its child sessions: ${String(error)}`);
    } finally {
      this.#busy.delete(parent);
    }
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#failedDeliveries.close();
    this.#unread.close();
  }

  async #all(): Promise<void> {
    // Who is about to tell may end before it has.
    if (await this.#deps.callbacks.recover()) this.#lookAgain();
    const waiting = await this.#deps.callbacks.waiting();
    const sessions = await this.#sessions();
    const mine = waiting.filter(({ parent, child }) => {
      const session = sessions.get(parent) ?? sessions.get(child);
      return this.#own.has(parent) || session === undefined || this.#accepts(session);
    });
    await Promise.all([...new Set(mine.map(({ parent }) => parent))].map((parent) => this.tell(parent)));
  }

  async #tell(parent: string): Promise<void> {
    const { callbacks, log } = this.#deps;
    const all = (await callbacks.waiting()).filter((each) => each.parent === parent);
    if (all.length === 0) {
      this.#failedDeliveries.clear(parent);
      return;
    }
    const sessions = await this.#sessions();
    const untold = await callbacks.untold();
    const willGoOn = (id: string): boolean =>
      this.#telling.has(id) || (untold.some((each) => each.parent === id) && !this.#failedDeliveries.isGivenUp(id));
    const wasClosed = ({ session_id: id, runs }: SessionSummary): boolean =>
      untold.some((each) => each.parent === id && each.closed_in === runs);
    const isGone = (id: string): Promise<boolean> => isDeleted(this.#engine.recordPath(id));
    const {
      due,
      void: nothing,
      goesOn,
      unread,
    } = await dueCallbacks(parent, all, { sessions, isGone, willGoOn, wasClosed });
    const dropped = await callbacks.take(nothing);
    for (const { child } of dropped) log.info(`${parent} does not need the results of ${child}.`);
    await callbacks.delivered(dropped);
    if (goesOn) this.#lookAgain();
    if (unread && !this.#closed) this.#unread.again(parent, () => void this.tell(parent));
    if (!unread) this.#unread.clear(parent);
    if (due.length > 0) await this.#deliver(parent, sessions.get(parent), due.slice(0, mostAtOnce));
  }

  async #deliver(parent: string, summary: SessionSummary | undefined, due: readonly Callback[]): Promise<void> {
    if (this.#failedDeliveries.isHeldBack(parent, summary?.runs ?? 0)) return;
    const { callbacks } = this.#deps;
    this.#telling.add(parent);
    try {
      const taken = await callbacks.take(due);
      if (taken.length === 0) return;
      const handle = await (summary === undefined ? this.#keep(taken) : this.#resume(summary, taken)).catch(
        async (error: unknown) => {
          await callbacks.giveBack(taken);
          await this.#failed(error, parent, taken);
          return null;
        },
      );
      if (handle === null) return;
      this.#failedDeliveries.clear(parent);
      await callbacks.delivered(taken);
      void handle?.done.then(() => {
        handle.dispose();
        return this.#sendToParents(parent);
      });
    } finally {
      this.#telling.delete(parent);
    }
  }

  async #resume(parent: SessionSummary, taken: readonly Callback[]): Promise<SessionHandle> {
    const results = await Promise.all(taken.map(({ child }) => this.#result(child)));
    const again = results.find(({ status }) => isSessionLive(status));
    if (again !== undefined) throw failures.sessionBusy(again.session_id);
    const { blueprints, use, chosen } = this.#deps;
    const { session_id: id, project_dir: projectDir = '' } = parent;
    const { prompt, reason } = callbackMessage(results);
    const request = await blueprintResumeRequest(id, prompt, { engine: this.#engine, blueprints, use, projectDir });
    return this.#engine.resume(id, { ...(chosen?.(parent, request) ?? request), origin: 'callback', reason });
  }

  async #failed(error: unknown, parent: string, taken: readonly Callback[]): Promise<void> {
    const failure = EngineFailure.is(error) ? error : failures.internal(String(error));
    if (failure.code === 'engine_closed' || this.#closed) return;
    if (failure.code === 'session_busy') {
      // Someone was quicker.
      this.#lookAgain();
      return;
    }
    const summary = (await this.#sessions()).get(parent);
    if (summary === undefined) return;
    await this.#failedDeliveries.failed(failure, summary, taken);
    if (this.#failedDeliveries.isGivenUp(parent)) void this.#sendToParents(parent);
  }

  /** The session has come to its end, as far as can be seen: who waits for it is told. Never rejects. */
  async #sendToParents(id: string): Promise<void> {
    const waiting = await this.#deps.callbacks.waiting();
    await Promise.all(waiting.filter(({ child }) => child === id).map(({ parent }) => this.tell(parent)));
  }

  /** The parent is deleted: that no one was told stays with the child. */
  async #keep(taken: readonly Callback[]): Promise<undefined> {
    const { clock, log, decide } = this.#deps;
    for (const { child, parent } of taken) {
      log.warn(`${parent} no longer exists: the results of ${child} are not sent.`);
      const at = new Date(clock()).toISOString();
      const decision = { type: 'callback_undelivered', at, parent_session_id: parent, reason: 'parent_deleted' };
      await decide(child, decision).catch((error: unknown) => log.warn(`${child}: ${String(error)}`));
    }
  }

  async #sessions(): Promise<ReadonlyMap<string, SessionSummary>> {
    return new Map((await this.#engine.list()).map((each) => [each.session_id, each]));
  }

  async #result(child: string): Promise<ChildResult> {
    const handle = await this.#engine.open(child);
    try {
      return await resultOfChild(handle);
    } finally {
      handle.dispose();
    }
  }

  /** Of what another process runs nothing is heard here. */
  #lookAgain(): void {
    if (this.#timer !== undefined || this.#closed) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      void this.#all().catch((error: unknown) => this.#deps.log.error(`Callbacks: ${String(error)}`));
    }, this.#againMs);
    this.#timer.unref();
  }
}

function takeAgain(busy: { again: boolean }): boolean {
  const { again } = busy;
  busy.again = false;
  return again;
}
