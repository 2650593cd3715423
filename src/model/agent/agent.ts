import * as z from 'zod';
import { demandsSchema } from '../session/demands.ts';
import { followUpFileSchema } from './followUps.ts';
import { mcpServersSchema } from './mcpServer.ts';
import { executorTypeSchema } from '../session/session.ts';

export const agentNamePattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** Limits of a run, and of how many agents an agent may start. Absent: the executor's settings. */
const agentLimitsSchema = z.strictObject({
  max_turns: z.int().positive().optional().describe('Ends a run after so many turns, where the agent can count them.'),
  max_budget_usd: z
    .number()
    .positive()
    .optional()
    .describe('Ends a run that costs more, in US dollars, where the agent has such a limit.'),
  max_children: z
    .int()
    .nonnegative()
    .optional()
    .describe('Sessions with other agents that one session may start. Default: none.'),
  max_depth: z
    .int()
    .positive()
    .optional()
    .describe('How many sessions may stand above one that is started. Default: 1.'),
  max_ai_credits: z.number().positive().optional().describe('In the credits that Copilot CLI counts.'),
});

/** An agent file. Everything optional has a default; name and times are those of the file. */
export const agentFileSchema = z.strictObject({
  $schema: z.string().optional(),
  name: z
    .string()
    .regex(agentNamePattern, 'Use up to 64 letters, digits, ".", "_" and "-". Begin with a letter or a digit.')
    .optional()
    .describe('By which it is started; unique. Default: the name of the file, or of the folder it is in.'),
  description: z
    .string()
    .default('')
    .describe('What this agent is for, for people and for agents that choose helpers.'),
  executor_type: executorTypeSchema
    .optional()
    .describe('The kind of agent program. Default: that of the demands, else claude-code.'),
  executor_profile: z
    .string()
    .optional()
    .describe('Which agent of the executor, where it has several (acp, acp-http): its id in the settings.'),
  model: z.string().min(1).optional().describe("Model, in the agent program's own words."),
  system_prompt: z
    .string()
    .optional()
    .describe(
      'Added to the system prompt. A longer one can stand in prompt.md beside the file, in a folder of its own.',
    ),
  mcp_servers: mcpServersSchema.default({}).describe('Servers of the Model Context Protocol that the agent is given.'),
  skills: z.array(z.string().min(1)).default([]).describe('What it can do, in words to search for.'),
  tags: z.array(z.string().min(1)).default([]).describe('To group and find agents by.'),
  demands: demandsSchema.strict().optional().describe('What a runner must be to take its runs.'),
  limits: agentLimitsSchema.default({}).describe('What ends a run by itself.'),
  follow_ups: followUpFileSchema
    .optional()
    .describe('Vitrine writes to it by itself when it stopped with something open. Absent: it does not.'),
  status: z.enum(['active', 'inactive']).default('active').describe('An inactive agent is shown and not started.'),
  created_at: z.iso.datetime({ offset: true }).optional().describe('ISO 8601. Default: when the file was made.'),
  modified_at: z.iso.datetime({ offset: true }).optional().describe('ISO 8601. Default: when the file was changed.'),
});
export type AgentFile = z.infer<typeof agentFileSchema>;

/** A blueprint in use, with its source. Times are ISO 8601. */
export interface Agent extends Omit<AgentFile, '$schema' | 'name' | 'created_at' | 'modified_at'> {
  readonly name: string;
  /** Absolute path. */
  readonly file: string;
  readonly created_at: string;
  readonly modified_at: string;
}
