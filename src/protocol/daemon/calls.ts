import * as z from 'zod';
import { normalizedEntrySchema } from '../../model/entry.ts';
import { agentRequestSchema, answerSchema } from '../../model/request.ts';
import { runIdSchema, sessionIdSchema } from '../../model/session.ts';
import { sessionSummarySchema } from '../../model/summary.ts';
import { resumeParamsSchema, startParamsSchema } from './context.ts';

/** Who connects. `person`: somebody reads and can answer there, so that waiting requests count their time. */
const clientSchema = z.object({
  kind: z.enum(['window', 'terminal', 'api']),
  person: z.boolean(),
});
export type ClientDescription = z.infer<typeof clientSchema>;

export const daemonStatusSchema = z.object({
  pid: z.int(),
  /** Of Vitrine. */
  version: z.string(),
  protocol: z.int(),
  /** ISO 8601. */
  since: z.string(),
  clients: z.int().nonnegative(),
  /** Running agents. */
  runs: z.int().nonnegative(),
  /** Resident memory in bytes. */
  rss: z.int().nonnegative(),
});
export type DaemonStatus = z.infer<typeof daemonStatusSchema>;

/** A session that runs in the daemon. */
const runningSessionSchema = z.object({
  session_id: sessionIdSchema,
  title: z.string().optional(),
  project_dir: z.string().optional(),
  requests: z.array(agentRequestSchema),
});
export type RunningSession = z.infer<typeof runningSessionSchema>;

const queuedSchema = z.object({ id: z.int(), text: z.string() });

/** State of a followed session besides its entries. */
export const sessionStateSchema = z.object({
  summary: sessionSummarySchema,
  total: z.int().nonnegative(),
  /** Indexes of entries that will still change. */
  open: z.array(z.int().nonnegative()),
  live: z.boolean(),
  /** Whether the agent takes messages now. */
  takesMessages: z.boolean(),
  requests: z.array(agentRequestSchema),
  queued: z.array(queuedSchema),
});
export type SessionSnapshot = z.infer<typeof sessionStateSchema>;

const nothing = z.object({});
const inSession = z.object({ session_id: sessionIdSchema });
const subscription = z.int().positive();

/** Calls of a client, by name. Every parameter is one object. */
export const calls = {
  hello: {
    params: z.object({ protocol: z.int(), build: z.string(), client: clientSchema }),
    result: daemonStatusSchema,
  },
  status: { params: nothing, result: daemonStatusSchema },
  /** Accept no new runs and exit: `idle` when the last run has ended, `now` after stopping all runs. */
  retire: { params: z.object({ when: z.enum(['idle', 'now']) }), result: z.object({ runs: z.int() }) },
  running: { params: nothing, result: z.array(runningSessionSchema) },
  answer: {
    params: z.object({ session_id: sessionIdSchema, request_id: z.string(), answer: answerSchema }),
    /** False: it was answered before, or the agent no longer asks. */
    result: z.object({ accepted: z.boolean() }),
  },
  say: {
    params: z.object({ session_id: sessionIdSchema, text: z.string().min(1), how: z.enum(['queue', 'interrupt']) }),
    result: nothing,
  },
  stop: { params: z.object({ session_id: sessionIdSchema, kill: z.boolean() }), result: nothing },
  start: { params: startParamsSchema, result: z.object({ session_id: sessionIdSchema, run_id: runIdSchema }) },
  resume: { params: resumeParamsSchema, result: z.object({ session_id: sessionIdSchema, run_id: runIdSchema }) },
  /** Sends `update` requests for the session until `unfollow` or the end of the connection. */
  follow: {
    params: inSession,
    result: z.object({ subscription, state: sessionStateSchema }),
  },
  unfollow: { params: z.object({ subscription }), result: nothing },
  /** Entries from `from` up to `to` at most; `next` is where to read on, `null` at the end. Bounded by size. */
  read: {
    params: z.object({ session_id: sessionIdSchema, from: z.int().nonnegative(), to: z.int().nonnegative() }),
    result: z.object({ entries: z.array(normalizedEntrySchema), next: z.int().nullable() }),
  },
} as const;

export type CallName = keyof typeof calls;
/** As a client gives them, and as the daemon gets them. */
export type GivenParams<N extends CallName> = z.input<(typeof calls)[N]['params']>;
export type ParamsOf<N extends CallName> = z.output<(typeof calls)[N]['params']>;
export type ResultOf<N extends CallName> = z.output<(typeof calls)[N]['result']>;

/** Their form never changes. */
export const coreCalls = ['hello', 'status', 'retire', 'running', 'answer', 'say', 'stop'] as const;

const entryUpdateSchema = z.discriminatedUnion('op', [
  z.object({ op: z.literal('put'), entry: normalizedEntrySchema, open: z.boolean().exactOptional() }),
  z.object({ op: z.literal('append'), index: z.int().nonnegative(), text: z.string() }),
]);

/**
 * What changed in a followed session since the last batch. The daemon sends the next batch when the client has answered
 * this one, and merges what happens meanwhile. `seq` counts from 1. `gap`: more changed than a batch holds; read the
 * entries again from the first index that is missing.
 */
export const updateSchema = z.object({
  subscription,
  seq: z.int().positive(),
  updates: z.array(entryUpdateSchema),
  gap: z.boolean(),
  state: sessionStateSchema,
});
export type SessionUpdate = z.infer<typeof updateSchema>;

/** The one request that a daemon sends to a client. */
export const updateCall = 'update';

/** Codes of errors that a client can act on; `failure` carries the engine's code. */
export const errorDataSchema = z.object({
  code: z.string(),
  message: z.string(),
  detail: z.string(),
});
export type ErrorData = z.infer<typeof errorDataSchema>;
