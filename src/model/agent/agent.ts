import * as z from 'zod';
import { demandsSchema } from '../session/demands.ts';
import { followUpFileSchema } from './followUps.ts';
import { mcpServersSchema } from './mcpServer.ts';
import { executorTypeSchema } from '../session/session.ts';

export const agentNamePattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** Limits of a run, and of how many agents an agent may start. Absent: the executor's settings. */
const agentLimitsSchema = z.strictObject({
  max_turns: z.int().positive().optional().describe('Ends a run after this many turns, if the agent can count them.'),
  max_budget_usd: z
    .number()
    .positive()
    .optional()
    .describe('Ends a run that costs more than this many US dollars, if the agent supports it.'),
  max_children: z
    .int()
    .nonnegative()
    .optional()
    .describe('Maximum number of child sessions, including those that the children start. Default: 0.'),
  max_depth: z.int().positive().optional().describe('Maximum nesting of child sessions. Default: 1.'),
  max_ai_credits: z.number().positive().optional().describe('AI credits, as counted by Copilot CLI.'),
});

/** An agent file. Everything optional has a default; name and times are those of the file. */
export const agentFileSchema = z.strictObject({
  $schema: z.string().optional(),
  name: z
    .string()
    .regex(agentNamePattern, 'Use up to 64 letters, digits, ".", "_" and "-". Begin with a letter or a digit.')
    .optional()
    .describe('The unique name by which you start the agent. Default: the name of the file, or of its folder.'),
  description: z.string().default('').describe('Purpose of the agent, for people and for agents that start others.'),
  executor_type: executorTypeSchema
    .optional()
    .describe('The type of agent program. Default: the type in the demands, else claude-code.'),
  executor_profile: z
    .string()
    .optional()
    .describe('ID of the agent in the settings, for executors with several agents (acp, acp-http).'),
  model: z.string().min(1).optional().describe('Model, as the agent program names it.'),
  system_prompt: z
    .string()
    .optional()
    .describe(
      'Added to the system prompt. A long one can be in prompt.md beside agent.yaml, in a folder with the agent’s name.',
    ),
  mcp_servers: mcpServersSchema.default({}).describe('MCP servers for the agent.'),
  skills: z.array(z.string().min(1)).default([]).describe('Keywords for what the agent can do.'),
  tags: z.array(z.string().min(1)).default([]).describe('Tags to group and find agents.'),
  demands: demandsSchema.strict().optional().describe('Requirements for runners that execute its runs.'),
  limits: agentLimitsSchema.default({}).describe('Limits that end a run automatically.'),
  follow_ups: followUpFileSchema
    .optional()
    .describe('Automatic follow-up messages when the agent stops with unfinished work. Absent: none.'),
  recall: z
    .enum(['on_request', 'always'])
    .optional()
    .describe(
      'When to add passages from earlier sessions of the folder: to every prompt, or only if you ask (default).',
    ),
  status: z
    .enum(['active', 'inactive'])
    .default('active')
    .describe('An inactive agent is listed but cannot be started.'),
  created_at: z.iso.datetime({ offset: true }).optional().describe('ISO 8601. Default: when the file was created.'),
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
