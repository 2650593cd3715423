import type { PlannedTrigger } from '../../model/agent/followUps.ts';
import { isSessionLive } from '../../model/session/status.ts';
import type { SessionSummary } from '../../model/session/summary.ts';
import type { Disposable, Log, SummaryListener } from '../api.ts';
import { Emitter } from '../emitter.ts';
import { EngineFailure } from '../failures/failures.ts';
import { logLine } from '../log/logLine.ts';
import { titleOf } from '../sessions/newSession.ts';
import { type FollowUps, FollowUpRefused } from './followUps.ts';

/** A follow-up that will go out. */
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
  /** Whether a session may be followed up now: a window trusts its folder. */
  readonly mayFollow: (summary: SessionSummary) => boolean;
  /** Resumes the session as a person would; settles when that run has ended. @throws EngineFailure, FollowUpRefused */
  readonly send: (due: DueFollowUp) => Promise<void>;
  /** Calls back after so many milliseconds by a clock that no one sets. */
  readonly after: (ms: number, then: () => void) => Disposable;
}

/** Follow-ups that run at once; others wait for one to end. */
const atOnce = 2;
/** What came due while nothing watched gives people so many milliseconds to look first, or its own delay if that is less. */
const grace = 60_000;
/** After so many changes of one session, it is looked at once. */
const settleMs = 250;
/** Longer is looked at again by then. Timers take no more than about 24 days. */
const longestWait = 24 * 60 * 60_000;

/**
 * Watches sessions and sends what is due. It only plans: `FollowUps.admit` holds the limits. Waits are
 * measured by timers, so that a clock that is set brings nothing forward, and each state of a conversation is spoken to once.
 */
export class FollowUpScheduler implements Disposable {
  readonly changed: Emitter<[]>;
  readonly #deps: SchedulerDeps;
  readonly #due = new Map<string, { readonly due: DueFollowUp; readonly timer: Disposable }>();
  readonly #looks = new Map<string, Disposable>();
  /** Is looked at just now. */
  readonly #looking = new Set<string>();
  /** What was told of a session when it was last looked at. */
  readonly #seen = new Map<string, string>();
  readonly #live = new Set<string>();
  /** Could not be sent, with what it was to be sent for. */
  readonly #failed = new Map<string, number>();
  readonly #sending = new Set<string>();
  /** Due, and kept back until one that runs has ended. */
  readonly #waiting = new Set<string>();
  readonly #subscription: Disposable;
  #over = false;

  constructor(deps: SchedulerDeps) {
    this.#deps = deps;
    this.changed = new Emitter(deps.log);
    this.#subscription = deps.engine.onSummary((summary) => this.#notice(summary));
  }

