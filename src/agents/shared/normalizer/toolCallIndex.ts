import type { NormalizedEntry } from '../../../model/transcript/entry.ts';
import type { NormalizedEntryMetadata } from '../../../model/transcript/metadata.ts';
import type { ToolAction, ToolResult, ToolStatus, ToolUse } from '../../../model/transcript/tool.ts';
import { limitDepth } from '../bounds.ts';
import { describeCall } from '../describe.ts';
import type { EntryWriter } from './entryWriter.ts';

/** Answered calls that can still be corrected. */
const maxAnswered = 1000;
/** Ids that are remembered, so that a repeated call is recognized. */
const maxCalls = 100_000;

interface Call {
  /** Absent if the call was answered so long ago that only its id is kept. */
  entry: NormalizedEntry | undefined;
  tool: ToolUse;
  open: boolean;
}

export interface CallStart {
  readonly id: string;
  readonly toolName: string;
  readonly action: ToolAction;
  /** The call's argument as the agent printed it. */
  readonly input: unknown;
  /** Call of the subagent that made this one. */
  readonly parentCallId?: string | undefined;
  readonly timestamp: string;
  readonly metadata: NormalizedEntryMetadata | undefined;
}

export interface CallChange {
  readonly id: string;
  /** The action as far as known; absent: unchanged. */
  readonly action?: ToolAction | undefined;
  readonly status: ToolStatus;
  readonly result?: ToolResult | undefined;
  readonly timestamp: string;
}

/** Every tool call of a run, one entry each, for agents that print complete calls. */
export class ToolCallIndex {
  readonly #writer: EntryWriter;
  readonly #workDir: string;
  readonly #calls = new Map<string, Call>();
  readonly #open = new Set<string>();
  readonly #answeredIds = new Set<string>();
  /** How often an id was used. */
  readonly #callCounts = new Map<string, number>();

  constructor(writer: EntryWriter, workDir: string) {
    this.#writer = writer;
    this.#workDir = workDir;
  }

  get(id: string): ToolUse | undefined {
    return this.#calls.get(id)?.tool;
  }

  /** Whether this call began before: its id is known and not that of another, ended call. */
  hasBegun({ id, toolName, input }: Pick<CallStart, 'id' | 'toolName' | 'input'>): boolean {
    const known = this.#calls.get(id);
    if (known === undefined || isOrphan(known)) return false;
    if (known.open || known.entry === undefined) return true;
    return known.tool.toolName === toolName && JSON.stringify(known.tool.input) === JSON.stringify(limitDepth(input));
  }

