/** Schema of an Agent Trace record, from schemas/trace-record.json and the specification in cursor/agent-trace. */
import * as z from 'zod';

const contributor = z.strictObject({
  type: z.enum(['human', 'ai', 'mixed', 'unknown']),
  model_id: z.string().max(250).optional(),
});
const lineNumber = z.number().int().positive();

export const agentTraceSchema = z.strictObject({
  version: z.string().regex(/^[0-9]+\.[0-9]+$/),
  id: z.uuid(),
  timestamp: z.iso.datetime(),
  vcs: z.strictObject({ type: z.enum(['git', 'jj', 'hg', 'svn']), revision: z.string() }).optional(),
  tool: z.strictObject({ name: z.string(), version: z.string() }).optional(),
  files: z.array(
    z.strictObject({
      path: z.string(),
      conversations: z.array(
        z.strictObject({
          url: z.url().optional(),
          contributor: contributor.optional(),
          ranges: z.array(
            z.strictObject({
              start_line: lineNumber,
              end_line: lineNumber,
              content_hash: z.string().optional(),
              contributor: contributor.optional(),
            }),
          ),
          related: z.array(z.strictObject({ type: z.string(), url: z.url() })).optional(),
        }),
      ),
    }),
  ),
  metadata: z.record(z.string(), z.unknown()).optional(),
});
