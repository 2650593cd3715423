import { stat } from 'node:fs/promises';
import path from 'node:path';
import {
  everythingOpen,
  findUnfinishedWork,
  isCompleteTail,
  affectsUnfinishedWork,
} from '../../insight/followUps/conversation.ts';
import {
  decideFollowUp,
  type FollowUpDecision,
  type FollowUpFacts,
  type SentFollowUps,
} from '../../insight/followUps/decide.ts';
import type { EndedRun } from '../../insight/followUps/dryRun.ts';
import type { NormalizedEntry } from '../../model/transcript/entry.ts';
import { rulesOf, type FollowUpRules } from '../../insight/followUps/rules.ts';
import type { RecordedRun } from '../../formats/record.ts';
import { isSessionLive } from '../../model/session/status.ts';
import type { SessionSummary } from '../../model/session/summary.ts';
import type { EngineDeps } from '../engineDeps.ts';
import { localDay } from '../usage/localDay.ts';
import { logLine } from '../log/logLine.ts';
import type { RecordedResult, RecordReader } from '../record/contract.ts';
import { DaySlots } from './daySlots.ts';

/** Entries per read, and in total, at the end of a session. */
const page = 1000;
const maxEntries = 20 * page;
/** Maximum number of runs per session in a dry run; the newest count. */
const maxRuns = 20;

export interface FollowUpReaderDeps extends Pick<EngineDeps, 'storeDir' | 'clock' | 'log' | 'settings' | 'blueprints'> {
  readonly openReader: (id: string) => Promise<RecordReader>;
  /** Monotonic milliseconds. */
  readonly uptime?: () => number;
}

/** The follow-up decision for a session, with the facts behind it. */
export interface FollowUpOutlook {
  readonly decision: FollowUpDecision;
  /** `null`: follow-ups are off for this session. */
  readonly rules: FollowUpRules | null;
}

/** Reads the facts for follow-up decisions from records and settings. Changes nothing. */
export class FollowUpReader {
  /** Exists while the user has paused all follow-ups. */
  readonly pausedFile: string;
  readonly slots: DaySlots;
  readonly #deps: FollowUpReaderDeps;

  constructor(deps: FollowUpReaderDeps) {
    const folder = path.join(deps.storeDir, 'follow-ups');
    this.#deps = deps;
    this.slots = new DaySlots(folder, deps.uptime ?? (() => performance.now()));
    this.pausedFile = path.join(folder, 'paused');
  }

  async isPaused(): Promise<boolean> {
    return (await stat(this.pausedFile).catch(() => null)) !== null;
  }

  /** Decision for the current state of the record. @throws EngineFailure if there is no record */
  look(id: string): Promise<FollowUpOutlook> {
    return this.#withReader(id, (reader) => this.decide(reader));
  }

  /**
   * Runs of a session that ended at or after `since` (epoch ms), oldest first, with their unfinished work; the newest
   * if there are too many. `isOff`: follow-ups are off, and `rules` are those that would apply if they were on.
   * @throws EngineFailure if there is no record
   */
  endedRuns(id: string, since: number): Promise<{ runs: EndedRun[]; rules: FollowUpRules | null; isOff: boolean }> {
    return this.#withReader(id, async (reader) => {
      const { summary } = reader;
      const rules = await this.#rulesFor(summary);
      const onRules = rules ?? (await this.#rulesFor({ ...summary, follow_ups: { ...summary.follow_ups, on: true } }));
      const found = isUserSession(summary) ? await endedRunsOf(reader, since) : [];
      return { runs: found, rules: onRules, isOff: rules === null };
    });
  }

  async decide(reader: RecordReader): Promise<FollowUpOutlook> {
    const { summary } = reader;
    const rules = await this.#rulesFor(summary);
    const now = this.#deps.clock();
    const using = { now, isPaused: await this.isPaused(), minuteOfDay };
    const facts = await this.#bestCaseFacts(reader, now);
    const bestCase = decideFollowUp(facts, rules, using);
    // Most sessions can be ruled out without reading their record.
    const decision = bestCase.due ? decideFollowUp({ ...facts, ...(await readFacts(reader)) }, rules, using) : bestCase;
    const { log } = this.#deps;
    const outcome = decision.due
      ? { trigger_type: decision.trigger.type, reason: decision.trigger.reason, at: iso(decision.at) }
      : { why: decision.why };
    const { session_id: session } = summary;
    log.debug(logLine('follow-up decided', { session, entries: facts.total, due: decision.due, ...outcome }));
    return { decision, rules };
  }

  async #withReader<T>(id: string, read: (reader: RecordReader) => Promise<T>): Promise<T> {
    const reader = await this.#deps.openReader(id);
    try {
      return await read(reader);
    } finally {
      await reader.close();
    }
  }

  async #rulesFor(summary: SessionSummary): Promise<FollowUpRules | null> {
    const { settings, blueprints } = this.#deps;
    const { agent_name: name, project_dir: dir } = summary;
    const all = name === undefined || dir === undefined ? [] : ((await blueprints?.load(dir)) ?? []);
    const agent = all.find((blueprint) => blueprint.name === name)?.agent;
    return rulesOf(summary, settings().followUps ?? {}, agent?.follow_ups);
  }

  /** Facts of the best case: with unfinished work, and nothing sent yet. */
  async #bestCaseFacts(reader: RecordReader, now: number): Promise<FollowUpFacts> {
    const { summary, total } = reader;
    const day = localDay(now);
    const { updated_at, follow_ups } = summary;
    const last = reader.turns.at(-1);
    return {
      isIdle: isIdle(summary),
      since: Date.parse(last?.completed_at ?? updated_at),
      total,
      cancelledAt: follow_ups?.cancelled_at,
      unfinishedWork: everythingOpen,
      sent: { count: 0, usd: 0 },
      sentToday: {
        all: await this.slots.count(day, allAgents),
        agent: await this.slots.count(day, followUpScope(summary)),
      },
    };
  }
}

