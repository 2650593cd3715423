import * as z from 'zod';
import { originSchema } from './entry.ts';
import { agentRequestSchema, decisionSchema } from '../agent/request.ts';

/** Time of the line, ISO 8601; the engine adds it. */
const at = z.string().optional();

/**
 * One line of the stream `client`: what Vitrine sent or decided during a run. It is stored beside the agent's output in
 * `runs/<run_id>.client`, so that the entries of a run can be rebuilt from both.
 */
export const clientLineSchema = z.discriminatedUnion('type', [
  /** Adds an open entry for the request. */
  z.object({ type: z.literal('request'), at, request: agentRequestSchema }),
  /** Settles that entry. */
  z.object({ type: z.literal('decision'), at, id: z.string(), decision: decisionSchema }),
  /** A message that was given to the agent after the prompt of the run. */
  z.object({ type: z.literal('message'), at, text: z.string(), origin: originSchema.default('human') }),
  z.object({ type: z.literal('note'), at, subtype: z.string(), content: z.string() }),
  /** Output of a terminal, or anything else, that Vitrine made for a tool call of the agent. */
  z.object({
    type: z.literal('tool_output'),
    at,
    callId: z.string(),
    stdout: z.string(),
    exitCode: z.number().int().nullable(),
  }),
]);
export type ClientLine = z.infer<typeof clientLineSchema>;
