import type { NormalizedEntry } from '../model/transcript/entry.ts';
import type { ResultEvent } from '../model/session/result.ts';

/**
 * Events of one run for its result: texts of the assistant, tool calls and their results, sorted by time (epoch
 * milliseconds). `entries`: of the run, in index order.
 */
export function resultEvents(entries: readonly NormalizedEntry[]): ResultEvent[] {
  return entries.flatMap(eventsOf).sort((a, b) => a.timestamp - b.timestamp);
}

function eventsOf({ type, content, timestamp }: NormalizedEntry): ResultEvent[] {
  const at = Date.parse(timestamp);
  if (type.kind === 'assistant_message') return [{ type: 'content', text: content, timestamp: at }];
  if (type.kind !== 'tool_use') return [];
  const { toolName: tool, callId: id, input, result, startedAt, endedAt } = type.tool;
  const started = timeOf(startedAt, at);
  const events: ResultEvent[] = [{ type: 'tool_use', tool, input: input ?? null, id, timestamp: started }];
  if (result !== undefined) {
    const output = result.data ?? result.text ?? null;
    events.push({ type: 'tool_result', tool, output, id, timestamp: Math.max(started, timeOf(endedAt, started)) });
  }
  return events;
}

function timeOf(time: string | undefined, otherwise: number): number {
  const at = time === undefined ? NaN : Date.parse(time);
  return Number.isNaN(at) ? otherwise : at;
}
