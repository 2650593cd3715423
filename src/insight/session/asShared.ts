import type { SessionSummary, TeamShare } from '../../model/session/summary.ts';

/** Marked as another member's, whatever its owner wrote about it. What only its own machine can do is left out. */
export function asShared(summary: SessionSummary, shared: TeamShare): SessionSummary {
  const marked: SessionSummary = { ...summary, shared };
  delete marked.observed;
  delete marked.hidden;
  delete marked.follow_ups;
  // No other member can answer its agent's requests.
  if (shared.requested !== true) delete marked.needs_you;
  return marked;
}
