import type { NormalizedEntry } from '../../model/transcript/entry.ts';
import { isObject } from '../../model/text/json.ts';
import type { Trajectory } from '../../model/transcript/metadata.ts';

/**
 * A tool call as the specification's trajectory metadata: that of the agent, else derived from the call. `message` is what
 * the agent wrote or thought before it. `undefined` for other entries.
 */
export function trajectoryOf({ type, metadata }: NormalizedEntry, message?: string): Trajectory | undefined {
  if (type.kind !== 'tool_use') return undefined;
  const reported = metadata?.annotations?.find((annotation) => annotation.kind === 'trajectory');
  if (reported !== undefined) return reported;
  const { toolName, input, result } = type.tool;
  return {
    kind: 'trajectory',
    message: message ?? null,
    tool_name: toolName,
    tool_input: input === undefined || input === null ? null : isObject(input) ? { ...input } : { input },
    tool_output: outputOf(result),
  };
}

function outputOf(
  result: { text?: string | undefined; data?: unknown; isError?: boolean | undefined } | undefined,
): Record<string, unknown> | null {
  if (result === undefined) return null;
  const { text, data, isError } = result;
  if (text === undefined && isObject(data)) return { ...data };
  return {
    ...(text !== undefined && { text }),
    ...(data !== undefined && { data }),
    ...(isError !== undefined && { is_error: isError }),
  };
}
