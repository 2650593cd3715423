import * as z from 'zod';

/** How much of a session the team can see: `metadata` is what lists show, `records` the whole transcript as well. */
export const shareSchema = z.enum(['nothing', 'metadata', 'records']);
export type Share = z.infer<typeof shareSchema>;
