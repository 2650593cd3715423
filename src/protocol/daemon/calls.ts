import * as z from 'zod';
import { boundSchema } from '../../model/usage/budget.ts';
import { normalizedEntrySchema } from '../../model/transcript/entry.ts';
import { eventSchema } from '../../model/transcript/event.ts';
import { agentRequestSchema, answerSchema } from '../../model/agent/request.ts';
import { executorTypeSchema, importedSchema, runIdSchema, sessionIdSchema } from '../../model/session/session.ts';
import { sessionSummarySchema } from '../../model/session/summary.ts';
import { indexProgressSchema, updateCatalogueCall } from './catalogue.ts';
import { clientContextSchema } from './context.ts';
import { failureSchema } from './failure.ts';
import { followUpsStateSchema } from './followUps.ts';
import { changedRunSchema, queueCalls } from './queue.ts';
import { raceCalls } from './race.ts';
import { restoreCalls } from './restore.ts';
import { resumeParamsSchema, startParamsSchema } from './runRequests.ts';
import { watchSourcesCall } from './sources.ts';
import { ownShareSchema, teamCalls } from './team.ts';
import { transcriptCall } from './transcript.ts';
import { reviewDecisionSchema } from '../../model/files/review.ts';
import { followedSchema, ledgerSchema, runMessageSchema, subscriptionSchema } from './session.ts';

/** Who connects. `person`: someone can read and answer there, so waiting requests count their time. */
const clientSchema = z.object({
  kind: z.enum(['window', 'terminal', 'api']),
  person: z.boolean(),
  /** Id of the window or terminal, recorded with its answers. */
  id: z.string().max(64).optional(),
  /** The client only watches, and does not keep the daemon from exiting. */
  observes: z.boolean().optional(),
});
export type ClientDescription = z.infer<typeof clientSchema>;

