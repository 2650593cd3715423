import * as z from 'zod';
import {
  claimSchema,
  createRunSchema,
  jobSchema,
  registrationSchema,
  reportSchema,
  runFilterSchema,
  seatSchema,
  type CoordinatorLink,
} from '../../coordinator/api.ts';
import { errorCodeSchema } from '../../coordinator/errors.ts';
import { listedRunnerSchema, runnerSchema } from '../../model/session/runner.ts';
import { runIdSchema, runSchema } from '../../model/session/session.ts';

/** Bytes of one line; a run has less, whatever its prompt is made of. */
export const maxLine = 8 << 20;

/** Characters of the JSON in one line of a list that takes several. */
const pageLength = 1 << 20;

const nothing = z.null();

/** The calls of a coordinator as they go over a socket: one JSON object per line in each direction. */
export const calls = {
  createRun: { params: z.tuple([createRunSchema]), result: runSchema },
  stopRun: { params: z.tuple([runIdSchema]), result: runSchema },
  runs: { params: z.tuple([runFilterSchema.optional()]), result: z.array(runSchema) },
  runners: { params: z.tuple([]), result: z.array(listedRunnerSchema) },
  register: { params: z.tuple([registrationSchema]), result: runnerSchema },
  heartbeat: { params: z.tuple([seatSchema]), result: nothing },
  claim: { params: z.tuple([claimSchema]), result: jobSchema.nullable() },
  report: { params: z.tuple([seatSchema, reportSchema]), result: runSchema },
  leave: { params: z.tuple([seatSchema]), result: nothing },
} as const satisfies Readonly<
  Record<Exclude<keyof CoordinatorLink, 'onRun'>, { params: z.ZodType; result: z.ZodType }>
>;

export type CallName = keyof typeof calls;
export type ResultOf<N extends CallName> = z.infer<(typeof calls)[N]['result']>;

export const callNameSchema = z.enum([
  'createRun',
  'stopRun',
  'runs',
  'runners',
  'register',
  'heartbeat',
  'claim',
  'report',
  'leave',
]);

/** First of all, the client shows that it knows the token, without saying it; and the server in turn. */
export const challengeSchema = z.object({ nonce: z.string().regex(/^[0-9a-f]{32}$/) });
export const proofSchema = z.object({ proof: z.string(), nonce: z.string().regex(/^[0-9a-f]{32}$/) });
export const welcomeSchema = z.object({ proof: z.string() });

export const callSchema = z.object({ id: z.int(), call: callNameSchema, params: z.array(z.unknown()) });
export const answerSchema = z.union([
  z.object({ id: z.int(), error: z.object({ code: errorCodeSchema, message: z.string() }) }),
  // The beginning of a list; its last part is the result.
  z.object({ id: z.int(), part: z.array(z.unknown()) }),
  z.object({ id: z.int(), result: z.unknown() }),
  z.object({ run: runSchema }),
]);

/** Parts of a list that each fit into a line; at least one. */
export function pagesOf(list: readonly unknown[]): readonly (readonly unknown[])[] {
  const pages: unknown[][] = [];
  let length = pageLength;
  for (const each of list) {
    const more = JSON.stringify(each).length;
    if (length + more > pageLength) {
      pages.push([]);
      length = 0;
    }
    pages.at(-1)?.push(each);
    length += more;
  }
  return pages.length === 0 ? [[]] : pages;
}
