import { cutPrompt } from '../formats/recordState.ts';
import type { Session } from '../model/session.ts';
import type { SessionSummary } from '../model/summary.ts';
import type { AgentSource } from './agentSource.ts';

const titleLength = 80;

/** The first line of the prompt. */
export function titleOf(prompt: string): string {
  const [line = ''] = prompt.trim().split('\n', 1);
  const characters = Array.from(line.trim());
  return characters.length <= titleLength ? line.trim() : `${characters.slice(0, titleLength - 1).join('')}…`;
}

/** What is known of a session that nothing was run in. */
export function newSummary(session: Session, prompt: string, source: AgentSource): SessionSummary {
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
