import type { ExecutorType } from '../../model/session/session.ts';
import { atLeast } from '../../model/text/versions.ts';

/**
 * First versions with which a new conversation can continue from the end of another. Claude Code before 1.0.126 does that with
 * each resume. Of Codex 0.77.0 has no `codex exec fork`, and 0.169.0 has.
 */
const forkSince: Partial<Readonly<Record<ExecutorType, string>>> = { 'claude-code': '1.0.3', codex: '0.169.0' };

/** `version`: `null` where the agent did not report it. */
export function canFork(agent: ExecutorType | undefined, version: string | null): boolean {
  const since = agent === undefined ? undefined : forkSince[agent];
  return since !== undefined && (version === null || atLeast(version, since));
}
