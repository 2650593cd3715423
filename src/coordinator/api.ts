import * as z from 'zod';
import { agentNamePattern } from '../model/agent/agent.ts';
import { demandsSchema } from '../model/session/demands.ts';
import { runnerIdSchema, type ListedRunner, type Runner } from '../model/session/runner.ts';
import { executionModeSchema, runIdSchema, runSchema, sessionIdSchema, type Run } from '../model/session/session.ts';
import type { ListedRun } from '../model/session/waiting.ts';

const line = z.string().max(200);
/** Longer than a path may be anywhere. */
const folder = z.string().max(1 << 15);
/** Of this system or another: a runner may be on any. */
const isAbsolute = (given: string): boolean => /^(?:\/|[A-Za-z]:[\\/]|\\\\)/.test(given);
const projectDir = folder
  .refine(isAbsolute, 'is not an absolute path.')
  .refine((given) => !given.includes('\0'), 'has a NUL character.');
const agentName = z
  .string()
  .regex(agentNamePattern, 'can have up to 64 letters, digits, ".", "_" and "-", and begins with a letter or a digit.');
const kindOfAgent = line.regex(/^[A-Za-z0-9][A-Za-z0-9._-]*$/, 'is no name of a kind of agent.');
const demands = demandsSchema.refine((given) => JSON.stringify(given).length <= 1 << 16, 'too long');

/** Characters of what is said of a run that failed. */
export const maxErrorLength = 10_000;

/** How the agent is to run, over what the blueprint and the runner's settings say. */
const choiceSchema = z.object({
  executor_type: kindOfAgent,
  executor_profile: line.optional(),
  model: line.optional(),
  permission_mode: line.optional(),
  max_turns: z.int().positive().optional(),
  title: line.optional(),
});

/** A run that is wanted. A `resume_session` names its session, a `start_session` gets a new one. */
export const createRunSchema = choiceSchema.extend({
  type: z.enum(['start_session', 'resume_session']).default('start_session'),
  session_id: sessionIdSchema.optional(),
  agent_name: agentName.optional(),
  prompt: z
    .string()
    .max(1 << 20)
    .refine((given) => given.trim() !== '', 'is empty.'),
  project_dir: projectDir.optional(),
  parent_session_id: sessionIdSchema.optional(),
  execution_mode: executionModeSchema.default('sync'),
  /** Of the blueprint. */
  demands: demands.optional(),
  /** Of this run, besides. */
  additional_demands: demands.optional(),
});
export type CreateRun = z.input<typeof createRunSchema>;

/** A run with what its runner has to know to execute it. */
export const jobSchema = choiceSchema.extend({
  run: runSchema,
  /** Jobs with a higher number are taken first; default 0. */
  priority: z.int().optional(),
});
export type Job = z.infer<typeof jobSchema>;

export const registrationSchema = z.object({
  hostname: line,
  project_dir: folder,
  executor_type: line,
  tags: z.array(line).max(100).default([]),
  /** Runs at a time. */
  limit: z.int().min(1).max(64).default(1),
  /** Takes only runs in these folders, or in none. Absent: any. */
  within: z.array(folder).max(100).optional(),
  /** Of this process: tells one that comes back from one that takes its place. */
  instance: z.string().min(8).max(100),
});
export type Registration = z.input<typeof registrationSchema>;

export const seatSchema = z.object({ runner_id: runnerIdSchema, instance: z.string() });
/** A runner, and which process it is. */
export type Seat = z.infer<typeof seatSchema>;

export const claimSchema = seatSchema.extend({
  /** The runs that the runner knows it has. One that it was given and does not name never reached it, and is given again. */
  has: z.array(runIdSchema).max(10_000).optional(),
});
export type Claim = z.infer<typeof claimSchema>;

/** Which runs are asked for; all without a property. */
export const runFilterSchema = z.object({
  session_id: sessionIdSchema.optional(),
  runner_id: runnerIdSchema.optional(),
});
export type RunFilter = z.infer<typeof runFilterSchema>;

export const reportSchema = z.object({
  run_id: runIdSchema,
  status: z.enum(['running', 'completed', 'failed', 'stopped']),
  error: z.string().max(maxErrorLength).optional(),
});
export type RunReport = z.infer<typeof reportSchema>;

export const changeRunSchema = z.object({
  run_id: runIdSchema,
  /** Before all that wait, or after them. */
  move: z.enum(['first', 'last']).optional(),
  /** In place of its demands; the reason is a person's choice of a runner. */
  demands: demands.optional(),
});
export type ChangeRun = z.infer<typeof changeRunSchema>;

/** A run became another, or a new one came. */
export type RunListener = (run: Run) => void;

/**
 * What runs and runners are asked for and told. Everything that goes in and out is plain data; what is refused rejects with a `CoordinatorError`.
 */
export interface CoordinatorLink {
  createRun(request: CreateRun): Promise<Run>;
  /** What waits is stopped at once; what runs is `stopping` until its runner says that it has stopped. */
  stopRun(runId: string): Promise<Run>;
  /** In the order in which they came; those that have ended only as far as they are still known. */
  runs(filter?: RunFilter): Promise<readonly ListedRun[]>;
  runners(): Promise<readonly ListedRunner[]>;
  register(registration: Registration): Promise<Runner>;
  heartbeat(seat: Seat): Promise<void>;
  /** The first run that waits and that this runner may take, now its own; `null`: none, or it has as many as it may. */
  claim(claim: Claim): Promise<Job | null>;
  report(seat: Seat, report: RunReport): Promise<Run>;
  /** Goes in order; what it still has fails. */
  leave(seat: Seat): Promise<void>;
  onRun(listener: RunListener): { dispose(): void };
}
