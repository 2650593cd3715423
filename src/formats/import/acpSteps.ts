import * as z from 'zod';
import type { NormalizedEntry } from '../../model/transcript/entry.ts';
import type { Trajectory } from '../../model/transcript/metadata.ts';
import { toolResultSchema, toolStatusSchema, type ToolUse } from '../../model/transcript/tool.ts';

const finalStatusSchema = toolStatusSchema.exclude(['created', 'running']);

/** A `tool_output` as in Vitrine's export; those of other programs have other keys. */
const outcomeSchema = z.strictObject({ status: toolStatusSchema, ...toolResultSchema.shape });

/** A step with a tool name becomes a call, any other a thought. Without ids in the protocol, `callId` is empty. */
export function entryOfStep(
  step: Trajectory,
  { timestamp, endedAt }: { readonly timestamp: string; readonly endedAt: string | null | undefined },
): Omit<NormalizedEntry, 'index'> {
  const { message, tool_name: toolName, tool_input: input, tool_output: output } = step;
  const content = message ?? '';
  const metadata = { annotations: [step] };
  if (toolName === null || toolName === undefined || toolName === '')
    return { timestamp, type: { kind: 'thinking', reasoning: content }, content, metadata };
  const toolInput = input === null || input === undefined ? {} : { input };
  const tool: ToolUse = {
    toolName,
    callId: '',
    action: { kind: 'tool', ...toolInput },
    ...toolInput,
    ...outcomeOf(output),
    startedAt: timestamp,
    ...(typeof endedAt === 'string' && { endedAt }),
  };
  return { timestamp, type: { kind: 'tool_use', tool }, content, metadata };
}

/** Output of unknown shape is kept as data. Imported calls cannot be resumed. */
function outcomeOf(output: Trajectory['tool_output']): Pick<ToolUse, 'status' | 'result'> {
  if (output === null || output === undefined) return { status: 'success' };
  const own = outcomeSchema.safeParse(output);
  if (!own.success) {
    const { data: status = 'success' } = finalStatusSchema.safeParse(output['status']);
    return { status, result: { data: output } };
  }
  const { status: reported, ...result } = own.data;
  const { data: status = 'cancelled' } = finalStatusSchema.safeParse(reported);
  return { status, ...((status === 'success' || Object.keys(result).length > 0) && { result }) };
}
