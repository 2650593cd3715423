import * as z from 'zod';
import { normalizedEntrySchema, originSchema } from '../model/transcript/entry.ts';
import { eventSchema } from '../model/transcript/event.ts';
import { isObject } from '../model/text/json.ts';
import { syntheticSchema } from '../model/transcript/metadata.ts';
import { resultMetadataSchema } from '../model/session/result.ts';
import { runIdSchema, runSchema, runStatusSchema, sessionIdSchema, sessionSchema } from '../model/session/session.ts';
import { sessionSummarySchema } from '../model/session/summary.ts';
import { costSchema, modelUsageSchema, tokenUsageSchema } from '../model/usage/usage.ts';
import { removeMistyped } from './mistyped.ts';

/** Current version. Records of newer versions are read as far as possible, and never written. */
export const recordVersion = 1;

/** Start of every entry line, byte for byte: entries are found by it without parsing. */
export const entryLinePrefix = '{"kind":"entry","entry":{"index":';

/** Maximum number of turns in a summary line, the newest; `turns_omitted` counts earlier ones. */
export const maxSummaryTurns = 100;

const index = z.number().int().nonnegative();

/** A run with its range of entries: `first_index` to `end_index` (exclusive; absent during the run). */
export const recordedRunSchema = runSchema.extend({
  first_index: index,
  end_index: index.optional(),
  /** Number of tool calls in the main conversation. */
  steps: index.optional(),
  /** Number of tool calls of subagents; absent: none. */
  subagent_steps: index.optional(),
  /** Number of model responses in the main conversation, which budgets count as turns. */
  responses: index.optional(),
  /** Active milliseconds, without time waiting for the user. */
  active_ms: index.optional(),
  /** Marks of an automatic prompt. */
  ...syntheticSchema.shape,
  prompt_origin: originSchema.optional(),
  /** Messages and results are derived from entries, not repeated in `event` lines; absent: such lines exist. */
  events_from: z.literal('entries').optional(),
});
export type RecordedRun = z.infer<typeof recordedRunSchema>;

/** A run as shown in a heading. `duration` in milliseconds. */
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
  /** Usage by model; absent if it was not recorded. */
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
   * A settled entry; a later line with the same index replaces it. `received_at` (ISO 8601): time of arrival. If it
   * equals the entry's `timestamp`, the agent reported no time.
   */
  z.object({ kind: z.literal('entry'), entry: normalizedEntrySchema, received_at: z.string().optional() }),
  /** Tokens of one model message; the latest of a `messageId` counts. */
  z.object({ kind: z.literal('usage'), run_id: runIdSchema, usage: messageUsageSchema }),
  /** Result of a run. */
  z.object({ kind: z.literal('result'), run_id: runIdSchema, result: resultMetadataSchema }),
  /** A decision by a user or a rule; further keys depend on `type`. */
  z.object({ kind: z.literal('decision'), decision: z.looseObject({ type: z.string(), at: z.string() }) }),
  /** Data for lists and headers; the latest one counts. Repeats other lines, so that these need not be read. */
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
 * One line without its line end. `unknown`: a line of a kind that a newer Vitrine added. `mistyped`: names of removed
 * marks with a wrong type.
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
  const mended = removeMistyped(json);
  const again = mended === null ? parsed : lineSchema.safeParse(mended.line);
  if (mended !== null && again.success) return { value: again.data, problem: null, mistyped: mended.names };
  const issue = parsed.error.issues[0];
  const message = issue === undefined ? 'not a line of a record' : `${issue.path.join('.')}: ${issue.message}`;
  return { value: null, problem: { reason: 'invalid', message } };
}

/** The line without its line end, starting with `kind` and, for entries, the index. */
export function serializeRecordLine(line: RecordLine): string {
  if (line.kind !== 'entry') {
    const { kind, ...rest } = line;
    return JSON.stringify({ kind, ...rest });
  }
  const { index, ...entry } = line.entry;
  return JSON.stringify({ kind: 'entry', entry: { index, ...entry }, received_at: line.received_at });
}
