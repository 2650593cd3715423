import * as z from 'zod';
import { executorTypeSchema, raceIdSchema, sessionIdSchema } from '../session/session.ts';

/** A setup or check command that has ended. */
export const commandResultSchema = z.object({
  /** `null`: it ended by a signal, or did not start. */
  exit_code: z.int().nullable(),
  signal: z.string().nullable(),
  duration_ms: z.number().nonnegative(),
  /** Vitrine ended it after its time limit. */
  timed_out: z.boolean(),
  /** The end of its output, both streams. */
  output: z.string(),
});
export type CommandResult = z.infer<typeof commandResultSchema>;

/**
 * `waiting` → `preparing` (worktree, copies, setup command) → `running` → `checking` → `done`. `failed`: `error` says why its
 * agent did not run, or why its check did not.
 */
export const laneStateSchema = z.enum(['waiting', 'preparing', 'running', 'checking', 'done', 'failed']);

/** One agent of a race, in its own git worktree. */
export const laneSchema = z.object({
  /** Unique in its race: `codex`, `codex-2`. */
  name: z.string().regex(/^[a-z0-9][a-z0-9-]{0,60}$/),
  agent: executorTypeSchema,
  profile: z.string().optional(),
  model: z.string().optional(),
  /** The worktree, absolute. */
  worktree: z.string(),
  /** The agent's working folder: the worktree, or the same folder below it as the user's. */
  folder: z.string(),
  branch: z.string(),
  /** Value of `VITRINE_PORT`. */
  port: z.int().positive(),
  state: laneStateSchema,
  /** Set before its agent starts; until then the worktree has no work of anyone. */
  started: z.boolean(),
  session_id: sessionIdSchema.optional(),
  /** From the start of its agent to the end of its run, in ms. */
  run_ms: z.number().nonnegative().optional(),
  error: z.string().optional(),
  setup: commandResultSchema.optional(),
  check: commandResultSchema.optional(),
});
export type Lane = z.infer<typeof laneSchema>;

/** The result of one lane in the user's folder or in a branch. Commits are kept by refs of the race. */
export const appliedSchema = z.object({
  lane: z.string(),
  /** ISO 8601. */
  at: z.string(),
  how: z.enum(['patch', 'branch']),
  /** Tree of the lane at that time. */
  tree: z.string(),
  branch: z.string().optional(),
  /** For a patch: commits with the changed files before and after it. */
  before: z.string().optional(),
  after: z.string().optional(),
  /** Files of the patch. */
  files: z.array(z.string()).default([]),
  undone: z.boolean().optional(),
});
export type AppliedLane = z.infer<typeof appliedSchema>;

const limitsSchema = z.object({
  usd: z.number().positive().exactOptional(),
  tokens: z.number().positive().exactOptional(),
  turns: z.number().positive().exactOptional(),
  minutes: z.number().positive().exactOptional(),
});

/** Several agents with the same prompt, each in its own worktree. `interrupted`: the process that ran it has ended. */
export const raceSchema = z.object({
  race_id: raceIdSchema,
  prompt: z.string(),
  created_at: z.string(),
  ended_at: z.string().optional(),
  state: z.enum(['running', 'finished', 'stopped', 'interrupted']),
  /** The user's folder, and the top of its work tree. Absolute. */
  folder: z.string(),
  repository: z.string(),
  /** The commit that all lanes began with: that of the user, or one on top of it with the uncommitted work. */
  base: z.string(),
  includes_changes: z.boolean(),
  limits: limitsSchema.optional(),
  setup: z.string().optional(),
  check: z.string().optional(),
  lanes: z.array(laneSchema).min(1),
  applied: z.array(appliedSchema).default([]),
  /** The process that runs it. */
  owner: z.object({
    pid: z.int().positive(),
    startTime: z.string().nullable(),
    hostname: z.string(),
    machine: z.string().optional(),
  }),
});
export type Race = z.infer<typeof raceSchema>;

export function isRaceOver({ state }: Pick<Race, 'state'>): boolean {
  return state !== 'running';
}
