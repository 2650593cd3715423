import type { PlannedTrigger } from '../../model/agent/followUps.ts';
import { isSessionLive } from '../../model/session/status.ts';
import type { SessionSummary } from '../../model/session/summary.ts';
import type { Disposable, Log, SummaryListener } from '../api.ts';
import { Emitter } from '../emitter.ts';
import { EngineFailure } from '../failures/failures.ts';
import { logLine } from '../log/logLine.ts';
import { titleOf } from '../sessions/newSession.ts';
import { type FollowUps, FollowUpRefused } from './followUps.ts';

/** A scheduled follow-up. */
export interface DueFollowUp {
  readonly sessionId: string;
  readonly title: string;
  readonly trigger: PlannedTrigger;
  readonly prompt: string;
  /** Epoch milliseconds. */
  readonly at: number;
}

export interface SchedulerDeps {
  readonly engine: {
    readonly followUps: Pick<FollowUps, 'look' | 'cancel'>;
    list(): Promise<readonly SessionSummary[]>;
    onSummary(listener: SummaryListener): Disposable;
  };
  readonly clock: () => number;
  readonly log: Log;
  /** Whether a session may get follow-ups now: its folder must be trusted. */
  readonly mayGetFollowUps: (summary: SessionSummary) => boolean;
  /** Resumes the session and settles when that run has ended. @throws EngineFailure, FollowUpRefused */
  readonly send: (due: DueFollowUp) => Promise<void>;
  /** Timer on a monotonic clock. */
  readonly after: (ms: number, callback: () => void) => Disposable;
}

/** Maximum number of concurrent follow-up runs. */
const maxConcurrent = 2;
/** Minimum delay in ms for follow-ups that were due before the start, unless their own is shorter. */
const grace = 60_000;
/** Changes of one session are debounced by this time, in ms. */
const settleMs = 250;
/** Longer waits are planned again after this time. Timers are limited to about 24 days. */
const longestWait = 24 * 60 * 60_000;

/**
 * Watches sessions and sends due follow-ups. It only plans: `FollowUps.admit` enforces the limits. Waits use timers, so
 * that a clock change sends nothing early. Each state of a conversation gets at most one follow-up.
 */
export class FollowUpScheduler implements Disposable {
  readonly changed: Emitter<[]>;
  readonly #deps: SchedulerDeps;
  readonly #dueFollowUps = new Map<string, { readonly due: DueFollowUp; readonly timer: Disposable }>();
  readonly #scheduledChecks = new Map<string, Disposable>();
  /** Sessions being checked now. */
  readonly #checkingSessions = new Set<string>();
  /** Version of each session at the last check. */
  readonly #checkedVersions = new Map<string, string>();
  readonly #runningSessions = new Set<string>();
  /** Failed attempts per session. */
  readonly #failedAttempts = new Map<string, number>();
  readonly #sendingSessions = new Set<string>();
  /** Due sessions that wait for a running follow-up to end. */
  readonly #waitingSessionIds = new Set<string>();
  readonly #subscription: Disposable;
  #isDisposed = false;

  constructor(deps: SchedulerDeps) {
    this.#deps = deps;
    this.changed = new Emitter(deps.log);
    this.#subscription = deps.engine.onSummary((summary) => this.#handleSummary(summary));
  }

