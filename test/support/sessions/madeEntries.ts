import type { NormalizedEntry } from '../../../src/model/transcript/entry.ts';
import type { ToolAction, ToolUse } from '../../../src/model/transcript/tool.ts';
import { type UnreportedChange, unreportedSubtype } from '../../../src/model/transcript/unreported.ts';

/** Timestamp of an entry at this second. */
export function at(second: number): string {
  return new Date(Date.UTC(2026, 10, 20, 10) + second * 1000).toISOString();
}

/** A tool call that started at the second of its index and took one second. */
export function call(index: number, action: ToolAction, overrides: Partial<ToolUse> = {}): NormalizedEntry {
  const tool: ToolUse = {
    toolName: 'made',
    callId: `call_${index}`,
    action,
    status: 'success',
    startedAt: at(index),
    endedAt: at(index + 1),
    ...overrides,
  };
  return { index, timestamp: tool.startedAt ?? at(index), type: { kind: 'tool_use', tool }, content: '' };
}

export function said(
  index: number,
  content: string,
  kind: 'assistant_message' | 'user_message' = 'assistant_message',
): NormalizedEntry {
  return {
    index,
    timestamp: at(index),
    type: { kind },
    content,
    ...(kind === 'user_message' && { origin: 'human' as const }),
  };
}

export function thought(index: number, content: string): NormalizedEntry {
  return { index, timestamp: at(index), type: { kind: 'thinking', reasoning: content }, content };
}

/** Files that changed without a tool call. */
export function unreportedNote(index: number, changes: readonly UnreportedChange[]): NormalizedEntry {
  return {
    index,
    timestamp: at(index),
    type: { kind: 'system_message', subtype: unreportedSubtype },
    content: '',
    metadata: { unreported: { how: 'files', changes, total: changes.length } },
  };
}

export const reads = (path: string, args: object = {}): ToolAction => ({ kind: 'file_read', path, ...args });
export const runs = (command: string, exitCode?: number): ToolAction => ({
  kind: 'command_run',
  command,
  ...(exitCode !== undefined && { exitCode }),
});
export const writes = (path: string, content: string): ToolAction => ({ kind: 'file_write', path, content });
export const edits = (path: string, oldText: string, newText: string): ToolAction => ({
  kind: 'file_edit',
  changes: [{ path, kind: 'update', oldText, newText }],
});
