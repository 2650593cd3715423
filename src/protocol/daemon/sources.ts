import * as z from 'zod';
import { sessionSummarySchema } from '../../model/session/summary.ts';

/** Which sessions of other programs a client shows: of its folders, of their repositories with worktrees and clones, or all. */
export const sourceScopes = ['folder', 'repository', 'everything'] as const;
const sourceScopeSchema = z.enum(sourceScopes);
export type SourceScope = z.infer<typeof sourceScopeSchema>;

/**
 * Lists the sessions that other programs keep in their own stores, newest first, and tells of them in `news` until
 * `unwatchSources`, another `watchSources` or the end of the connection. Sessions that Vitrine recorded itself are left out.
 */
export const watchSourcesCall = {
  params: z.object({
    /** Absolute path. */
    home: z.string().min(1),
    /** Variables that name stores, as they are for the client. */
    variables: z.record(z.string(), z.string()),
    scope: sourceScopeSchema,
    /** Of the client; absolute paths. Without any, everything is in scope. */
    folders: z.array(z.string()).max(100),
    limit: z.int().positive().max(100_000),
  }),
  result: z.object({
    sessions: z.array(sessionSummarySchema),
    /** Sessions out of scope, and such in scope beyond `limit`. */
    out_of_scope: z.int().nonnegative(),
    beyond: z.int().nonnegative(),
    /** Folders in which sessions are looked for. */
    looked_in: z.array(z.string()),
  }),
} as const;
