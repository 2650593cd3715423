import * as z from 'zod';
import { agentRequestSchema } from '../../model/agent/request.ts';
import { sessionIdSchema } from '../../model/session/session.ts';

/** Milliseconds that a daemon waits for something new at most. */
const maxWaitMs = 30_000;

/**
 * How a client follows a session of a daemon of any version: it asks again from `next` until `live` is false. Its form
 * never changes, so nothing in it is checked that later versions may extend.
 */
export const transcriptCall = {
  params: z.object({
    session_id: sessionIdSchema,
    from: z.int().nonnegative(),
    /** Answer after this time where nothing is new: no entry has settled, and `waiting` is still what waits. */
    wait_ms: z.int().nonnegative().max(maxWaitMs),
    /** Ids of the requests that the client knows. */
    waiting: z.array(z.string()).max(1000),
  }),
  result: z.object({
    /** Settled entries from `from` on, in order; one that settles later than its successors holds them back. */
    entries: z.array(z.looseObject({ index: z.int().nonnegative() })),
    next: z.int().nonnegative(),
    live: z.boolean(),
    /** How the last run ended; of one that continues, `running`. */
    outcome: z.string(),
    /** Name of the agent, for people. */
    agent: z.string(),
    requests: z.array(agentRequestSchema),
  }),
} as const;
