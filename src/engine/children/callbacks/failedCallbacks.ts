import type { LineOf } from '../../../formats/record.ts';
import type { SessionSummary } from '../../../model/session/summary.ts';
import type { Log, Notice } from '../../api.ts';
import type { BlueprintAccess } from '../../blueprints/access.ts';
import type { FailureCode } from '../../failures/failureCodes.ts';
import { EngineFailure } from '../../failures/failures.ts';
import { say } from '../../failures/wording.ts';
import { Backoff } from './backoff.ts';
import type { Callback } from './callbackStore.ts';
import { isRecordedRefusal } from '../recordedRefusal.ts';

/** Each may leave a failed run behind. */
const mostRetries = 3;
/** What only a person can change, who then resumes the parent. */
const isHopeless: ReadonlySet<FailureCode> = new Set(['budget_used_up', 'child_refused']);

export interface FailedCallbacksDeps {
  readonly log: Log;
  readonly clock: () => number;
  /** Keeps a decision in the record of a session, and tells who looks at that. */
  readonly decide: (sessionId: string, decision: LineOf<'decision'>['decision'], notice?: Notice) => Promise<void>;
  readonly onUndelivered?: BlueprintAccess['onUndelivered'];
  readonly sendAgain: (parent: string) => void;
  /** Before it is tried again the first time, in milliseconds. */
  readonly againMs: number;
}

interface Failed {
  readonly runs: number;
  readonly givenUp: boolean;
}

/** Parents that could not get their results: retried a few times automatically, then only after another run of theirs. */
export class FailedCallbacks {
  readonly #deps: FailedCallbacksDeps;
  readonly #failed = new Map<string, Failed>();
  readonly #retries: Backoff;

  constructor(deps: FailedCallbacksDeps) {
    this.#deps = deps;
    this.#retries = new Backoff(deps.againMs);
  }

  isGivenUp(parent: string): boolean {
    return this.#failed.get(parent)?.givenUp === true;
  }

  /** Whether it is not tried now. `runs` of the parent: the end of the run that failed is no reason to try, that of another is. */
  isHeldBack(parent: string, runs: number): boolean {
    const failed = this.#failed.get(parent);
    if (failed === undefined) return false;
    if (runs > failed.runs) {
      this.clear(parent);
      return false;
    }
    return failed.givenUp || this.#retries.isWaiting(parent);
  }

  /**
   * `session` as it is after that. The first of several failures is kept in its record, and told, where it is not yet. Never
   * rejects.
   */
  async failed(failure: EngineFailure, session: SessionSummary, callbacks: readonly Callback[]): Promise<void> {
    const { session_id: parent, runs } = session;
    this.#deps.log.error(`${parent} could not get the results: ${failure.message}`);
    const isFirst = !this.#failed.has(parent);
    const givenUp = isHopeless.has(failure.code) || this.#retries.times(parent) >= mostRetries;
    this.#failed.set(parent, { runs, givenUp });
    if (!givenUp) this.#retries.again(parent, () => this.#deps.sendAgain(parent));
    if (isFirst && !isRecordedRefusal(failure)) await this.#note(failedDeliveries(failure), session, callbacks);
  }

  /** It was told, or nothing is to be told to it any more. */
  clear(parent: string): void {
    this.#failed.delete(parent);
    this.#retries.clear(parent);
  }

  close(): void {
    this.#retries.close();
  }

  async #note(failure: EngineFailure, session: SessionSummary, callbacks: readonly Callback[]): Promise<void> {
    const { clock, decide, log, onUndelivered } = this.#deps;
    const { session_id: parent } = session;
    onUndelivered?.(session, failure);
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
    message: say`Could not report the results of child sessions to this session: ${words.message}`,
    detail: say`${words.detail}\nVitrine keeps the message and tries again after the next run of this session.`,
    tried,
    ...(action !== undefined && { action }),
  });
}
