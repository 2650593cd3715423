import * as z from 'zod';
import { agentRequestSchema } from '../../model/agent/request.ts';
import { sessionIdSchema } from '../../model/session/session.ts';

/** Maximum milliseconds that a daemon waits for news. */
const maxWaitMs = 30_000;

/**
 * How a client follows a session in a daemon of any version: it asks again from `next` until `live` is false. Its form never
 * changes, so later versions may extend everything that is not checked here.
 */
export const transcriptCall = {
  params: z.object({
    session_id: sessionIdSchema,
    from: z.int().nonnegative(),
    /** Maximum wait in ms. The answer comes earlier if an entry settles or the pending requests change. */
    wait_ms: z.int().nonnegative().max(maxWaitMs),
    /** Ids of the requests that the client knows. */
    waiting: z.array(z.string()).max(1000),
  }),
  result: z.object({
    /** Settled entries from `from` on, in order; an entry that settles late delays those after it. */
    entries: z.array(z.looseObject({ index: z.int().nonnegative() })),
    next: z.int().nonnegative(),
    live: z.boolean(),
    /** How the last run ended; `running` if it has not. */
    outcome: z.string(),
    /** Name of the agent, for people. */
    agent: z.string(),
    requests: z.array(agentRequestSchema),
    /** Whether the agent accepts messages now. Absent: unknown, as in the first daemons of protocol version 6. */
    takes_messages: z.boolean().optional(),
  }),
} as const;
