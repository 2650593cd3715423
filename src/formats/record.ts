import * as z from 'zod';
import { normalizedEntrySchema, originSchema } from '../model/transcript/entry.ts';
import { eventSchema } from '../model/transcript/event.ts';
import { isObject } from '../model/text/json.ts';
import { syntheticSchema } from '../model/transcript/metadata.ts';
import { resultMetadataSchema } from '../model/session/result.ts';
import { runIdSchema, runSchema, runStatusSchema, sessionIdSchema, sessionSchema } from '../model/session/session.ts';
import { sessionSummarySchema } from '../model/session/summary.ts';
import { costSchema, modelUsageSchema, tokenUsageSchema } from '../model/usage/usage.ts';
import { withoutMistyped } from './mistyped.ts';

/** The version this code writes. A record of a newer version is read as far as it is understood, and never written. */
export const recordVersion = 1;

/** How every entry line begins, byte for byte: the offsets of entries are found by it, without parsing. */
export const entryLinePrefix = '{"kind":"entry","entry":{"index":';

/** A summary line lists this many turns, the newest ones; `turns_omitted` counts those before. */
export const maxSummaryTurns = 100;

const index = z.number().int().nonnegative();

/** A run and where its entries are: from `first_index` up to, and without, `end_index` (absent while it continues). */
export const recordedRunSchema = runSchema.extend({
  first_index: index,
  end_index: index.optional(),
  /** Tool calls of the main conversation. */
  steps: index.optional(),
  /** Tool calls of subagents; absent: none. */
  subagent_steps: index.optional(),
  /** Responses of the model in the main conversation, as budgets count turns. */
  responses: index.optional(),
  /** Milliseconds running: without those in which it waited for a person. */
  active_ms: index.optional(),
  /** Of the prompt, where no person wrote it. */
  ...syntheticSchema.shape,
  prompt_origin: originSchema.optional(),
  /** Its entries tell its messages and the results of its calls, which no `event` line repeats; absent: such lines do. */
  events_from: z.literal('entries').optional(),
});
export type RecordedRun = z.infer<typeof recordedRunSchema>;

/** One run as a heading shows it. `duration` in milliseconds. */
export const turnSchema = z.object({
  run_id: runIdSchema,
  first_index: index,
  end_index: index.optional(),
  status: runStatusSchema,
  steps: index.default(0),
  subagent_steps: index.optional(),
  started_at: z.string(),
  completed_at: z.string().optional(),
  duration: z.number().nullable().default(null),
  cost: costSchema,
  /** What it used by model; absent where that was not recorded. */
  models: z.array(modelUsageSchema).optional(),
  responses: index.optional(),
  active_ms: index.optional(),
});
export type RecordedTurn = z.infer<typeof turnSchema>;

const messageUsageSchema = z.object({
  messageId: z.string(),
  model: z.string().nullable(),
  usage: tokenUsageSchema,
  terms: z.array(z.string()).readonly().optional(),
  parentCallId: z.string().nullable(),
  settled: z.boolean(),
  entries: z.array(index).readonly().optional(),
});

const lineSchema = z.discriminatedUnion('kind', [
  /** First line of every record. */
  z.object({
    kind: z.literal('header'),
    format: z.literal('vitrine-record'),
    version: z.number().int().positive(),
    session_id: sessionIdSchema,
    created_at: z.string(),
  }),
  /** The whole session; the latest one counts. */
  z.object({ kind: z.literal('session'), session: sessionSchema }),
  /** The whole run; the latest one of a `run_id` counts. */
  z.object({ kind: z.literal('run'), run: recordedRunSchema }),
  z.object({ kind: z.literal('event'), event: eventSchema }),
  /**
   * A settled entry; a later line with the same index replaces it. `received_at` (ISO 8601) is the arrival: where it
   * equals the entry's `timestamp`, the agent gave no time of its own.
   */
  z.object({ kind: z.literal('entry'), entry: normalizedEntrySchema, received_at: z.string().optional() }),
  /** Tokens of one model message; the latest of a `messageId` counts. */
  z.object({ kind: z.literal('usage'), run_id: runIdSchema, usage: messageUsageSchema }),
  /** What a run came to. */
  z.object({ kind: z.literal('result'), run_id: runIdSchema, result: resultMetadataSchema }),
  /** Something decided by a person or a rule; further keys belong to its `type`. */
  z.object({ kind: z.literal('decision'), decision: z.looseObject({ type: z.string(), at: z.string() }) }),
  /** What lists and headers show; the latest one counts. Repeats what other lines say, so that these need no reading. */
  z.object({
    kind: z.literal('summary'),
    summary: sessionSummarySchema,
    turns: z.array(turnSchema),
    turns_omitted: index.default(0),
  }),
]);
export type RecordLine = z.infer<typeof lineSchema>;
export type RecordLineKind = RecordLine['kind'];
export type LineOf<K extends RecordLineKind> = Extract<RecordLine, { kind: K }>;

const kinds: ReadonlySet<string> = new Set(lineSchema.options.map((option) => option.shape.kind.value));

/**
 * One line without its line end. A line of a kind that a newer Vitrine added is no problem: it is `unknown`. `mistyped`: names
 * of marks of a trigger that were left out because they have a wrong type.
 */
export type ParsedLine =
  | { readonly value: RecordLine; readonly problem: null; readonly mistyped?: readonly string[] }
  | { readonly value: null; readonly problem: null; readonly unknown: string }
  | { readonly value: null; readonly problem: { readonly reason: 'not_json' | 'invalid'; readonly message: string } };

export function parseRecordLine(text: string): ParsedLine {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    return { value: null, problem: { reason: 'not_json', message: error instanceof Error ? error.message : '' } };
  }
  const parsed = lineSchema.safeParse(json);
  if (parsed.success) return { value: parsed.data, problem: null };
  if (isObject(json) && typeof json['kind'] === 'string' && !kinds.has(json['kind'])) {
    return { value: null, problem: null, unknown: json['kind'] };
  }
  const mended = withoutMistyped(json);
  const again = mended === null ? parsed : lineSchema.safeParse(mended.line);
  if (mended !== null && again.success) return { value: again.data, problem: null, mistyped: mended.names };
  const issue = parsed.error.issues[0];
  const message = issue === undefined ? 'not a line of a record' : `${issue.path.join('.')}: ${issue.message}`;
  return { value: null, problem: { reason: 'invalid', message } };
}

/** The line without its line end; `kind` first, and of an entry its index next. */
export function serialiseRecordLine(line: RecordLine): string {
  if (line.kind !== 'entry') {
    const { kind, ...rest } = line;
    return JSON.stringify({ kind, ...rest });
  }
  const { index, ...entry } = line.entry;
  return JSON.stringify({ kind: 'entry', entry: { index, ...entry }, received_at: line.received_at });
}
