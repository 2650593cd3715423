import type { RecordedRun } from '../../formats/record.ts';
import type { ResumeRequest, StartRequest } from '../api.ts';
import type { ReplacedIds } from '../run/runPlan.ts';
import { cutPrompt } from '../../formats/recordState.ts';
import type { Session } from '../../model/session/session.ts';
import type { SessionSummary } from '../../model/session/summary.ts';
import type { AgentLauncher } from '../launch/agentLauncher.ts';

const titleLength = 80;

/** First line of the prompt. */
export function titleOf(prompt: string): string {
  const [line = ''] = prompt.trim().split('\n', 1);
  const characters = Array.from(line.trim());
  return characters.length <= titleLength ? line.trim() : `${characters.slice(0, titleLength - 1).join('')}…`;
}

/** Summary of a session without runs. */
export function newSummary(session: Session, prompt: string, source: AgentLauncher): SessionSummary {
  const none = { provenance: 'unknown', reason: 'Nothing has been reported yet.' } as const;
  return {
    ...session,
    agent_label: source.label,
    agent_version: null,
    model: null,
    permission_mode: null,
    prompt: cutPrompt(prompt),
    outcome: 'none',
    runs: 0,
    entries: 0,
    turns: null,
    cost: none,
    total_cost: none,
    usage: {},
    total_usage: {},
    duration: null,
    api_duration: null,
    context_window: null,
    updated_at: session.created_at,
    recording: source.recording,
  };
}

/** A run that is about to start. */
export interface NewRun {
  readonly type: RecordedRun['type'];
  readonly request: Pick<
    ResumeRequest,
    | 'prompt'
    | 'options'
    | 'blueprint'
    | 'limits'
    | 'queued'
    | 'origin'
    | 'reason'
    | 'recall'
    | 'trigger'
    | 'interactive'
  > &
    Pick<StartRequest, 'race'>;
  /** Ids to resume by; `null` starts a new conversation. */
  readonly attempts: readonly (string | null)[];
  /** The agent's id of the conversation to fork. */
  readonly forkOf?: string;
  /** The agent's id of the last message or turn of that conversation to keep. */
  readonly forkAt?: string;
  /** Ids of the conversation that the new one replaces. */
  readonly replacedIds?: ReplacedIds;
  /** Context put before the prompt, for the agent only. */
  readonly prefix?: string;
  /** If aborted, the run must not start. */
  readonly signal?: AbortSignal | undefined;
}
