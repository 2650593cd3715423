import * as z from 'zod';

export const runnerIdSchema = z.string().regex(/^lnch_[0-9a-f]{12}$/);

/** A window or terminal program that executes runs. Its id is derived from hostname, folder and executor. */
export const runnerSchema = z.object({
  runner_id: runnerIdSchema,
  registered_at: z.string(),
  last_heartbeat: z.string(),
  hostname: z.string(),
  /** Working folder, unless a run names another one. */
  project_dir: z.string(),
  executor_type: z.string(),
  tags: z.array(z.string()).default([]),
});
export type Runner = z.infer<typeof runnerSchema>;

/** A runner in a list, with its state by the coordinator's clock. */
export const listedRunnerSchema = runnerSchema.extend({
  status: z.enum(['online', 'stale']),
  seconds_since_heartbeat: z.number().nonnegative(),
  /** Runs at a time, and runs that it has. */
  limit: z.int().optional(),
  running: z.int().nonnegative().optional(),
  /** The runner takes only runs in these folders. */
  within: z.array(z.string()).optional(),
  /** Member of the team whose runner it is; absent: of this machine's queue. */
  owner: z.string().optional(),
});
export type ListedRunner = z.infer<typeof listedRunnerSchema>;
