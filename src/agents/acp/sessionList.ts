import { field, nonEmpty, objects } from '../shared/guards.ts';

/** A conversation in the agent's own list. */
export interface AgentSession {
  readonly id: string;
  readonly cwd: string | null;
  readonly title: string | null;
  /** ISO 8601, as the agent gives it. */
  readonly updatedAt: string | null;
}

const maxText = 1000;

/** One page of the answer to `session/list`. `next`: cursor of the next page. */
export function sessionPageOf(answer: unknown): {
  readonly sessions: readonly AgentSession[];
  readonly next: string | null;
} {
  const sessions = objects(field(answer, 'sessions')).flatMap((session): AgentSession[] => {
    const id = nonEmpty(session['sessionId']);
    // A shortened id would be another one.
    if (id === undefined || id.length > maxText) return [];
    return [
      {
        id,
        cwd: truncateText(session['cwd']),
        title: truncateText(session['title']),
        updatedAt: truncateText(session['updatedAt']),
      },
    ];
  });
  return { sessions, next: nonEmpty(field(answer, 'nextCursor')) ?? null };
}

function truncateText(value: unknown): string | null {
  return nonEmpty(value)?.slice(0, maxText) ?? null;
}