  /** Begins a call. One that already began is unchanged; one whose result came first is completed. */
  start(start: CallStart): void {
    if (this.hasBegun(start)) return;
    const { id, toolName, action, input, parentCallId, timestamp, metadata } = start;
    const known = this.#calls.get(id);
    if (known !== undefined && isOrphan(known)) {
      const parent = parentCallId === undefined ? {} : { parentCallId };
      this.#put(known, { ...known.tool, ...parent, toolName, action, input: limitDepth(input), startedAt: timestamp });
      return;
    }
    const tool: ToolUse = {
      toolName,
      callId: this.#makeUniqueId(id),
      action,
      input: limitDepth(input),
      status: 'running',
      startedAt: timestamp,
    };
    if (parentCallId !== undefined) tool.parentCallId = parentCallId;
    const entry = this.#writer.add({
      type: { kind: 'tool_use', tool },
      content: describeCall(toolName, action, this.#workDir),
      timestamp,
      metadata,
      open: true,
    });
    this.#answeredIds.delete(id);
    this.#calls.set(id, { entry, tool, open: true });
    this.#open.add(id);
    this.#forgetOldest();
  }

  /** An update of a running call. */
  update({ id, action, result }: Omit<CallChange, 'status' | 'timestamp'>): void {
    const call = this.#calls.get(id);
    if (call?.open !== true) return;
    this.#put(call, { ...call.tool, ...(action !== undefined && { action }), ...(result !== undefined && { result }) });
  }

  /** Output of a command, if its result does not have it. `false`: there is no such call. */
  setOutput(id: string, stdout: string, exitCode: number | null): boolean {
    const call = this.#calls.get(id);
    if (call?.entry === undefined || call.tool.action.kind !== 'command_run') return false;
    const action: ToolAction = { ...call.tool.action, stdout };
    if (exitCode !== null) action.exitCode = exitCode;
    this.#put(call, { ...call.tool, action });
    return true;
  }

  /** The end of a call. An earlier end is corrected while it is remembered. */
  finish({ id, action, status, result, timestamp }: CallChange): void {
    const call = this.#calls.get(id);
    if (call === undefined) return;
    call.open = false;
    this.#open.delete(id);
    this.#answeredIds.add(id);
    this.#put(call, {
      ...call.tool,
      ...(action !== undefined && { action }),
      status,
      ...(result !== undefined && { result: limitResultDepth(result) }),
      endedAt: timestamp,
    });
    for (const old of this.#answeredIds) {
      if (this.#answeredIds.size <= maxAnswered) break;
      this.#answeredIds.delete(old);
      const oldCall = this.#calls.get(old);
      if (oldCall === undefined) continue;
      oldCall.entry = undefined;
      oldCall.tool = {
        toolName: oldCall.tool.toolName,
        callId: oldCall.tool.callId,
        action: { kind: 'tool' },
        status: oldCall.tool.status,
      };
    }
  }

  /** A result without a call in this run. */
  addOrphanedResult(change: CallChange, metadata: NormalizedEntryMetadata | undefined): void {
    const { id, timestamp, status, result } = change;
    const tool: ToolUse = {
      toolName: 'unknown',
      callId: this.#makeUniqueId(id),
      action: { kind: 'tool' },
      status,
      endedAt: timestamp,
    };
    if (result !== undefined) tool.result = limitResultDepth(result);
    const content = 'A result for a call that this run did not make';
    const entry = this.#writer.add({ type: { kind: 'tool_use', tool }, content, timestamp, metadata });
    this.#calls.set(id, { entry, tool, open: false });
    this.#answeredIds.add(id);
    this.#forgetOldest();
  }

  /** An id for a call that has none. */
  makeId(): string {
    return `unidentified-${this.#writer.nextIndex}`;
  }

  /** The oldest call of this tool, or of any, that waits for its result; one with this input before others. */
  oldestOpenCall(toolName?: string, input?: unknown): string | undefined {
    const serialized = input === undefined ? undefined : JSON.stringify(limitDepth(input));
    let oldest: string | undefined;
    for (const id of this.#open) {
      const tool = this.#calls.get(id)?.tool;
      if (toolName !== undefined && tool?.toolName !== toolName) continue;
      if (serialized === undefined || JSON.stringify(tool?.input) === serialized) return id;
      oldest ??= id;
    }
    return oldest;
  }

  /** The conversation of these calls has ended: another can reuse their ids. */
  forget(timestamp: string): void {
    this.end('No result: another conversation began before the tool returned.', timestamp);
    this.#calls.clear();
    this.#answeredIds.clear();
  }

  /** Closes calls that were never answered. */
  end(reason: string, timestamp: string): void {
    for (const id of [...this.#open]) {
      const call = this.#calls.get(id);
      if (call === undefined) continue;
      call.open = false;
      this.#open.delete(id);
      const result = call.tool.result ?? { text: reason };
      this.#put(call, { ...call.tool, status: 'cancelled', result, endedAt: timestamp }, reason);
    }
  }

  /** Ids of calls are unique in a transcript: the second use of an id becomes `id~2`. */
  #makeUniqueId(id: string): string {
    const times = (this.#callCounts.get(id) ?? 0) + 1;
    this.#callCounts.delete(id);
    this.#callCounts.set(id, times);
    for (const oldest of this.#callCounts.keys()) {
      if (this.#callCounts.size <= maxCalls) break;
      this.#callCounts.delete(oldest);
    }
    return times === 1 ? id : `${id}~${times}`;
  }

  #put(call: Call, tool: ToolUse, note?: string): void {
    if (call.entry === undefined) return;
    call.tool = tool;
    const title = describeCall(tool.toolName, tool.action, this.#workDir);
    const content = note === undefined ? title : `${title}\n\n${note}`;
    call.entry = { ...call.entry, type: { kind: 'tool_use', tool }, content };
    this.#writer.put(call.entry, call.open);
  }

  #forgetOldest(): void {
    if (this.#calls.size <= maxCalls) return;
    for (const [id, call] of this.#calls) {
      this.#calls.delete(id);
      this.#answeredIds.delete(id);
      // A waiting call goes to the end of the queue.
      if (call.open) this.#calls.set(id, call);
      return;
    }
  }
}

/** It has a result, but the call is unknown. */
function isOrphan({ entry, tool }: Call): boolean {
  return entry !== undefined && tool.startedAt === undefined;
}

function limitResultDepth(result: ToolResult): ToolResult {
  return result.data === undefined ? result : { ...result, data: limitDepth(result.data) };
}