export const daemonStatusSchema = z.object({
  pid: z.int(),
  /** Version of Vitrine. */
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

const nothing = z.object({});
const inSession = z.object({ session_id: sessionIdSchema });
const started = z.object({ session_id: sessionIdSchema, run_id: runIdSchema, followed: followedSchema.optional() });

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
  transcript: transcriptCall,

  /**
   * What a window knows of its folders, for later starts there (callbacks, child sessions), and what happens to runs
   * when the last window has closed.
   */
  announce: {
    params: z.object({
      contexts: z.array(clientContextSchema).max(100),
      when_windows_close: z.enum(['finishRuns', 'stopRuns']),
    }),
    result: nothing,
  },
  ...queueCalls,
  ...teamCalls,
  ...raceCalls,
  ...restoreCalls,
  /**
   * Sends `news` of all sessions until the connection ends, starting with those that are running; with `events` and
   * queue `runs` if requested.
   */
  watch: {
    params: z.object({ events: z.boolean(), runs: z.boolean().default(false) }),
    result: z.object({ live: z.array(sessionSummarySchema), follow_ups: followUpsStateSchema }),
  },
  watchSources: watchSourcesCall,
  updateCatalogue: updateCatalogueCall,
  /** Stops news of sessions from other programs. */
  unwatchSources: { params: nothing, result: nothing },

  /** `follow` in the parameters: also follow the session. */
  start: { params: startParamsSchema, result: started },
  resume: { params: resumeParamsSchema, result: started },
  /** Starts a new conversation in the same session, with a summary of the earlier ones. */
  restart: { params: resumeParamsSchema, result: started },
  /**
   * Forks a session: starts a new one with its history, in which the agent continues the conversation. The original may
   * be running in another program. `at`: only with what came before the prompt with this index.
   */
  fork: { params: resumeParamsSchema.extend({ at: z.int().nonnegative().exactOptional() }), result: started },
  /**
   * How a fork at a prompt gets what came before it: the agent keeps its conversation up to there, or begins a new one with
   * the `transcript` as text, or with `nothing`. `prompt`: the text that was sent. Without `at`: a fork at the end.
   */
  planFork: {
    params: inSession.extend({ at: z.int().nonnegative().exactOptional() }),
    result: z.object({ way: z.enum(['conversation', 'transcript', 'nothing']), prompt: z.string() }),
  },
  /** Cancels the follow-up that is due, or turns follow-ups of a session on or off. */
  setFollowUps: {
    params: z.object({ session_id: sessionIdSchema, to: z.enum(['cancelled', 'on', 'off']) }),
    result: nothing,
  },
  /** Follow-ups of all sessions. */
  pauseFollowUps: { params: z.object({ paused: z.boolean() }), result: nothing },

  /** Sends `update` requests for the session until `unfollow` or the end of the connection. */
  follow: { params: inSession, result: followedSchema },
  unfollow: { params: z.object({ subscription: subscriptionSchema }), result: nothing },
  /** Entries from `from` to at most `to`; `next` is where to continue, `null` at the end. Bounded by size. */
  read: {
    params: z.object({ session_id: sessionIdSchema, from: z.int().nonnegative(), to: z.int().nonnegative() }),
    result: z.object({ entries: z.array(normalizedEntrySchema), next: z.int().nullable() }),
  },
  find: {
    params: z.object({ session_id: sessionIdSchema, query: z.string(), limit: z.int().positive(), from: z.int() }),
    result: z.object({ indexes: z.array(z.int().nonnegative()), truncated: z.boolean() }),
  },
  ledger: { params: inSession, result: ledgerSchema },
  messages: { params: inSession, result: z.array(runMessageSchema) },
  /** SHA-256 of the last line of the record. */
  head: { params: inSession, result: z.object({ head: z.string().nullable() }) },
  /** Changes options of the running agent; returns the options that it accepts. */
  changeOptions: {
    params: z.object({
      session_id: sessionIdSchema,
      options: z.object({ model: z.string().exactOptional(), permissionMode: z.string().exactOptional() }),
    }),
    result: z.object({ taken: z.array(z.enum(['model', 'permissionMode'])) }),
  },
  /** Unsends a queued message; `null` if it was already sent. */
  unsend: {
    params: z.object({ session_id: sessionIdSchema, message: z.int() }),
    result: z.object({ text: z.string().nullable() }),
  },

  rename: { params: z.object({ session_id: sessionIdSchema, title: z.string() }), result: nothing },
  setHidden: { params: z.object({ session_id: sessionIdSchema, hidden: z.boolean() }), result: nothing },
  relink: {
    params: z.object({ session_id: sessionIdSchema, folder: z.string().min(1), by: z.enum(['user', 'identity']) }),
    result: nothing,
  },
  remove: {
    params: z.object({ session_id: sessionIdSchema, reason: z.enum(['user', 'retention']) }),
    result: nothing,
  },
  /** Records that a client exported the session. */
  noteExport: {
    params: z.object({
      session_id: sessionIdSchema,
      decision: z.looseObject({ type: z.literal('export'), at: z.string() }),
    }),
    result: nothing,
  },
  /** Records what someone decided about changes of the session. */
  noteReview: { params: z.object({ session_id: sessionIdSchema, decision: reviewDecisionSchema }), result: nothing },
  raiseBudget: { params: z.object({ session_id: sessionIdSchema.optional(), bound: boundSchema }), result: nothing },
  import: {
    params: z.object({ file: z.string().min(1), agent: executorTypeSchema.exactOptional() }),
    result: z.object({
      sessionId: sessionIdSchema,
      format: importedSchema.shape.format,
      entries: z.number(),
      problems: z.number(),
      mistyped: z.number().exactOptional(),
      original: z.string().nullable(),
    }),
  },
  /** Copies a session from another program into a record; from then on it is Vitrine's own. */
  keep: { params: inSession, result: nothing },
  /** Compresses the output and records of these sessions. */
  pack: {
    params: z.object({ session_ids: z.array(sessionIdSchema).max(100_000) }),
    result: z.object({ files: z.number(), bytes: z.number(), packed: z.number() }),
  },
  unpack: { params: inSession, result: nothing },
  /** Ends sessions whose process died without recording its end. */
  sweep: {
    params: nothing,
    result: z.object({
      ended: z.array(z.object({ pid: z.int(), program: z.string() })),
      interrupted: z.array(sessionIdSchema),
    }),
  },
} as const;

export type CallName = keyof typeof calls;
/** Parameters of a call as clients send them, before schema defaults. */
export type GivenParams<N extends CallName> = z.input<(typeof calls)[N]['params']>;
export type ParamsOf<N extends CallName> = z.output<(typeof calls)[N]['params']>;
export type ResultOf<N extends CallName> = z.output<(typeof calls)[N]['result']>;

/** Calls whose format never changes, so that daemons and clients of different versions can use them. */
export const coreCalls = ['hello', 'status', 'retire', 'running', 'answer', 'say', 'stop', 'transcript'] as const;

/** A batch of updates of a followed session; the answer requests the next one. */
export const updateCall = 'update';

/**
 * What happened in all sessions since the last batch, for a client that watches. One batch is in flight; waiting
 * summaries are merged by session, and the newest events are kept.
 */
export const newsCall = 'news';
export const newsSchema = z.object({
  summaries: z.array(sessionSummarySchema),
  removed: z.array(sessionIdSchema),
  events: z.array(eventSchema),
  /** Sessions that could not be sent the results of their children. */
  undelivered: z.array(z.object({ session_id: sessionIdSchema, failure: failureSchema })),
  /** Each change of a queued run, in order. */
  runs: z.array(changedRunSchema),
  /** Runners came or went, or the store's team changed; what was read of the queue is out of date. */
  queue_changed: z.boolean().optional(),
  /** Own sessions of which the team now sees more or less. */
  shares: z.array(ownShareSchema).optional(),
  /** Absent if unchanged. */
  follow_ups: followUpsStateSchema.optional(),
  /** How far the catalogue has been brought up to date; `null`: all of it. */
  indexing: indexProgressSchema.nullable().optional(),
});
export type News = z.infer<typeof newsSchema>;

/** Asks a window for an input value for an agent's MCP servers; `null` if the user enters none. */
export const inputCall = 'input';
export const inputParamsSchema = z.object({
  name: z.string(),
  agent: z.object({ name: z.string(), file: z.string() }),
});
export const inputResultSchema = z.object({ value: z.string().nullable() });

/** Calls that change nothing, so that they may be repeated with another daemon. */
export const readingCalls: readonly CallName[] = ['status', 'running', 'read', 'find', 'ledger', 'messages', 'head'];
