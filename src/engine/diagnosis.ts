import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { isSessionLive } from '../model/session/status.ts';
import type { SessionSummary } from '../model/session/summary.ts';
import type { AgentReport } from './api.ts';
import type { Archive } from './archive/archive.ts';
import type { ReadOnlyEngine } from './readOnlyEngine.ts';
import { type SessionFolder, sessionFolders } from './folders/sessionFolders.ts';

/** Result of Doctor: stored sessions, unreadable ones, and the state of each agent. */
export interface Diagnosis {
  readonly summaries: readonly SessionSummary[];
  readonly running: number;
  readonly interrupted: number;
  /** Ids of sessions that the user hid. */
  readonly hidden: readonly string[];
  /** Missing folders first, then by number of sessions. */
  readonly folders: readonly SessionFolder<SessionSummary>[];
  readonly unreadable: readonly { readonly id: string; readonly reason: string }[];
  /** Ids of permanently deleted sessions, oldest first. */
  readonly deleted: readonly string[];
  /** File names of the leases of running agents. */
  readonly leases: readonly string[];
  readonly agents: readonly { readonly report: AgentReport; readonly lastError: SessionSummary | null }[];
}

/** Collects everything again, without caches. Runs programs only to ask for version and login. */
export async function diagnose(
  engine: Pick<ReadOnlyEngine, 'agents' | 'list'> & { readonly archive: Pick<Archive, 'missing'> },
  storeDir: string,
): Promise<Diagnosis> {
  const [reports, summaries] = await Promise.all([engine.agents({ fresh: true, login: true }), engine.list()]);
  const { unreadable, deleted } = await engine.archive.missing();
  return {
    summaries,
    running: summaries.filter(({ status }) => isSessionLive(status)).length,
    interrupted: summaries.filter(({ outcome }) => outcome === 'interrupted').length,
    hidden: summaries.filter(({ hidden }) => hidden === true).map(({ session_id: id }) => id),
    folders: await sessionFolders(summaries),
    unreadable,
    deleted,
    leases: await readdir(path.join(storeDir, 'leases')).catch(() => []),
    agents: reports.map((report) => ({ report, lastError: lastError(report, summaries) })),
  };
}

/** The newest failed run. Only the last run of each session is considered. */
function lastError(agent: AgentReport, summaries: readonly SessionSummary[]): SessionSummary | null {
  const failed = summaries.find(
    ({ executor_type: type, executor_profile: profile, outcome, recording }) =>
      type === agent.type && profile === agent.profile && outcome === 'failed' && recording === agent.recording,
  );
  return failed ?? null;
}
