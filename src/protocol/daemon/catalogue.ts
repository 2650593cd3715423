import * as z from 'zod';
import { sessionIdSchema } from '../../model/session/session.ts';

/** Progress of indexing: number of indexed sessions, of those that have changed. */
export const indexProgressSchema = z.object({ done: z.int().nonnegative(), of: z.int().nonnegative() });
export type IndexProgress = z.infer<typeof indexProgressSchema>;

const indexUpdateSchema = z.object({
  /** Sessions that could not be indexed. */
  unreadable: z.array(z.object({ id: z.string(), reason: z.string() })).readonly(),
});
export type IndexUpdate = z.infer<typeof indexUpdateSchema>;

/**
 * Brings the catalogue up to date, which the daemon otherwise does in the background. `sessions`: only these; default
 * all.
 */
export const updateCatalogueCall = {
  params: z.object({ sessions: z.array(sessionIdSchema).max(100_000).optional() }),
  result: indexUpdateSchema,
} as const;
