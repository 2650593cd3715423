import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { FollowUpDecision, NoFollowUpReason } from '../../insight/followUps/decide.ts';
import type { FollowUpRules } from '../../insight/followUps/rules.ts';
import type { SessionSummary } from '../../model/session/summary.ts';
import type { ResumeRequest } from '../api.ts';
import { localDay } from '../usage/localDay.ts';
import type { Sessions } from '../sessions/sessions.ts';
import type { SessionState } from '../sessions/sessionState.ts';
import type { DayLimit } from './daySlots.ts';
import { allAgents, FollowUpReader, type FollowUpReaderDeps, followUpScope } from './followUpReader.ts';

/** Timers may fire this many milliseconds before the clock reaches the time. */
const timerSlack = 1000;

export interface FollowUpsDeps extends Omit<FollowUpReaderDeps, 'openReader'> {
  readonly sessions: Pick<Sessions, 'openReader' | 'withOpenSession' | 'change'>;
}

/**
 * Decides whether a session gets a follow-up, and admits runs that a trigger requested. Every run passes here, so the
 * limits hold whoever planned it. All inputs of a decision are recorded.
 */
export class FollowUps {
  readonly #deps: FollowUpsDeps;
  readonly #reader: FollowUpReader;

  constructor(deps: FollowUpsDeps) {
    this.#deps = deps;
    this.#reader = new FollowUpReader({ ...deps, openReader: (id) => deps.sessions.openReader(id) });
  }

  /** Decision for the current state of the record. @throws EngineFailure if there is no record */
  async look(id: string): Promise<FollowUpDecision> {
    return (await this.#reader.look(id)).decision;
  }

  /**
   * Checks a run that is about to start; `state` must have the writer. Returns the final request. Requests without a
   * trigger are returned unchanged.
   * @throws FollowUpRefused
   */
  async checkAutomaticRun(state: SessionState, request: ResumeRequest): Promise<ResumeRequest> {
    const { trigger } = request;
    if (trigger === undefined) return request;
    const reader = await this.#deps.sessions.openReader(state.id);
    try {
      const { decision, rules } = await this.#reader.decide(reader);
      if (!decision.due) throw new FollowUpRefused(decision.why);
      if (decision.total !== trigger.total || decision.trigger.type !== trigger.type)
        throw new FollowUpRefused('changed');
      const now = this.#deps.clock();
      if (rules === null || decision.quietUntil > now) throw new FollowUpRefused('quiet');
      // The conversation may have continued since the follow-up was planned.
      if (decision.at > now + timerSlack) throw new FollowUpRefused('early');
      if (!(await this.#reader.slots.reserve(localDay(now), dayLimits(state.summary, rules)))) {
        throw new FollowUpRefused('day_limit');
      }
      const { usd } = decision;
      const { prompt, limits } = { prompt: decision.prompt, limits: request.limits };
      return {
        ...request,
        prompt,
        origin: 'follow_up',
        trigger: { ...trigger, reason: decision.trigger.reason },
        ...(usd !== undefined && { limits: { ...limits, usd: Math.min(usd, limits?.usd ?? usd) } }),
      };
    } finally {
      await reader.close();
    }
  }

  /** Cancels the due follow-up until the conversation continues. @throws EngineFailure if the record is locked */
  cancel(id: string): Promise<void> {
    return this.#updateFollowUps(id, (state) => ({ ...state.session.follow_ups, cancelled_at: state.total }));
  }

  /** Overrides agent file and settings for a session. @throws EngineFailure if another process is writing the record */
  turn(id: string, isOn: boolean): Promise<void> {
    return this.#updateFollowUps(id, () => ({ on: isOn }));
  }

  /** Pauses all follow-ups on this machine. */
  async pause(): Promise<void> {
    await mkdir(path.dirname(this.#reader.pausedFile), { recursive: true, mode: 0o700 });
    await writeFile(this.#reader.pausedFile, '', { mode: 0o600 });
  }

  async resume(): Promise<void> {
    await rm(this.#reader.pausedFile, { force: true });
  }

  isPaused(): Promise<boolean> {
    return this.#reader.isPaused();
  }

  #updateFollowUps(id: string, change: (state: SessionState) => SessionSummary['follow_ups']): Promise<void> {
    const { sessions } = this.#deps;
    return sessions.withOpenSession(id, (state) => sessions.change(id, { follow_ups: change(state) }));
  }
}

function dayLimits(summary: SessionSummary, { perDay, perDayOfAgent }: FollowUpRules): readonly DayLimit[] {
  return [
    { scope: allAgents, limit: perDay },
    { scope: followUpScope(summary), limit: perDayOfAgent },
  ];
}

/** Why a follow-up was not sent. Logged, and reported to the planner only. */
export class FollowUpRefused extends Error {
  override readonly name = 'FollowUpRefused';
  /** `changed`: the conversation continued after planning. `quiet` and `early`: the follow-up must wait. */
  readonly why: NoFollowUpReason | 'changed' | 'quiet' | 'early';

  constructor(why: FollowUpRefused['why']) {
    super(`No follow-up: ${why}.`);
    this.why = why;
  }

  static is(error: unknown): error is FollowUpRefused {
    return error instanceof FollowUpRefused;
  }
}
