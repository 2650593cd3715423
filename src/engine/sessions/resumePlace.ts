import { lstat, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import path from 'node:path';
import type { ResumePlace } from '../../insight/session/resumeCheck.ts';
import type { SessionSummary } from '../../model/session/summary.ts';
import { observedAgents } from '../../model/session/observed.ts';
import { topFolderOf } from '../folders/identity.ts';
import { observedId } from '../sources/ids.ts';
import type { SessionSources } from '../sources/sources.ts';

export interface ResumePlaceDeps {
  readonly sources?: Pick<SessionSources, 'find'> | undefined;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The session's record file. */
  readonly recordPath: string;
}

/** Facts about where a session would resume, from files and environment. Starts nothing. */
export async function resumePlace(
  summary: SessionSummary,
  { sources, environment, recordPath }: ResumePlaceDeps,
): Promise<Omit<ResumePlace, 'isSupported' | 'program' | 'isRemote'>> {
  const { project_dir: folder, hostname: recordedOn, executor_session_ids: ids } = summary;
  const [folderStats, worktree, container, record, conversation] = await Promise.all([
    folder === undefined ? null : stat(folder).catch(() => null),
    folder === undefined ? false : isLinkedWorktree(folder),
    isContainer(),
    stat(recordPath).catch(() => null),
    conversationOf(summary, sources),
  ]);
  const uid = process.getuid?.();
  return {
    isNamed: ids.length > 0,
    folderExists: folderStats?.isDirectory() === true,
    conversation,
    isFromOtherMachine: recordedOn !== undefined && recordedOn !== hostname(),
    belongsToOtherUser: record !== null && uid !== undefined && record.uid !== uid,
    isWorktree: worktree,
    isContainer: container,
    isCi: (environment['CI'] ?? '') !== '' && environment['CI'] !== 'false',
  };
}

async function conversationOf(
  { executor_type: type, executor_session_ids: ids }: SessionSummary,
  sources: ResumePlaceDeps['sources'],
): Promise<ResumePlace['conversation']> {
  const agent = observedAgents.find((observedAgent) => observedAgent === type);
  if (agent === undefined || sources === undefined) return 'unknown';
  // A resume tries the newest id first.
  for (const id of ids.toReversed()) {
    if ((await sources.find(observedId(agent, id))) !== undefined) return 'found';
  }
  return 'missing';
}

/** In a linked worktree, `.git` is a file that names the repository. */
async function isLinkedWorktree(folder: string): Promise<boolean> {
  const git = await lstat(path.join(await topFolderOf(folder), '.git')).catch(() => null);
  return git?.isFile() === true;
}

async function isContainer(): Promise<boolean> {
  const marks = ['/.dockerenv', '/run/.containerenv'].map((file) => stat(file).catch(() => null));
  return (await Promise.all(marks)).some((mark) => mark !== null);
}
