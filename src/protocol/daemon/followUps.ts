import * as z from 'zod';
import { triggerTypeSchema } from '../../model/transcript/metadata.ts';
import { sessionIdSchema } from '../../model/session/session.ts';

/** Follow-ups that the daemon has planned, soonest first, and whether a person paused all of them. */
export const followUpsStateSchema = z.object({
  due: z.array(
    z.object({
      session_id: sessionIdSchema,
      title: z.string(),
      trigger_type: triggerTypeSchema,
      prompt: z.string(),
      /** Epoch milliseconds. */
      at: z.number(),
    }),
  ),
  paused: z.boolean(),
});
export type FollowUpsState = z.infer<typeof followUpsStateSchema>;
