import * as z from 'zod';

/**
 * What a run requires of a runner. Properties must be equal; the runner must have all tags. The executor may be unknown to
 * this version: then only a runner that knows it can take the run.
 */
export const demandsSchema = z.object({
  hostname: z.string().optional().describe('The runner must be on this machine (exact match).'),
  project_dir: z.string().optional().describe('The runner must work in this folder (absolute path, exact match).'),
  executor_type: z.string().optional().describe('The runner must run this type of agent (exact match).'),
  tags: z.array(z.string().min(1)).default([]).describe('The runner must have all of these tags.'),
});
export type Demands = z.infer<typeof demandsSchema>;