  /** Soonest first. */
  due(): readonly DueFollowUp[] {
    return [...this.#due.values()].map(({ due }) => due).sort((a, b) => a.at - b.at);
  }

  /** Looks at every session anew: at the start, and when settings or trust have changed. */
  async lookAtAll(): Promise<void> {
    for (const summary of await this.#deps.engine.list()) {
      if (this.#over) return;
      this.#seen.delete(summary.session_id);
      if (isSessionLive(summary.status)) continue;
      await this.#look(summary, grace);
    }
  }

  /** A person takes back what is due, or is about to be. @throws EngineFailure where that cannot be recorded */
  async cancel(id: string): Promise<void> {
    const { followUps } = this.#deps.engine;
    // A run that has begun is a person's to stop.
    const known = this.#drop(id) || (this.#sending.has(id) && !this.#live.has(id));
    const looked = this.#looks.has(id) || this.#looking.has(id);
    if (!known && !(looked && (await followUps.look(id)).due)) return;
    this.#deps.log.info(logLine('follow-up cancelled', { session: id }));
    try {
      await followUps.cancel(id);
    } catch (error) {
      // Its run began meanwhile.
      if (!this.#live.has(id)) throw error;
    }
  }

  /** Of all, as long as they are paused. */
  dropAll(): void {
    for (const id of [...this.#due.keys()]) this.#drop(id);
  }

  dispose(): void {
    this.#over = true;
    this.#subscription.dispose();
    for (const { timer } of this.#due.values()) timer.dispose();
    for (const look of this.#looks.values()) look.dispose();
    this.#due.clear();
    this.#waiting.clear();
    this.#looks.clear();
  }

  #notice(summary: SessionSummary): void {
    const { session_id: id, status, entries, follow_ups, hidden } = summary;
    if (isSessionLive(status)) {
      this.#live.add(id);
      this.#seen.delete(id);
      this.#looks.get(id)?.dispose();
      this.#looks.delete(id);
      this.#drop(id);
      return;
    }
    this.#live.delete(id);
    const now = JSON.stringify([status, entries, follow_ups, hidden]);
    if (this.#seen.get(id) === now) return;
    this.#seen.set(id, now);
    this.#looks.get(id)?.dispose();
    const look = this.#deps.after(settleMs, () => {
      this.#looks.delete(id);
      void this.#look(summary, 0);
    });
    this.#looks.set(id, look);
  }

  /** `least`: milliseconds before anything goes out. */
  async #look(summary: SessionSummary, least: number): Promise<void> {
    const { session_id: id } = summary;
    this.#looking.add(id);
    try {
      this.#drop(id);
      if (!this.#deps.mayFollow(summary) || this.#sending.has(id)) return;
      const decision = await this.#deps.engine.followUps.look(id);
      if (this.#over || this.#live.has(id) || !decision.due || this.#failed.get(id) === decision.total) return;
      const { total, trigger, prompt } = decision;
      const now = this.#deps.clock();
      const at = Math.max(decision.at, now + Math.min(least, decision.delayMs));
      const title = summary.title ?? titleOf(summary.prompt);
      this.#arm({ sessionId: id, title, trigger: { ...trigger, total }, prompt, at });
    } catch (error) {
      this.#deps.log.error(logLine('follow-up not planned', { session: id, error: String(error) }));
    } finally {
      this.#looking.delete(id);
    }
  }

  #arm(due: DueFollowUp): void {
    this.#drop(due.sessionId);
    const wait = Math.max(0, due.at - this.#deps.clock());
    const timer = this.#deps.after(Math.min(wait, longestWait), () => {
      if (wait > longestWait) this.#arm(due);
      else this.#fire(due.sessionId);
    });
    this.#due.set(due.sessionId, { due, timer });
    this.#deps.log.debug(
      logLine('follow-up planned', {
        session: due.sessionId,
        trigger_type: due.trigger.type,
        at: new Date(due.at).toISOString(),
      }),
    );
    this.changed.fire();
  }

  /** True where something was due. */
  #drop(id: string): boolean {
    const armed = this.#due.get(id);
    armed?.timer.dispose();
    this.#due.delete(id);
    this.#waiting.delete(id);
    if (armed !== undefined) this.changed.fire();
    return armed !== undefined;
  }

  #fire(id: string): void {
    if (this.#sending.size >= atOnce) {
      this.#waiting.add(id);
      return;
    }
    const due = this.#due.get(id)?.due;
    if (due !== undefined && !this.#over) void this.#send(due);
  }

  async #send(due: DueFollowUp): Promise<void> {
    const { log } = this.#deps;
    const { sessionId: id } = due;
    this.#sending.add(id);
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
        this.#failed.set(id, due.trigger.total);
      }
    } finally {
      this.#sending.delete(id);
      const [next] = this.#waiting;
      // What waits is due: taking it takes it out of those that wait.
      if (next !== undefined) this.#fire(next);
    }
    await this.#lookAgain(id);
  }

  /** What was told of it while it was sent went by. */
  async #lookAgain(id: string): Promise<void> {
    if (this.#over) return;
    const summary = (await this.#deps.engine.list()).find(({ session_id }) => session_id === id);
    if (summary !== undefined && !isSessionLive(summary.status)) await this.#look(summary, 0);
  }
}