  /** Soonest first. */
  due(): readonly DueFollowUp[] {
    return [...this.#dueFollowUps.values()].map(({ due }) => due).sort((a, b) => a.at - b.at);
  }

  /** Checks every session: at the start, and when settings or trust change. */
  async checkAll(): Promise<void> {
    for (const summary of await this.#deps.engine.list()) {
      if (this.#isDisposed) return;
      this.#checkedVersions.delete(summary.session_id);
      if (isSessionLive(summary.status)) continue;
      await this.#check(summary, grace);
    }
  }

  /** The user cancels a follow-up that is due or about to be. @throws EngineFailure if that cannot be recorded */
  async cancel(id: string): Promise<void> {
    const { followUps } = this.#deps.engine;
    // A run that has started is stopped by the user, not here.
    const known = this.#drop(id) || (this.#sendingSessions.has(id) && !this.#runningSessions.has(id));
    const isBeingChecked = this.#scheduledChecks.has(id) || this.#checkingSessions.has(id);
    if (!known && !(isBeingChecked && (await followUps.look(id)).due)) return;
    this.#deps.log.info(logLine('follow-up cancelled', { session: id }));
    try {
      await followUps.cancel(id);
    } catch (error) {
      // The run started in the meantime.
      if (!this.#runningSessions.has(id)) throw error;
    }
  }

  /** Drops all scheduled follow-ups, while follow-ups are paused. */
  dropAll(): void {
    for (const id of [...this.#dueFollowUps.keys()]) this.#drop(id);
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#subscription.dispose();
    for (const { timer } of this.#dueFollowUps.values()) timer.dispose();
    for (const check of this.#scheduledChecks.values()) check.dispose();
    this.#dueFollowUps.clear();
    this.#waitingSessionIds.clear();
    this.#scheduledChecks.clear();
  }

  #handleSummary(summary: SessionSummary): void {
    const { session_id: id, status, entries, follow_ups, hidden } = summary;
    if (isSessionLive(status)) {
      this.#runningSessions.add(id);
      this.#checkedVersions.delete(id);
      this.#scheduledChecks.get(id)?.dispose();
      this.#scheduledChecks.delete(id);
      this.#drop(id);
      return;
    }
    this.#runningSessions.delete(id);
    const now = JSON.stringify([status, entries, follow_ups, hidden]);
    if (this.#checkedVersions.get(id) === now) return;
    this.#checkedVersions.set(id, now);
    this.#scheduledChecks.get(id)?.dispose();
    const look = this.#deps.after(settleMs, () => {
      this.#scheduledChecks.delete(id);
      void this.#check(summary, 0);
    });
    this.#scheduledChecks.set(id, look);
  }

  /** `minWaitMs`: minimum delay in ms. */
  async #check(summary: SessionSummary, minWaitMs: number): Promise<void> {
    const { session_id: id } = summary;
    this.#checkingSessions.add(id);
    try {
      this.#drop(id);
      if (!this.#deps.mayGetFollowUps(summary) || this.#sendingSessions.has(id)) return;
      const decision = await this.#deps.engine.followUps.look(id);
      if (
        this.#isDisposed ||
        this.#runningSessions.has(id) ||
        !decision.due ||
        this.#failedAttempts.get(id) === decision.total
      )
        return;
      const { total, trigger, prompt } = decision;
      const now = this.#deps.clock();
      const at = Math.max(decision.at, now + Math.min(minWaitMs, decision.delayMs));
      const title = summary.title ?? titleOf(summary.prompt);
      this.#startTimer({ sessionId: id, title, trigger: { ...trigger, total }, prompt, at });
    } catch (error) {
      this.#deps.log.error(logLine('follow-up not planned', { session: id, error: String(error) }));
    } finally {
      this.#checkingSessions.delete(id);
    }
  }

  #startTimer(due: DueFollowUp): void {
    this.#drop(due.sessionId);
    const wait = Math.max(0, due.at - this.#deps.clock());
    const timer = this.#deps.after(Math.min(wait, longestWait), () => {
      if (wait > longestWait) this.#startTimer(due);
      else this.#fire(due.sessionId);
    });
    this.#dueFollowUps.set(due.sessionId, { due, timer });
    this.#deps.log.debug(
      logLine('follow-up planned', {
        session: due.sessionId,
        trigger_type: due.trigger.type,
        at: new Date(due.at).toISOString(),
      }),
    );
    this.changed.fire();
  }

  /** Returns whether a follow-up was scheduled. */
  #drop(id: string): boolean {
    const dueFollowUp = this.#dueFollowUps.get(id);
    dueFollowUp?.timer.dispose();
    this.#dueFollowUps.delete(id);
    this.#waitingSessionIds.delete(id);
    if (dueFollowUp !== undefined) this.changed.fire();
    return dueFollowUp !== undefined;
  }

  #fire(id: string): void {
    if (this.#sendingSessions.size >= maxConcurrent) {
      this.#waitingSessionIds.add(id);
      return;
    }
    const due = this.#dueFollowUps.get(id)?.due;
    if (due !== undefined && !this.#isDisposed) void this.#send(due);
  }

  async #send(due: DueFollowUp): Promise<void> {
    const { log } = this.#deps;
    const { sessionId: id } = due;
    this.#sendingSessions.add(id);
    this.#drop(id);
    try {
      await this.#deps.send(due);
      log.info(logLine('follow-up sent', { session: id, trigger_type: due.trigger.type }));
    } catch (error) {
      if (FollowUpRefused.is(error)) log.info(logLine('follow-up refused', { session: id, why: error.why }));
      else {
        log.error(
          logLine('follow-up failed', { session: id, error: EngineFailure.is(error) ? error.code : String(error) }),
        );
        this.#failedAttempts.set(id, due.trigger.total);
      }
    } finally {
      this.#sendingSessions.delete(id);
      const [next] = this.#waitingSessionIds;
      // `#fire` removes it from the waiting ones.
      if (next !== undefined) this.#fire(next);
    }
    await this.#recheck(id);
  }

  /** Changes during the run were ignored, so the session is checked again. */
  async #recheck(id: string): Promise<void> {
    if (this.#isDisposed) return;
    const summary = (await this.#deps.engine.list()).find(({ session_id }) => session_id === id);
    if (summary !== undefined && !isSessionLive(summary.status)) await this.#check(summary, 0);
  }
}
