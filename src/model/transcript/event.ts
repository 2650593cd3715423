import * as z from 'zod';
import { syntheticSchema } from './metadata.ts';

const base = { session_id: z.string(), timestamp: z.string() };
const toolCall = {
  tool_name: z.string(),
  tool_input: z.record(z.string(), z.unknown()).optional(),
  tool_call_id: z.string().optional(),
  parent_tool_call_id: z.string().optional(),
};

/** One event, as the coordinator streams it. Times are ISO 8601. */
export const eventSchema = z.discriminatedUnion('event_type', [
  z.object({ event_type: z.literal('session_start'), ...base }),
  z.object({ event_type: z.literal('pre_tool'), ...base, ...toolCall }),
  z.object({
    event_type: z.literal('post_tool'),
    ...base,
    ...toolCall,
    tool_output: z.unknown().optional(),
    error: z.string().nullish(),
  }),
  z.object({
    event_type: z.literal('session_stop'),
    ...base,
    exit_code: z.number().int().optional(),
    reason: z.string().optional(),
  }),
  z.object({
    event_type: z.literal('message'),
    ...base,
    role: z.enum(['assistant', 'user']),
    content: z.array(z.object({ type: z.literal('text'), text: z.string() })),
    /** The call of the subagent that wrote it; absent in the main conversation. */
    parent_tool_call_id: z.string().optional(),
    /** Marks an automatic message. */
    metadata: syntheticSchema.optional(),
  }),
]);
export type CoordinatorEvent = z.infer<typeof eventSchema>;
