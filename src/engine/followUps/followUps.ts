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

/** Milliseconds that a timer may run out before a clock says so. */
const timerSlack = 1000;

export interface FollowUpsDeps extends Omit<FollowUpReaderDeps, 'openReader'> {
  readonly sessions: Pick<Sessions, 'openReader' | 'using' | 'change'>;
}

/**
 * Says of each session whether it is to be followed up, and lets a run that a trigger wrote begin or not: here, on the way of
 * every run, its limits hold, whoever planned it. All it goes by is recorded.
 */
export class FollowUps {
  readonly #deps: FollowUpsDeps;
  readonly #reader: FollowUpReader;

  constructor(deps: FollowUpsDeps) {
    this.#deps = deps;
    this.#reader = new FollowUpReader({ ...deps, openReader: (id) => deps.sessions.openReader(id) });
  }

  /** As the record stands now. @throws EngineFailure where there is none */
  async look(id: string): Promise<FollowUpDecision> {
    return (await this.#reader.look(id)).decision;
  }

  /**
   * For a run that is about to begin, whose writer `state` has: the request as it may begin. What no trigger wrote passes as it
   * is. @throws FollowUpRefused
   */
  async admit(state: SessionState, request: ResumeRequest): Promise<ResumeRequest> {
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
      // Whoever planned it may have planned it for what was said before.
      if (decision.at > now + timerSlack) throw new FollowUpRefused('early');
      if (!(await this.#reader.slots.take(localDay(now), dayLimits(state.summary, rules)))) {
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

  /** Takes back what is due now; more that is said lifts it. @throws EngineFailure where another process writes the record */
  cancel(id: string): Promise<void> {
    return this.#change(id, (state) => ({ ...state.session.follow_ups, cancelled_at: state.total }));
  }

  /** Whatever its agent's file and the settings say. @throws EngineFailure where another process writes the record */
  turn(id: string, on: boolean): Promise<void> {
    return this.#change(id, () => ({ on }));
  }

  /** For all windows on this machine. */
  async pause(): Promise<void> {
    await mkdir(path.dirname(this.#reader.pausedFile), { recursive: true, mode: 0o700 });
    await writeFile(this.#reader.pausedFile, '', { mode: 0o600 });
  }

  async unpause(): Promise<void> {
    await rm(this.#reader.pausedFile, { force: true });
  }

  paused(): Promise<boolean> {
    return this.#reader.paused();
  }

  #change(id: string, change: (state: SessionState) => SessionSummary['follow_ups']): Promise<void> {
    const { sessions } = this.#deps;
    return sessions.using(id, (state) => sessions.change(id, { follow_ups: change(state) }));
  }
}

function dayLimits(summary: SessionSummary, { perDay, perDayOfAgent }: FollowUpRules): readonly DayLimit[] {
  return [
    { scope: allAgents, limit: perDay },
    { scope: followUpScope(summary), limit: perDayOfAgent },
  ];
}

/** Why a follow-up did not go out. No one asked for it, so it is for the log, and for whoever planned it. */
export class FollowUpRefused extends Error {
  override readonly name = 'FollowUpRefused';
  /** `changed`: the conversation continued since it was planned. `quiet`, `early`: it is to wait. */
  readonly why: NoFollowUpReason | 'changed' | 'quiet' | 'early';

  constructor(why: FollowUpRefused['why']) {
    super(`No follow-up: ${why}.`);
    this.why = why;
  }

  static is(error: unknown): error is FollowUpRefused {
    return error instanceof FollowUpRefused;
  }
}
