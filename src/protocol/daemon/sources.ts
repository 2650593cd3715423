import * as z from 'zod';
import { observedAgents } from '../../model/session/observed.ts';
import { sessionIdSchema } from '../../model/session/session.ts';
import { sessionSummarySchema } from '../../model/session/summary.ts';

/**
 * Which sessions from other programs a client shows: those of its folders, of their repositories with worktrees and clones, or
 * all.
 */
export const sourceScopes = ['folder', 'repository', 'everything'] as const;
const sourceScopeSchema = z.enum(sourceScopes);
export type SourceScope = z.infer<typeof sourceScopeSchema>;

/**
 * Lists the sessions in the stores of other programs, newest first, and sends `news` of them until `unwatchSources`, another
 * `watchSources` or the end of the connection. Sessions that Vitrine recorded itself are excluded.
 */
export const watchSourcesCall = {
  params: z.object({
    /** Absolute path. */
    home: z.string().min(1),
    /** The client's variables that locate stores. */
    variables: z.record(z.string(), z.string()),
    scope: sourceScopeSchema,
    /** The client's folders, absolute. Without any, everything is in scope. */
    folders: z.array(z.string()).max(100),
    limit: z.int().positive().max(100_000),
    /** Every session that has ended is copied into a record, those out of scope too. */
    keep_all: z.boolean().default(false),
  }),
  result: z.object({
    sessions: z.array(sessionSummarySchema),
    /** Ids of copies in scope: sessions from other programs that are Vitrine's own now. */
    kept: z.array(sessionIdSchema),
    /** Sessions out of scope, and those in scope beyond `limit`. */
    out_of_scope: z.int().nonnegative(),
    beyond: z.int().nonnegative(),
    /** Folders that are searched for sessions. */
    looked_in: z.array(z.string()),
    /** By agent, after how many days without a change it deletes a session; absent if that is not known. */
    cleanup_days: z.partialRecord(z.enum(observedAgents), z.number().positive()),
  }),
} as const;
