import { mkdir, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { everythingOpen, openEnds, tellsAllEnds, tellsEnds } from '../../insight/followUps/conversation.ts';
import {
  decideFollowUp,
  type FollowUpDecision,
  type FollowUpFacts,
  type WhyNot,
} from '../../insight/followUps/decide.ts';
import type { NormalizedEntry } from '../../model/transcript/entry.ts';
import { rulesOf, type FollowUpRules } from '../../insight/followUps/rules.ts';
import type { RecordedRun } from '../../formats/record.ts';
import { isSessionLive } from '../../model/session/status.ts';
import type { SessionSummary } from '../../model/session/summary.ts';
import type { EngineDeps } from '../engineDeps.ts';
import type { ResumeRequest } from '../api.ts';
import { localDay } from '../usage/localDay.ts';
import { logLine } from '../log/logLine.ts';
import type { RecordedResult, RecordReader } from '../record/contract.ts';
import type { Sessions } from '../sessions/sessions.ts';
import type { SessionState } from '../sessions/sessionState.ts';
import { DaySlots, type DayLimit } from './daySlots.ts';

/** Entries at the end of a session that are read at once, and at most. */
const page = 1000;
const mostEntries = 20 * page;
/** Milliseconds that a timer may run out before a clock says so. */
const timerSlack = 1000;

export interface FollowUpsDeps extends Pick<EngineDeps, 'storeDir' | 'clock' | 'log' | 'settings' | 'blueprints'> {
  readonly sessions: Pick<Sessions, 'openReader' | 'using' | 'change'>;
  /** Milliseconds, by a clock that no one sets. */
  readonly uptime?: () => number;
}

/**
 * Says of each session whether it is to be followed up, and lets a run that a trigger wrote begin or not: here, on the way of
 * every run, its limits hold, whoever planned it. All it goes by is recorded.
 */
export class FollowUps {
  readonly #deps: FollowUpsDeps;
  readonly #slots: DaySlots;
  readonly #pausedFile: string;

  constructor(deps: FollowUpsDeps) {
    const folder = path.join(deps.storeDir, 'follow-ups');
    this.#deps = deps;
    this.#slots = new DaySlots(folder, deps.uptime ?? (() => performance.now()));
    this.#pausedFile = path.join(folder, 'paused');
  }

  /** As the record stands now. @throws EngineFailure where there is none */
  async look(id: string): Promise<FollowUpDecision> {
    const reader = await this.#deps.sessions.openReader(id);
    try {
      return (await this.#decide(reader)).decision;
    } finally {
      await reader.close();
    }
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
      const { decision, rules } = await this.#decide(reader);
      if (!decision.due) throw new FollowUpRefused(decision.why);
      if (decision.total !== trigger.total || decision.trigger.type !== trigger.type)
        throw new FollowUpRefused('changed');
      const now = this.#deps.clock();
      if (rules === null || decision.quietUntil > now) throw new FollowUpRefused('quiet');
      // Whoever planned it may have planned it for what was said before.
      if (decision.at > now + timerSlack) throw new FollowUpRefused('early');
      if (!(await this.#slots.take(localDay(now), dayLimits(state.summary, rules)))) {
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
    await mkdir(path.dirname(this.#pausedFile), { recursive: true, mode: 0o700 });
    await writeFile(this.#pausedFile, '', { mode: 0o600 });
  }

  async unpause(): Promise<void> {
    await rm(this.#pausedFile, { force: true });
  }

  async paused(): Promise<boolean> {
    return (await stat(this.#pausedFile).catch(() => null)) !== null;
  }

  #change(id: string, change: (state: SessionState) => SessionSummary['follow_ups']): Promise<void> {
    const { sessions } = this.#deps;
    return sessions.using(id, (state) => sessions.change(id, { follow_ups: change(state) }));
  }

  async #decide(reader: RecordReader) {
    const { summary } = reader;
    const rules = await this.#rules(summary);
    const now = this.#deps.clock();
    const using = { now, paused: await this.paused(), minuteOfDay };
    const facts = await this.#factsAtBest(reader, now);
    const atBest = decideFollowUp(facts, rules, using);
    // Most sessions have ended for good, and their records are not read for it.
    const decision = atBest.due ? decideFollowUp({ ...facts, ...(await this.#read(reader)) }, rules, using) : atBest;
    const { log } = this.#deps;
    const outcome = decision.due
      ? { trigger_type: decision.trigger.type, reason: decision.trigger.reason, at: iso(decision.at) }
      : { why: decision.why };
    const { session_id: session } = summary;
    log.debug(logLine('follow-up decided', { session, entries: facts.total, due: decision.due, ...outcome }));
    return { decision, rules };
  }

  async #rules(summary: SessionSummary): Promise<FollowUpRules | null> {
    const { settings, blueprints } = this.#deps;
    const { agent_name: name, project_dir: dir } = summary;
    const all = name === undefined || dir === undefined ? [] : ((await blueprints?.load(dir)) ?? []);
    const agent = all.find((each) => each.name === name)?.agent;
    return rulesOf(summary, settings().followUps ?? {}, agent?.follow_ups);
  }

  /** With everything open, and nothing sent. */
  async #factsAtBest(reader: RecordReader, now: number): Promise<FollowUpFacts> {
    const { summary, total } = reader;
    const day = localDay(now);
    const { updated_at, follow_ups } = summary;
    const last = reader.turns.at(-1);
    return {
      idle: isIdle(summary),
      since: Date.parse(last?.completed_at ?? updated_at),
      total,
      cancelledAt: follow_ups?.cancelled_at,
      ends: everythingOpen,
      sent: { count: 0, usd: 0 },
      today: { all: await this.#slots.count(day, allAgents), agent: await this.#slots.count(day, scopeOf(summary)) },
    };
  }

  async #read(reader: RecordReader): Promise<Pick<FollowUpFacts, 'ends' | 'sent'>> {
    const ends = openEnds(await lastEntries(reader));
    return { ends, sent: sentOf(await reader.runs(), await reader.results()) };
  }
}

async function lastEntries(reader: RecordReader): Promise<NormalizedEntry[]> {
  const entries: NormalizedEntry[] = [];
  const first = Math.max(0, reader.total - mostEntries);
  for (let to = reader.total; to > first && !tellsAllEnds(entries); to -= page) {
    entries.unshift(...(await reader.read(Math.max(first, to - page), to)).filter(tellsEnds));
  }
  return entries;
}

/** A child is its parent's to speak with; what was stopped, failed or came from elsewhere is a person's. */
function isIdle({ status, outcome, parent_session_id, imported, recording, hidden }: SessionSummary): boolean {
  const own = parent_session_id === undefined && imported === undefined && !recording && hidden !== true;
  return own && !isSessionLive(status) && outcome === 'completed';
}

function sentOf(runs: readonly RecordedRun[], results: readonly RecordedResult[]): FollowUpFacts['sent'] {
  // A callback is no follow-up: its session was resumed for its own children.
  const isSent = ({ synthetic, prompt_origin: by }: RecordedRun): boolean => synthetic === true && by !== 'callback';
  const costOf = ({ run_id }: RecordedRun): number | null =>
    results.findLast(({ runId }) => runId === run_id)?.metadata.cost ?? null;
  const usd = runs
    .filter(isSent)
    .map(costOf)
    .reduce((sum, cost) => (sum === null || cost === null ? null : sum + cost), 0);
  const byPerson = runs.findLastIndex(({ synthetic }) => synthetic !== true);
  const since = runs.slice(byPerson + 1).filter(isSent);
  const last = since.at(-1);
  const { trigger_type: type, trigger_reason: reason = '' } = last ?? {};
  return {
    count: since.length,
    usd,
    ...(last !== undefined && type !== undefined && { last: { type, reason, usd: costOf(last) } }),
  };
}

const allAgents = 'all';

function scopeOf({ agent_name: name, executor_type: type = 'claude-code' }: SessionSummary): string {
  return name === undefined ? `executor-${type}` : `agent-${encodeURIComponent(name)}`;
}

function dayLimits(summary: SessionSummary, { perDay, perDayOfAgent }: FollowUpRules): readonly DayLimit[] {
  return [
    { scope: allAgents, limit: perDay },
    { scope: scopeOf(summary), limit: perDayOfAgent },
  ];
}

function minuteOfDay(at: number): number {
  const date = new Date(at);
  return date.getHours() * 60 + date.getMinutes();
}

const iso = (at: number): string => new Date(at).toISOString();

/** Why a follow-up did not go out. No one asked for it, so it is for the log, and for whoever planned it. */
export class FollowUpRefused extends Error {
  override readonly name = 'FollowUpRefused';
  /** `changed`: the conversation continued since it was planned. `quiet`, `early`: it is to wait. */
  readonly why: WhyNot | 'changed' | 'quiet' | 'early';

  constructor(why: FollowUpRefused['why']) {
    super(`No follow-up: ${why}.`);
    this.why = why;
  }

  static is(error: unknown): error is FollowUpRefused {
    return error instanceof FollowUpRefused;
  }
}
