import type { LineOf } from '../../../formats/record.ts';
import type { SessionSummary } from '../../../model/session/summary.ts';
import type { Log, Notice } from '../../api.ts';
import type { BlueprintAccess } from '../../blueprints/access.ts';
import type { FailureCode } from '../../failures/failureCodes.ts';
import { EngineFailure } from '../../failures/failures.ts';
import { worded } from '../../failures/wording.ts';
import { Backoff } from './backoff.ts';
import type { Callback } from './callbackStore.ts';
import { isRecordedRefusal } from '../recordedRefusal.ts';

/** Maximum number of retries, because each may add a failed run to the session. */
const maxRetries = 3;
/** Failures that only a person can resolve, by resuming the parent. */
const finalFailureCodes: ReadonlySet<FailureCode> = new Set(['budget_used_up', 'child_refused']);

export interface FailedCallbacksDeps {
  readonly log: Log;
  readonly clock: () => number;
  /** Adds a decision to the record of a session, and shows `notice` to those who have the session open. */
  readonly decide: (sessionId: string, decision: LineOf<'decision'>['decision'], notice?: Notice) => Promise<void>;
  readonly onUndeliveredCallbacks?: BlueprintAccess['onUndeliveredCallbacks'];
  readonly retry: (parent: string) => void;
  /** Delay before the first retry, in ms. */
  readonly retryMs: number;
}

interface FailureCount {
  readonly runs: number;
  readonly isGivenUp: boolean;
}

/**
 * Parents that could not get their results: retried a few times automatically, then only after another run of theirs.
 */
export class FailedCallbacks {
  readonly #deps: FailedCallbacksDeps;
  readonly #failuresByParent = new Map<string, FailureCount>();
  readonly #retries: Backoff;

  constructor(deps: FailedCallbacksDeps) {
    this.#deps = deps;
    this.#retries = new Backoff(deps.retryMs);
  }

  isGivenUp(parent: string): boolean {
    return this.#failuresByParent.get(parent)?.isGivenUp === true;
  }

  /**
   * Whether not to try now. `runs`: number of runs of the parent. Another run is a reason to try again, the failed one
   * is not.
   */
  isHeldBack(parent: string, runs: number): boolean {
    const failed = this.#failuresByParent.get(parent);
    if (failed === undefined) return false;
    if (runs > failed.runs) {
      this.clear(parent);
      return false;
    }
    return failed.isGivenUp || this.#retries.isWaiting(parent);
  }

  /** `session`: the parent after the failure. Records and reports only the first of several failures. Never rejects. */
  async handleFailure(failure: EngineFailure, session: SessionSummary, callbacks: readonly Callback[]): Promise<void> {
    const { session_id: parent, runs } = session;
    this.#deps.log.error(`${parent} could not get the results: ${failure.message}`);
    const isFirst = !this.#failuresByParent.has(parent);
    const isGivenUp = finalFailureCodes.has(failure.code) || this.#retries.attempts(parent) >= maxRetries;
    this.#failuresByParent.set(parent, { runs, isGivenUp });
    if (!isGivenUp) this.#retries.schedule(parent, () => this.#deps.retry(parent));
    if (isFirst && !isRecordedRefusal(failure))
      await this.#recordFailure(failedDeliveries(failure), session, callbacks);
  }

  /** Call when the parent has its results, or no longer needs any. */
  clear(parent: string): void {
    this.#failuresByParent.delete(parent);
    this.#retries.clear(parent);
  }

  close(): void {
    this.#retries.close();
  }

  async #recordFailure(failure: EngineFailure, session: SessionSummary, callbacks: readonly Callback[]): Promise<void> {
    const { clock, decide, log, onUndeliveredCallbacks } = this.#deps;
    const { session_id: parent } = session;
    onUndeliveredCallbacks?.(session, failure);
    const decision = {
      type: 'callback_undelivered',
      at: new Date(clock()).toISOString(),
      child_session_ids: callbacks.map(({ child }) => child),
      reason: failure.code,
    };
    await decide(parent, decision, { severity: 'warning', failure }).catch((error: unknown) =>
      log.warn(`${parent}: ${String(error)}`),
    );
  }
}

function failedDeliveries({ code, words, action, tried }: EngineFailure): EngineFailure {
  return new EngineFailure(code, {
    message: worded`Could not report the results of child sessions to this session: ${words.message}`,
    detail: worded`${words.detail}\nVitrine keeps the message and tries again after the next run of this session.`,
    tried,
    ...(action !== undefined && { action }),
  });
}
