import * as z from 'zod';
import { executorTypeSchema, raceIdSchema, sessionIdSchema } from '../session/session.ts';
import { outcomeSchema } from '../session/summary.ts';
import { costSchema } from '../usage/usage.ts';
import { commandResultSchema } from './race.ts';

/** Counts are `null` if they are unknown, for example in binary files. */
export const comparedFileSchema = z.object({
  /** Relative to the compared folder, with `/`. */
  path: z.string(),
  change: z.enum(['added', 'changed', 'deleted']),
  added: z.number().nullable(),
  removed: z.number().nullable(),
});
export type ComparedFile = z.infer<typeof comparedFileSchema>;

/** One result: a lane of a race, or a session. */
export const comparedSchema = z.object({
  /** Lane or session id. */
  name: z.string(),
  label: z.string(),
  agent: executorTypeSchema.nullable(),
  model: z.string().nullable(),
  session_id: sessionIdSchema.nullable(),
  title: z.string().nullable(),
  /** `null`: its agent did not start. */
  outcome: outcomeSchema.or(z.literal('running')).nullable(),
  reason: z.string().nullable(),
  /** `null`: there is no check command, or it did not run. */
  check: commandResultSchema.nullable(),
  setup: commandResultSchema.nullable(),
  /** `null`: unknown. */
  files: z.array(comparedFileSchema).nullable(),
  /** Time of its runs in ms; `null`: unknown. */
  ms: z.number().nullable(),
  cost: costSchema,
  tokens: z.number().nullable(),
  /** Statements of the agent that its session does not support, or contradicts. */
  unsupported: z.number().nullable(),
  /** The work tree with its result; `null` if there is none of its own. */
  worktree: z.string().nullable(),
  branch: z.string().nullable(),
});
export type ComparedLane = z.infer<typeof comparedSchema>;

/** What two results have in common. `lines`: lines of the common base that both changed; `null`: unknown. */
export const overlapSchema = z.object({
  a: z.string(),
  b: z.string(),
  files: z.array(z.string()),
  lines: z.number().nullable(),
  /** Files with the same content in both. */
  same: z.array(z.string()).nullable(),
});
export type Overlap = z.infer<typeof overlapSchema>;

export const comparisonSchema = z.object({
  race_id: raceIdSchema.nullable(),
  prompt: z.string().nullable(),
  check: z.string().nullable(),
  /** The folder of the user that a result can be applied to; `null` outside a race. */
  folder: z.string().nullable(),
  results: z.array(comparedSchema),
  overlaps: z.array(overlapSchema),
});
export type Comparison = z.infer<typeof comparisonSchema>;
