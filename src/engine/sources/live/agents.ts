import type { ObservedAgent, StoreFacts } from '../../../model/observed.ts';
import { claudeMarks } from './claude.ts';
import type { ProcessMark } from './marks.ts';
import type { ProcessProbe } from './processes.ts';

/** How an agent shows that a process has a session open. */
interface LiveSource {
  /** By native id. */
  marks(root: string, processes: ProcessProbe): Promise<ReadonlyMap<string, ProcessMark>>;
  /** Whether the agent would have left a mark for this session. */
  tells(facts: StoreFacts): boolean;
}

const sources: Partial<Readonly<Record<ObservedAgent, LiveSource>>> = {
  'claude-code': { marks: claudeMarks, tells: ({ agentVersion }) => hasRegistry(agentVersion) },
};

export function liveSource(agent: ObservedAgent): LiveSource | undefined {
  return sources[agent];
}

/** The registry of processes came with 2.1.139. */
function hasRegistry(version: string | null): boolean {
  const [major = 0, minor = 0, patch = 0] = (version ?? '').split('.').map((part) => Number.parseInt(part, 10) || 0);
  return major > 2 || (major === 2 && (minor > 1 || (minor === 1 && patch >= 139)));
}
