import * as z from 'zod';
import { createRunSchema, registrationSchema, runFilterSchema } from '../../coordinator/api.ts';
import { listedRunnerSchema, runnerSchema } from '../../model/session/runner.ts';
import { runIdSchema, runSchema } from '../../model/session/session.ts';
import { clientContextSchema } from './context.ts';

/** A run of the queue as news: without its prompt, which never changes and can be long. */
export const changedRunSchema = runSchema.omit({ prompt: true });
export type ChangedRun = z.infer<typeof changedRunSchema>;

const nothing = z.object({});

/** The queue of runs, and who declares which of them the daemon may run. */
export const queueCalls = {
  queueRun: { params: createRunSchema, result: runSchema },
  /** Stops a run that waits at once; one that runs is `stopping` until its agent has ended. */
  stopQueued: { params: z.object({ run_id: runIdSchema }), result: runSchema },
  /** In the order in which they came. `next` is the `from` of the next page, `null` at the end. Bounded by size. */
  queuedRuns: {
    params: runFilterSchema.extend({ from: z.int().nonnegative().default(0) }),
    result: z.object({ runs: z.array(runSchema), next: z.int().nullable() }),
  },
  runners: { params: nothing, result: z.array(listedRunnerSchema) },
  /**
   * The daemon may run what this runner meets the demands of, until the connection ends. With a context, in the folder of
   * each run as in the context's; without one, only in folders that a window announced as trusted, and in no permission mode
   * in which the agent asks no one.
   */
  addRunner: {
    params: z.object({ runner: registrationSchema.omit({ instance: true }), context: clientContextSchema.optional() }),
    result: runnerSchema,
  },
  /** All runners of this client. They take no more; with `finish` their runs continue, else they have ended by the answer. */
  removeRunners: { params: z.object({ finish: z.boolean() }), result: nothing },
} as const;
