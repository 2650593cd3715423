import * as z from 'zod';
import { demandsSchema } from '../../model/session/demands.ts';
import { originSchema } from '../../model/transcript/entry.ts';
import { executionModeSchema, executorTypeSchema, runIdSchema, sessionIdSchema } from '../../model/session/session.ts';
import { agentOptionsSchema, clientContextSchema } from './context.ts';

export const limitsSchema = z.object({
  usd: z.number().positive().exactOptional(),
  tokens: z.number().positive().exactOptional(),
  turns: z.number().positive().exactOptional(),
  minutes: z.number().positive().exactOptional(),
});

const blueprintSchema = z.object({
  name: z.string(),
  systemPrompt: z.string().exactOptional(),
  children: z.object({ children: z.number(), depth: z.number() }).exactOptional(),
  recall: z.literal('always').exactOptional(),
});

export const recalledSchema = z.object({
  source: z.enum(['current_message', 'last_real_user_message', 'conversation_summary']).nullable(),
  query: z.string(),
  passages: z
    .array(
      z.object({
        sessionId: z.string(),
        title: z.string(),
        entry: z.number(),
        at: z.string(),
        by: z.enum(['user', 'agent']),
        text: z.string(),
        cut: z.boolean(),
      }),
    )
    .readonly(),
  sessions: z.number(),
  elsewhere: z.number(),
});

/** Id of the queued run that it executes. */
const queuedSchema = z.object({
  run_id: runIdSchema,
  session_id: sessionIdSchema,
  created_at: z.string(),
  execution_mode: executionModeSchema,
  parent_session_id: sessionIdSchema.optional(),
  demands: demandsSchema.optional(),
  timeout_at: z.string().optional(),
  runner_id: z.string().optional(),
});

const runRequestFields = {
  prompt: z.string().min(1),
  options: agentOptionsSchema.exactOptional(),
  blueprint: blueprintSchema.exactOptional(),
  limits: limitsSchema.exactOptional(),
  recall: recalledSchema.exactOptional(),
  queued: queuedSchema.exactOptional(),
  executionMode: executionModeSchema.exactOptional(),
  origin: originSchema.exactOptional(),
  interactive: z.boolean().exactOptional(),
};

/** The client wants to follow the session from the start. */
const follow = z.boolean().default(false);

export const startParamsSchema = z.object({
  context: clientContextSchema,
  request: z.object({
    agent: executorTypeSchema,
    profile: z.string().exactOptional(),
    cwd: z.string().min(1),
    title: z.string().exactOptional(),
    parent: sessionIdSchema.exactOptional(),
    ...runRequestFields,
  }),
  follow,
});

export const resumeParamsSchema = z.object({
  context: clientContextSchema,
  session_id: sessionIdSchema,
  request: z.object({ ...runRequestFields, from: z.enum(['newest', 'original']).exactOptional() }),
  follow,
});
