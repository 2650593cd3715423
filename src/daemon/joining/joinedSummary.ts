import { needsYou } from '../../engine/requests/requestRecord.ts';
import type { LiveState } from '../../model/observedState.ts';
import type { SessionSummary } from '../../model/session/summary.ts';
import type { AgentLink } from './agentLink.ts';

/** Another program's session with the state that the agent's server reports, which its store does not have. */
export function joinedSummary(summary: SessionSummary, link: Pick<AgentLink, 'isBusy' | 'pending'>): SessionSummary {
  const { observed } = summary;
  if (observed === undefined) return summary;
  return {
    ...summary,
    status: link.isBusy ? 'running' : 'finished',
    needs_you: needsYou(link.pending()),
    observed: { ...observed, live: liveStateOf(observed.live, link) },
  };
}

function liveStateOf({ since, pid }: LiveState, link: Pick<AgentLink, 'isBusy' | 'pending'>): LiveState {
  const [oldest] = link.pending();
  const waiting = oldest?.kind === 'permission' ? 'waiting_for_permission' : 'waiting_for_you';
  return {
    state: oldest !== undefined ? waiting : link.isBusy ? 'running' : 'idle',
    since: oldest?.asked_at ?? since,
    source: 'process',
    ...(pid !== undefined && { pid }),
  };
}
