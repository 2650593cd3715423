import * as z from 'zod';
import { toolActionSchema } from '../transcript/tool.ts';

/** One question of an agent; `options` are its suggestions. With `freeText`, any other answer is possible too. */
export const questionSchema = z.object({
  question: z.string(),
  header: z.string().optional(),
  multiSelect: z.boolean().default(false),
  freeText: z.boolean().default(true),
  options: z.array(z.object({ label: z.string(), description: z.string().optional() })).default([]),
});
export type Question = z.infer<typeof questionSchema>;

/**
 * What an agent asks and waits for. `id` is unique in the session. The command or diff in `action` and `input` is
 * exactly what will run. Times are ISO 8601.
 */
export const agentRequestSchema = z.object({
  id: z.string(),
  kind: z.enum(['permission', 'question', 'plan']),
  /** Tool call that waits for the answer. */
  callId: z.string().optional(),
  toolName: z.string().optional(),
  /** Title in one line. */
  title: z.string(),
  /** The agent's own description of what it is about to do. */
  description: z.string().optional(),
  /** Why it has to ask. */
  reason: z.string().optional(),
  action: toolActionSchema.optional(),
  /** The call's argument as the agent sent it. */
  input: z.unknown().optional(),
  cwd: z.string().optional(),
  /** What "allow for this session" covers; absent: the agent does not offer it. */
  session: z.string().optional(),
  /** The agent accepts a different text for the file. */
  editable: z.literal(true).optional(),
  /** The agent does not accept a reason for a denial: only the record has it. */
  reasonUnheard: z.literal(true).optional(),
  questions: z.array(questionSchema).optional(),
  /** Markdown. */
  plan: z.string().optional(),
  asked_at: z.string(),
  /** When Vitrine denies the request automatically; absent: it waits until someone answers. */
  expires_at: z.string().optional(),
});
export type AgentRequest = z.infer<typeof agentRequestSchema>;

/** Records of earlier versions hold answers by the text of their question. */
function toPositions(answers: unknown): unknown {
  return typeof answers === 'object' && answers !== null && !Array.isArray(answers) ? Object.values(answers) : answers;
}

/**
 * What a person wrote in place of the agent's own edit: `newText` replaces `oldText`, which the file has once, or the
 * whole file. With LF line ends.
 */
export const editedTextSchema = z.object({
  path: z.string(),
  oldText: z.string().min(1).optional(),
  newText: z.string().max(16 * 1024 * 1024),
});
export type EditedText = z.infer<typeof editedTextSchema>;

/** What a person can answer. `answers` are in the order of the questions; several labels are joined by ", ". */
export const answerSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('allow'),
    scope: z.enum(['once', 'session']),
    /** The agent writes this instead. */
    edited: editedTextSchema.optional(),
  }),
  z.object({ kind: z.literal('deny'), reason: z.string().optional(), interrupt: z.boolean().optional() }),
  z.object({ kind: z.literal('answer'), answers: z.preprocess(toPositions, z.array(z.string())) }),
]);
export type Answer = z.infer<typeof answerSchema>;

/**
 * How a request ended: `user` answered; `timeout` denied it; `withdrawn` by the agent; `run_over`: the run ended first;
 * `no one` was available; `policy`: decided without asking.
 */
export const decisionSchema = z.object({
  by: z.enum(['user', 'timeout', 'withdrawn', 'run_over', 'nobody', 'policy']),
  at: z.string(),
  answer: answerSchema,
  /** Where a user answered; `id` identifies the window. */
  client: z.object({ kind: z.enum(['window', 'terminal', 'api']), id: z.string().optional() }).optional(),
});
export type Decision = z.infer<typeof decisionSchema>;

/**
 * Metadata of the entry (`system_message`, subtype `request`) that shows a request. Without `decision`, the request is
 * waiting.
 */
export const requestMetadataSchema = z.object({
  request: agentRequestSchema,
  decision: decisionSchema.optional(),
});
