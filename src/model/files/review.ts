import * as z from 'zod';

/**
 * What a person decided about changes in one file: `reviewed` or `open` again, `reverted`, or `restored` by undoing that. A key
 * is derived from the text of a change, so it no longer matches if the text changes.
 */
export const reviewDecisionSchema = z.object({
  type: z.literal('review'),
  /** ISO 8601. */
  at: z.string(),
  path: z.string().max(4096),
  keys: z.array(z.string().max(40)).max(10_000),
  to: z.enum(['reviewed', 'open', 'reverted', 'restored']),
});
export type ReviewDecision = z.infer<typeof reviewDecisionSchema>;
