import * as z from 'zod';
import { mcpServersSchema } from '../../model/mcpServer.ts';
import { executorTypeSchema, sessionIdSchema } from '../../model/session.ts';

const variablesSchema = z.record(z.string(), z.string());

const agentSettingsSchema = z.object({
  program: z.string().exactOptional(),
  environment: variablesSchema.exactOptional(),
  resumeFrom: z.enum(['newest', 'original']).exactOptional(),
});

const acpProfileSchema = z.object({
  id: z.string(),
  label: z.string(),
  program: z.string().exactOptional(),
  programs: z.array(z.string()).readonly().exactOptional(),
  args: z.array(z.string()).readonly().exactOptional(),
  environment: variablesSchema.exactOptional(),
});

const acpHttpProfileSchema = z.object({
  id: z.string(),
  label: z.string(),
  baseUrl: z.string(),
  agent: z.string().exactOptional(),
  headers: variablesSchema.exactOptional(),
});

/**
 * What only the client knows and the daemon needs to start an agent in a folder. Holds secrets (environment, tokens): it
 * is kept in memory and never logged or recorded.
 */
export const clientContextSchema = z.object({
  /** Absolute path. */
  folder: z.string().min(1),
  /** The user trusts the folder. Without it the daemon starts nothing there. */
  trusted: z.boolean(),
  /** Of the agents, before the settings' own variables. */
  environment: variablesSchema,
  /** Resolved for the folder. */
  settings: z.object({
    agents: z.partialRecord(executorTypeSchema, agentSettingsSchema).exactOptional(),
    acp: z.array(acpProfileSchema).readonly().exactOptional(),
    acpHttp: z.array(acpHttpProfileSchema).readonly().exactOptional(),
    /** Tokens by profile id. */
    acpHttpTokens: variablesSchema.exactOptional(),
    replaySpeed: z.number().nonnegative().exactOptional(),
    /** The user's price table, as written. */
    prices: z.unknown().optional(),
  }),
});
export type ClientContext = z.infer<typeof clientContextSchema>;

const limitsSchema = z.object({
  usd: z.number().positive().exactOptional(),
  tokens: z.number().positive().exactOptional(),
  turns: z.number().positive().exactOptional(),
  minutes: z.number().positive().exactOptional(),
});

const agentOptionsSchema = z.object({
  model: z.string().exactOptional(),
  permissionMode: z.string().exactOptional(),
  maxTurns: z.number().exactOptional(),
  maxBudgetUsd: z.number().exactOptional(),
  maxAiCredits: z.number().exactOptional(),
  appendSystemPrompt: z.string().exactOptional(),
  mcpServers: mcpServersSchema.exactOptional(),
  filledServers: z.array(z.string()).readonly().exactOptional(),
  trustedServers: z.array(z.string()).readonly().exactOptional(),
  extraArgs: z.array(z.string()).readonly().exactOptional(),
});

const blueprintSchema = z.object({
  name: z.string(),
  systemPrompt: z.string().exactOptional(),
  children: z.object({ children: z.number(), depth: z.number() }).exactOptional(),
});

const recalledSchema = z.object({
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

const runRequestFields = {
  prompt: z.string().min(1),
  options: agentOptionsSchema.exactOptional(),
  blueprint: blueprintSchema.exactOptional(),
  limits: limitsSchema.exactOptional(),
  recall: recalledSchema.exactOptional(),
};

export const startParamsSchema = z.object({
  context: clientContextSchema,
  request: z.object({
    agent: executorTypeSchema,
    profile: z.string().exactOptional(),
    cwd: z.string().min(1),
    title: z.string().exactOptional(),
    ...runRequestFields,
  }),
});

export const resumeParamsSchema = z.object({
  context: clientContextSchema,
  session_id: sessionIdSchema,
  request: z.object(runRequestFields),
});
