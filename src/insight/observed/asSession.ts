import { executorTypes } from '../../model/session/executorTypes.ts';
import type { ExecutorType } from '../../model/session/session.ts';
import type { SessionSummary } from '../../model/session/summary.ts';
import type { ObservedSummary } from './summary.ts';

/** The executor with which Vitrine can start this agent; `undefined`: none. */
export function executorOf(agent: string): ExecutorType | undefined {
  return executorTypes.find((type) => type === agent);
}

/** An observed session with the fields of Vitrine's own sessions. */
export function toSessionSummary(observed: ObservedSummary): SessionSummary {
  const {
    executor_type: agent,
    branch,
    entry_point,
    tool_calls,
    usage_reason,
    last_day,
    problem,
    source: { path },
    live,
    ...summary
  } = observed;
  const waits = live.state === 'waiting_for_permission' || live.state === 'waiting_for_you';
  const executor = executorOf(agent);
  return {
    ...summary,
    ...(executor !== undefined && { executor_type: executor }),
    ...(waits && { needs_you: { count: 1, since: live.since ?? summary.updated_at, title: '' } }),
    observed: {
      agent,
      path,
      live,
      entry_point,
      branch,
      tool_calls,
      usage_reason,
      problem,
      ...(last_day !== undefined && { last_day }),
    },
  };
}
