import * as z from 'zod';

export const runnerIdSchema = z.string().regex(/^lnch_[0-9a-f]{12}$/);

/** What executes runs: a window, or a program in a terminal. Its id is made of hostname, folder and executor alone. */
export const runnerSchema = z.object({
  runner_id: runnerIdSchema,
  registered_at: z.string(),
  last_heartbeat: z.string(),
  hostname: z.string(),
  /** Where it works unless a run says otherwise. */
  project_dir: z.string(),
  executor_type: z.string(),
  tags: z.array(z.string()).default([]),
});
export type Runner = z.infer<typeof runnerSchema>;

/** As it is listed: with what the coordinator's clock says of it. */
export const listedRunnerSchema = runnerSchema.extend({
  status: z.enum(['online', 'stale']),
  seconds_since_heartbeat: z.number().nonnegative(),
});
export type ListedRunner = z.infer<typeof listedRunnerSchema>;
