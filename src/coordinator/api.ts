import * as z from 'zod';
import { agentNamePattern } from '../model/agent/agent.ts';
import { demandsSchema } from '../model/session/demands.ts';
import { runnerIdSchema, type ListedRunner, type Runner } from '../model/session/runner.ts';
import { executionModeSchema, runIdSchema, runSchema, sessionIdSchema, type Run } from '../model/session/session.ts';
import type { ListedRun } from '../model/session/waiting.ts';

const line = z.string().max(200);
/** Longer than any valid path. */
const folder = z.string().max(1 << 15);
/** On any system, because runners may be anywhere. */
const isAbsolute = (path: string): boolean => /^(?:\/|[A-Za-z]:[\\/]|\\\\)/.test(path);
const projectDir = folder
  .refine(isAbsolute, 'is not an absolute path.')
  .refine((text) => !text.includes('\0'), 'has a NUL character.');
const agentName = z
  .string()
  .regex(agentNamePattern, 'can have up to 64 letters, digits, ".", "_" and "-", and begins with a letter or a digit.');
const kindOfAgent = line.regex(/^[A-Za-z0-9][A-Za-z0-9._-]*$/, 'is not an agent type.');
const demands = demandsSchema.refine((value) => JSON.stringify(value).length <= 1 << 16, 'too long');

/** Maximum characters of an error message. */
export const maxErrorLength = 10_000;

/** Options that override the agent file and the runner's settings. */
const choiceSchema = z.object({
  executor_type: kindOfAgent,
  executor_profile: line.optional(),
  model: line.optional(),
  permission_mode: line.optional(),
  max_turns: z.int().positive().optional(),
  title: line.optional(),
});

/** A requested run. `resume_session` names its session; `start_session` creates one. */
export const createRunSchema = choiceSchema.extend({
  type: z.enum(['start_session', 'resume_session']).default('start_session'),
  session_id: sessionIdSchema.optional(),
  agent_name: agentName.optional(),
  prompt: z
    .string()
    .max(1 << 20)
    .refine((prompt) => prompt.trim() !== '', 'is empty.'),
  project_dir: projectDir.optional(),
  parent_session_id: sessionIdSchema.optional(),
  execution_mode: executionModeSchema.default('sync'),
  /** Demands of the agent file. */
  demands: demands.optional(),
  /** Further demands of this run. */
  additional_demands: demands.optional(),
  /** Queues the run for runners of any machine in the team. */
  team: z.boolean().optional(),
  /** For a team run: another runner may take it if its runner is lost. */
  retry: z.boolean().optional(),
});
export type CreateRunRequest = z.input<typeof createRunSchema>;

/** A run with everything that its runner needs to execute it. */
export const jobSchema = choiceSchema.extend({
  run: runSchema,
  /** Jobs with a higher number are taken first; default 0. */
  priority: z.int().optional(),
  /** An agent requested the run. */
  by_agent: z.boolean().optional(),
  /** Hash of the agent's file on the machine of the parent session. The runner's file must be the same. */
  agent_hash: line.optional(),
  /** The run executes in its parent's process, without a runner. */
  adopted: z.boolean().optional(),
});
export type Job = z.infer<typeof jobSchema>;

export const registrationSchema = z.object({
  hostname: line,
  project_dir: folder,
  executor_type: line,
  tags: z.array(line).max(100).default([]),
  /** Maximum number of concurrent runs. */
  limit: z.int().min(1).max(64).default(1),
  /** Takes only runs in these folders, and none without a folder. Absent: any. */
  within: z.array(folder).max(100).optional(),
  /** Identifies the runner's process, to tell a reconnect from a replacement. */
  instance: z.string().min(8).max(100),
});
export type Registration = z.input<typeof registrationSchema>;

export const runnerRefSchema = z.object({ runner_id: runnerIdSchema, instance: z.string() });
/** A runner and its process. */
export type RunnerRef = z.infer<typeof runnerRefSchema>;

export const claimSchema = runnerRefSchema.extend({
  /** Runs that the runner knows it has. A claimed run that is not listed was lost on the way and is sent again. */
  has: z.array(runIdSchema).max(10_000).optional(),
});
export type Claim = z.infer<typeof claimSchema>;

/** Filter for runs; without fields, all. */
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
  /** Moves the run before all waiting runs, or after them. */
  move: z.enum(['first', 'last']).optional(),
  /** Replaces the demands of the run, because a person chose a runner. */
  demands: demands.optional(),
});
export type ChangeRun = z.infer<typeof changeRunSchema>;

/** Called when a run is created or changed. */
export type RunListener = (run: Run) => void;

/** API of the queue for clients and runners. All data is plain; refused calls reject with a `CoordinatorError`. */
export interface CoordinatorLink {
  createRun(request: CreateRunRequest): Promise<Run>;
  /** Stops a waiting run at once. A running one is `stopping` until its runner reports the end. */
  stopRun(runId: string): Promise<Run>;
  /** Runs in order of creation, including the ended ones that are kept. */
  runs(filter?: RunFilter): Promise<readonly ListedRun[]>;
  runners(): Promise<readonly ListedRunner[]>;
  register(registration: Registration): Promise<Runner>;
  heartbeat(runnerRef: RunnerRef): Promise<void>;
  /** Claims the next run that this runner may take; `null` if there is none, or the runner has reached its limit. */
  claim(claim: Claim): Promise<Job | null>;
  report(runnerRef: RunnerRef, report: RunReport): Promise<Run>;
  /** Signs off properly; runs that it still has fail. */
  leave(runnerRef: RunnerRef): Promise<void>;
  onRun(listener: RunListener): { dispose(): void };
}
