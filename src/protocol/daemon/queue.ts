import * as z from 'zod';
import { changeRunSchema, createRunSchema, registrationSchema, runFilterSchema } from '../../coordinator/api.ts';
import { listedRunnerSchema, runnerSchema } from '../../model/session/runner.ts';
import { runIdSchema, runSchema } from '../../model/session/session.ts';
import { listedRunSchema } from '../../model/session/waiting.ts';
import { clientContextSchema } from './context.ts';

/** A queued run in news: without its prompt, which never changes and can be long. */
export const changedRunSchema = runSchema.omit({ prompt: true });
export type ChangedRun = z.infer<typeof changedRunSchema>;

/** The default executor is that of the resumed session, otherwise the only one that online runners offer. */
export const queueRunSchema = createRunSchema.partial({ executor_type: true });

const nothing = z.object({});

/** The queue of runs, and the runners that clients declare. */
export const queueCalls = {
  queueRun: { params: queueRunSchema, result: listedRunSchema },
  /** Stops a waiting run immediately; a running one is `stopping` until its agent has ended. */
  stopQueued: { params: z.object({ run_id: runIdSchema }), result: runSchema },
  /** Moves a waiting run, or gives it the demands that only a certain runner meets. */
  changeQueued: { params: changeRunSchema, result: runSchema },
  /** In order of arrival. `next` is the `from` of the next page, `null` at the end. Bounded by size. */
  queuedRuns: {
    params: runFilterSchema.extend({ from: z.int().nonnegative().default(0) }),
    result: z.object({ runs: z.array(listedRunSchema), next: z.int().nullable() }),
  },
  runners: { params: nothing, result: z.array(listedRunnerSchema) },
  /**
   * Until the connection ends, the daemon may execute runs whose demands this runner meets. With a context, it uses
   * that context in each run's folder. Without one, it runs only in folders that a window announced as trusted, and
   * never in a permission mode that skips approvals.
   */
  addRunner: {
    params: z.object({ runner: registrationSchema.omit({ instance: true }), context: clientContextSchema.optional() }),
    result: runnerSchema,
  },
  /**
   * Removes all runners of this client. With `finish` their runs continue; otherwise they have ended when the answer
   * arrives.
   */
  removeRunners: { params: z.object({ finish: z.boolean() }), result: nothing },
} as const;
