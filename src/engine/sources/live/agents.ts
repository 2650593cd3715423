import path from 'node:path';
import type { StoreRoot } from '../../../agents/stores/storeFormat.ts';
import type { ObservedAgent } from '../../../model/session/observed.ts';
import { isVersionSince } from '../../../model/text/versions.ts';
import type { SessionFiles } from '../groups.ts';
import type { BriefFacts } from '../reading/factsCache.ts';
import { claudeMarks } from './claude.ts';
import { codexMarks } from './codex.ts';
import { copilotMarks } from './copilot.ts';
import type { ProcessMark } from './marks.ts';
import type { ProcessProbe } from './processes.ts';
import { qwenMarks } from './qwen.ts';

/** Detects whether a process has a session open. */
interface LiveSource {
  /** By native id. */
  marks(
    roots: readonly StoreRoot[],
    sessions: readonly SessionFiles[],
    processes: ProcessProbe,
  ): Promise<ReadonlyMap<string, ProcessMark>>;
  /** Folders outside of the roots with these marks. */
  folders?(roots: readonly StoreRoot[]): readonly string[];
  /** Whether the agent would have left a mark for this session. */
  leavesMarks(facts: BriefFacts): boolean;
}

function foldersBesideRoots(name: string): (roots: readonly StoreRoot[]) => readonly string[] {
  return (roots) => [...new Set(roots.map((root) => path.join(path.dirname(root.path), name)))];
}

const sources: Partial<Readonly<Record<ObservedAgent, LiveSource>>> = {
  'claude-code': {
    marks: claudeMarks,
    folders: foldersBesideRoots('sessions'),
    leavesMarks: ({ agentVersion }) => isVersionSince(agentVersion, '2.1.139') === true,
  },
  // Versions before 0.169 may already have locks. Only Linux reports the holder of a lock.
  codex: {
    marks: codexMarks,
    folders: foldersBesideRoots('thread-writer-locks'),
    leavesMarks: ({ agentVersion }) => process.platform === 'linux' && isVersionSince(agentVersion, '0.169.0') === true,
  },
  copilot: { marks: copilotMarks, leavesMarks: () => true },
  // Only in a terminal.
  qwen: {
    marks: qwenMarks,
    folders: foldersBesideRoots('sessions'),
    leavesMarks: ({ agentVersion, entryPoint }) =>
      entryPoint === 'terminal' && isVersionSince(agentVersion, '0.24.0') === true,
  },
};

export function liveSource(agent: ObservedAgent): LiveSource | undefined {
  return sources[agent];
}
