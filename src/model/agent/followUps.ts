import * as z from 'zod';
import type { Origin } from '../transcript/entry.ts';
import { type syntheticSchema, triggerTypeSchema, type TriggerType } from '../transcript/metadata.ts';

const timeOfDay = z.string().regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/, 'Use the form 22:00.');

/** When and how often Vitrine follows up on an agent. Absent: the user's settings, else the default. */
export const followUpFileSchema = z.strictObject({
  triggers: z.array(triggerTypeSchema).optional().describe('Reasons for follow-ups. Default: all but check_in.'),
  delay_minutes: z
    .number()
    .positive()
    .max(7 * 24 * 60)
    .optional()
    .describe('Minutes without activity before a follow-up. Default: 10.'),
  max_per_session: z.int().nonnegative().max(100).optional().describe('Maximum follow-ups per session. Default: 3.'),
  max_per_day: z
    .int()
    .nonnegative()
    .max(1000)
    .optional()
    .describe('Maximum follow-ups of this agent per day. Default: 20.'),
  quiet_hours: z
    .strictObject({ from: timeOfDay, to: timeOfDay })
    .optional()
    .describe('Quiet hours in local time. A follow-up that comes due during quiet hours waits until they end.'),
  max_budget_usd: z
    .number()
    .positive()
    .optional()
    .describe('Maximum cost of all follow-ups per session, in US dollars.'),
});
export type FollowUpFile = z.infer<typeof followUpFileSchema>;

/**
 * A session's own choice. `cancelled_at`: its number of entries when a due follow-up was cancelled; more entries lift that.
 */
export const sessionFollowUpsSchema = z.object({
  on: z.boolean().optional(),
  cancelled_at: z.int().nonnegative().optional(),
});
export type SessionFollowUps = z.infer<typeof sessionFollowUpsSchema>;

/** Reason for an automatic message. */
export interface Trigger {
  readonly type: TriggerType;
  readonly reason: string;
}

/** A trigger for a conversation with `total` entries. If the conversation has grown since, the trigger no longer applies. */
export interface PlannedTrigger extends Trigger {
  readonly total: number;
}

/** The marks of an automatic prompt. */
interface MessageAuthor {
  readonly trigger?: Trigger | undefined;
  readonly origin?: Origin | undefined;
  readonly reason?: string | undefined;
}

/** Marks an automatic message with the specification's names. Depends on who wrote it, never on its text. */
export function marksOf({ trigger, origin, reason }: MessageAuthor): z.infer<typeof syntheticSchema> {
  if (trigger !== undefined) return { synthetic: true, trigger_type: trigger.type, trigger_reason: trigger.reason };
  if (origin !== 'callback') return {};
  return { synthetic: true, ...(reason !== undefined && { trigger_reason: reason }) };
}