async function readFacts(reader: RecordReader): Promise<Pick<FollowUpFacts, 'unfinishedWork' | 'sent'>> {
  const unfinishedWork = findUnfinishedWork(await lastEntries(reader));
  return { unfinishedWork, sent: findSentFollowUps(await reader.runs(), await reader.results()) };
}

async function lastEntries(reader: RecordReader): Promise<NormalizedEntry[]> {
  const entries: NormalizedEntry[] = [];
  const first = Math.max(0, reader.total - maxEntries);
  for (let to = reader.total; to > first && !isCompleteTail(entries); to -= page) {
    entries.unshift(...(await reader.read(Math.max(first, to - page), to)).filter(affectsUnfinishedWork));
  }
  return entries;
}

async function endedRunsOf(reader: RecordReader, since: number): Promise<EndedRun[]> {
  const [runs, results] = [await reader.runs(), await reader.results()];
  const ended = runs.flatMap((run, place) => {
    const endedAt = Date.parse(run.completed_at ?? '');
    return endedAt >= since ? [{ run, place, endedAt }] : [];
  });
  const newest = ended.slice(-maxRuns);
  if (newest.length === 0) return [];
  const entries = (await reader.read(Math.max(0, reader.total - maxEntries), reader.total)).filter(
    affectsUnfinishedWork,
  );
  const { summary } = reader;
  return newest.map(({ run, place, endedAt }) => {
    const next = Date.parse(runs[place + 1]?.created_at ?? '');
    const total = run.end_index ?? reader.total;
    return {
      sessionId: summary.session_id,
      scope: followUpScope(summary),
      endedAt,
      isCompleted: run.status === 'completed',
      total,
      unfinishedWork: findUnfinishedWork(entries.filter(({ index }) => index < total)),
      sent: findSentFollowUps(runs.slice(0, place + 1), results),
      ...(!Number.isNaN(next) && { nextAt: next }),
    };
  });
}

function isUserSession({ parent_session_id, imported, recording, hidden }: SessionSummary): boolean {
  return parent_session_id === undefined && imported === undefined && !recording && hidden !== true;
}

/** Parents speak to their child sessions. Stopped, failed and imported sessions are left to the user. */
function isIdle(summary: SessionSummary): boolean {
  return isUserSession(summary) && !isSessionLive(summary.status) && summary.outcome === 'completed';
}

function findSentFollowUps(runs: readonly RecordedRun[], results: readonly RecordedResult[]): SentFollowUps {
  // Callbacks are not follow-ups: they report results of child sessions.
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

export const allAgents = 'all';

/** Scope of a session's daily limit. */
export function followUpScope({ agent_name: name, executor_type: type = 'claude-code' }: SessionSummary): string {
  return name === undefined ? `executor-${type}` : `agent-${encodeURIComponent(name)}`;
}

/** Minute of the local day. */
export function minuteOfDay(at: number): number {
  const date = new Date(at);
  return date.getHours() * 60 + date.getMinutes();
}

const iso = (at: number): string => new Date(at).toISOString();
