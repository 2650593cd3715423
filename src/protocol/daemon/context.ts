import * as z from 'zod';
import { mcpServersSchema } from '../../model/agent/mcpServer.ts';
import { executorTypeSchema } from '../../model/session/session.ts';
import { shareSchema } from '../../model/session/share.ts';

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

export const agentOptionsSchema = z.object({
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

/**
 * What only the client knows and the daemon needs to start an agent in a folder. Contains secrets (environment, tokens): kept
 * in memory, never logged or recorded.
 */
export const clientContextSchema = z.object({
  /** Absolute path. */
  folder: z.string().min(1),
  /** The user trusts the folder. Without it the daemon starts nothing there. */
  trusted: z.boolean(),
  /** Environment of the agents, before the variables of the settings. */
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
    /**
     * Budgets for the folder; the workspace folder whose budget includes all folders below it; whether daily budgets count
     * sessions from other programs.
     */
    budgets: z
      .object({ limits: z.unknown(), folder: z.string().exactOptional(), observed: z.boolean().exactOptional() })
      .exactOptional(),
    /** The user's follow-up settings, as written. */
    followUps: z.unknown().optional(),
    unreportedChanges: z.boolean().exactOptional(),
    /** What the team sees of sessions in the folder. */
    share: shareSchema.exactOptional(),
    signingKey: z.string().exactOptional(),
    otlp: z
      .object({
        endpoint: z.string(),
        headers: variablesSchema.exactOptional(),
        content: z.boolean().exactOptional(),
      })
      .exactOptional(),
  }),
  /** Milliseconds between two signals that stop an agent, and before a request is denied. */
  timing: z
    .object({ politeGrace: z.number().nonnegative().exactOptional(), request: z.number().positive().exactOptional() })
    .exactOptional(),
  /** All agent files in the folder are trusted. Otherwise only those that the user trusts one by one. */
  workspaceAgents: z.boolean().exactOptional(),
  /** By executor, from the folder's settings. */
  options: z.partialRecord(executorTypeSchema, agentOptionsSchema).exactOptional(),
  /** What a person chose for later runs, by session id. */
  choices: z.record(z.string(), agentOptionsSchema).exactOptional(),
  /** Tags that agents may demand of a runner. */
  tags: z.array(z.string()).readonly().exactOptional(),
});
export type ClientContext = z.infer<typeof clientContextSchema>;
