import * as z from 'zod';

export const toolStatusSchema = z.enum(['created', 'running', 'success', 'failed', 'denied', 'cancelled']);
export type ToolStatus = z.infer<typeof toolStatusSchema>;

/** One recorded change to a file; `patch` is the body of a unified diff if the agent gave context lines. */
export const fileChangeSchema = z.object({
  path: z.string(),
  kind: z.enum(['add', 'update', 'delete']),
  oldText: z.string().optional(),
  newText: z.string().optional(),
  patch: z.string().optional(),
  added: z.number().int().nonnegative().optional(),
  removed: z.number().int().nonnegative().optional(),
});
export type FileChange = z.infer<typeof fileChangeSchema>;

const todoStatusSchema = z.enum(['pending', 'in_progress', 'completed', 'cancelled']);

/** `id`: the agent's own, if it identifies its todos. */
export const todoSchema = z.object({
  id: z.string().optional(),
  text: z.string(),
  status: todoStatusSchema,
});
export type Todo = z.infer<typeof todoSchema>;

/** What a tool call does, in terms every agent shares. `input` of a generic tool is the agent's own JSON. */
export const toolActionSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('file_read'),
    path: z.string(),
    startLine: z.number().int().optional(),
    endLine: z.number().int().optional(),
    totalLines: z.number().int().optional(),
  }),
  z.object({
    kind: z.literal('file_write'),
    path: z.string(),
    content: z.string().optional(),
    /** The agent says whether there was no file before. */
    created: z.boolean().optional(),
  }),
  z.object({ kind: z.literal('file_edit'), changes: z.array(fileChangeSchema) }),
  z.object({
    kind: z.literal('command_run'),
    command: z.string(),
    cwd: z.string().optional(),
    description: z.string().optional(),
    exitCode: z.number().int().nullish(),
    stdout: z.string().optional(),
    stderr: z.string().optional(),
    background: z.boolean().optional(),
  }),
  z.object({
    kind: z.literal('search'),
    query: z.string(),
    path: z.string().optional(),
    matches: z.number().int().optional(),
  }),
  z.object({ kind: z.literal('web_fetch'), url: z.string(), status: z.number().int().optional() }),
  z.object({
    kind: z.literal('web_search'),
    query: z.string(),
    results: z.array(z.object({ url: z.string(), title: z.string().optional() })).optional(),
  }),
  // Todos with ids are those that the run knows. `others` are changed todos that an earlier run may have created.
  z.object({ kind: z.literal('todo'), todos: z.array(todoSchema), others: todoStatusSchema.optional() }),
  z.object({
    kind: z.literal('task'),
    description: z.string(),
    prompt: z.string().optional(),
    agentType: z.string().optional(),
  }),
  z.object({ kind: z.literal('mcp'), server: z.string(), tool: z.string(), input: z.unknown().optional() }),
  z.object({ kind: z.literal('tool'), input: z.unknown().optional() }),
]);
export type ToolAction = z.infer<typeof toolActionSchema>;

/** The result: text for people, or the agent's JSON; `isError` as the agent reported it. */
export const toolResultSchema = z.object({
  text: z.string().optional(),
  data: z.unknown().optional(),
  isError: z.boolean().optional(),
});
export type ToolResult = z.infer<typeof toolResultSchema>;

/**
 * A tool call and, once it exists, its result. `input` is the call's argument exactly as printed. `startedAt` and `endedAt`
 * are ISO 8601. Completion adds to `action` and never removes from it.
 */
export const toolUseSchema = z.object({
  toolName: z.string(),
  callId: z.string(),
  parentCallId: z.string().optional(),
  action: toolActionSchema,
  input: z.unknown().optional(),
  status: toolStatusSchema,
  result: toolResultSchema.optional(),
  startedAt: z.string().optional(),
  endedAt: z.string().optional(),
});
export type ToolUse = z.infer<typeof toolUseSchema>;
