import type { NormalizedEntry } from '../../../model/transcript/entry.ts';
import type { NormalizedEntryMetadata } from '../../../model/transcript/metadata.ts';
import type { ToolStatus, ToolUse } from '../../../model/transcript/tool.ts';
import { limitDepth } from '../../shared/bounds.ts';
import { resultData } from '../texts/content.ts';
import { describeCall } from '../../shared/describe.ts';
import { TaskList } from './tasks.ts';
import { toolAction } from './toolActions.ts';
import { completeAction } from './toolOutcome.ts';
import type { EntryWriter } from '../../shared/normalizer/entryWriter.ts';

/** Answered calls that can still be corrected (the end of a turn lists denials). */
const maxAnswered = 256;
/** Ids of older calls, so that a replayed one is recognized. */
const maxIds = 100_000;

/** Tools with which the program uses models outside the conversation. */
const asksModels = new Set(['Task', 'Agent', 'WebSearch', 'WebFetch']);

/** The tool with which the model returns the output for `--json-schema`. */
const structuredOutput = 'StructuredOutput';

interface Call {
  /** As printed; a second call with the same id has another id in its entry. */
  readonly id: string;
  readonly messageId: string | undefined;
  entry: NormalizedEntry;
  tool: ToolUse;
  isOpen: boolean;
  /** The input arrived complete, not in pieces. */
  isWhole: boolean;
  pieces: string[];
  denialReason: string | undefined;
  /** `tool_use_result` of a result that arrived before its call. */
  detail?: unknown;
}

export interface CallStart {
  readonly id: string;
  /** Id of the message with the call, if it has one. */
  readonly messageId?: string | undefined;
  readonly name: string;
  readonly input: unknown;
  readonly parentCallId: string | null;
  readonly timestamp: string;
  readonly metadata: NormalizedEntryMetadata | undefined;
  /** False if the input will be streamed. */
  readonly isWhole: boolean;
}

export interface CallResult {
  readonly id: string;
  readonly text: string;
  readonly isError: boolean;
  readonly status: ToolStatus;
  /** `tool_use_result`, if the line has one for this call. */
  readonly detail: unknown;
  readonly parentCallId: string | null;
  readonly timestamp: string;
  readonly metadata: NormalizedEntryMetadata | undefined;
}

/** Every tool call of a run, one entry each, in whatever order its parts arrive. */
export class ToolCalls {
  readonly #writer: EntryWriter;
  readonly #workDir: string;
  readonly #calls = new Map<string, Call>();
  readonly #open = new Set<string>();
  /** The oldest first. */
  readonly #answeredCalls: Call[] = [];
  /** Ids of calls that were answered long ago. */
  readonly #releasedIds = new Set<string>();
  /** How often an id was used for another call. */
  readonly #reuseCounts = new Map<string, number>();
  readonly #tasks = new TaskList();
  /** Calls of tools that use a model outside the conversation. */
  sideCalls = 0;
  /** A call in the transcript has the structured output as input. */
  hasStructuredOutputCall = false;

  constructor(writer: EntryWriter, workDir: string) {
    this.#writer = writer;
    this.#workDir = workDir;
  }

  /** `false`: a call of another tool has this id. */
  start(start: CallStart): boolean {
    const { id, name, parentCallId, timestamp, metadata, isWhole } = start;
    const known = this.#calls.get(id);
    if (known !== undefined && !isAnother(known, start)) {
      if (isWhole && known.isWhole && known.tool.toolName !== name) return false;
      if (isWhole) this.#fill(known, start);
      return true;
    }
    if (this.#releasedIds.has(id)) return true;
    if (asksModels.has(name)) this.sideCalls += 1;
    if (name === structuredOutput) this.hasStructuredOutputCall = true;
    const input = limitDepth(start.input);
    const tool: ToolUse = {
      toolName: name,
      callId: known === undefined ? id : this.#makeUniqueId(id),
      action: this.#tasks.startedAction(name, toolAction(name, input), input),
      input,
      status: 'running',
      startedAt: timestamp,
    };
    if (parentCallId !== null) tool.parentCallId = parentCallId;
    const entry = this.#writer.add({
      type: { kind: 'tool_use', tool },
      content: describeCall(name, tool.action, this.#workDir),
      timestamp,
      metadata,
      open: true,
    });
    const { messageId } = start;
    this.#calls.set(id, { id, messageId, entry, tool, isOpen: true, isWhole, pieces: [], denialReason: undefined });
    this.#open.add(id);
    return true;
  }

  /** The message of this call was interrupted: the pieces of its input are all there is. */
  abortCall(id: string, timestamp: string): void {
    const call = this.#calls.get(id);
    if (call?.isOpen === true && !call.isWhole)
      this.#cancel(call, 'Not run: the response was interrupted before the call was complete.', timestamp);
  }

  /** Only for a call that can still grow. */
  entry(id: string): NormalizedEntry | undefined {
    return this.#calls.get(id)?.entry;
  }

  /** A piece of a streamed input; shown when the input is complete. */
  piece(id: string, json: string): void {
    const call = this.#calls.get(id);
    if (call !== undefined && !call.isWhole) call.pieces.push(json);
  }

  /** `false`: the call was answered too long ago to add anything. */
  addResult(result: CallResult): boolean {
    const known = this.#calls.get(result.id);
    if (known === undefined) return !this.#releasedIds.has(result.id) && this.#addOrphanedResult(result);
    const before = known.tool.result;
    if (!known.isOpen && before?.text !== undefined && before.text === result.text) return true;
    this.#parseInputParts(known);
    const { toolName, input } = known.tool;
    const status = known.denialReason !== undefined && result.isError ? 'denied' : result.status;
    let action = completeAction(known.tool.action, result);
    if (status === 'success') action = this.#tasks.completedAction(toolName, action, input, result.detail);
    const data = resultData(result.detail, result.text) ?? before?.data;
    const shown = known.isOpen || before?.text === undefined ? result.text : `${before.text}\n\n${result.text}`;
    this.#settle(known, {
      ...known.tool,
      action,
      status,
      result: { text: shown, isError: result.isError, ...(data !== undefined && { data }) },
      endedAt: result.timestamp,
    });
    return true;
  }

  /** An id for a call that has none. */
  makeId(): string {
    return `unidentified-${this.#writer.nextIndex}`;
  }

  /** The oldest call of this tool, or of any, that waits for its result. */
  oldestOpenCall(toolName: string | undefined): string | undefined {
    for (const id of this.#open)
      if (toolName === undefined || this.#calls.get(id)?.tool.toolName === toolName) return id;
    return undefined;
  }

  /** The agent says that this call was denied. */
  deny(id: string, reason: string): void {
    const call = this.#calls.get(id);
    if (call === undefined) return;
    call.denialReason = reason;
    if (call.tool.status === 'denied' || call.tool.status === 'success') return;
    this.#put(call, { ...call.tool, status: 'denied' });
  }

  /** The message of this call was retracted. Its effects stay; a call without an answer gets none. */
  retract(callId: string, index: number, timestamp: string): void {
    const call = this.#calls.get(callId) ?? this.#calls.get(printedId(callId));
    if (call?.entry.index !== index) return;
    call.entry = { ...call.entry, metadata: { ...call.entry.metadata, aborted: true } };
    if (call.isOpen) this.#cancel(call, 'Not run: the response with this call was retracted.', timestamp);
    else this.#put(call, call.tool);
  }

  /** Closes calls that were never answered. */
  end(reason: string, timestamp: string): void {
    for (const id of [...this.#open]) {
      const call = this.#calls.get(id);
      if (call !== undefined) this.#cancel(call, reason, timestamp);
    }
  }

  #cancel(call: Call, reason: string, timestamp: string): void {
    this.#parseInputParts(call);
    const denied = call.denialReason;
    const status = denied === undefined ? 'cancelled' : 'denied';
    const result = { text: denied ?? reason };
    this.#settle(call, { ...call.tool, status, result, endedAt: timestamp }, result.text);
  }

  #addOrphanedResult({ id, text, isError, status, detail, parentCallId, timestamp, metadata }: CallResult): true {
    const data = resultData(detail, text);
    const tool: ToolUse = {
      toolName: 'unknown',
      callId: id,
      action: { kind: 'tool' },
      status,
      result: { text, isError, ...(data !== undefined && { data }) },
      endedAt: timestamp,
    };
    if (parentCallId !== null) tool.parentCallId = parentCallId;
    const entry = this.#writer.add({
      type: { kind: 'tool_use', tool },
      content: 'A result for a call that this run did not make',
      timestamp,
      metadata,
    });
    const call: Call = {
      id,
      messageId: undefined,
      entry,
      tool,
      isOpen: false,
      isWhole: false,
      pieces: [],
      denialReason: undefined,
      detail,
    };
    this.#calls.set(id, call);
    this.#release(call);
    return true;
  }

  /** The whole call, after its start or even after its result. */
  #fill(call: Call, { name, input: rawInput, timestamp, metadata, parentCallId }: CallStart): void {
    if (call.isWhole && !call.isOpen) return;
    const input = limitDepth(rawInput);
    call.isWhole = true;
    call.pieces = [];
    const opened = this.#tasks.startedAction(name, toolAction(name, input), input);
    const { result } = call.tool;
    const tool: ToolUse = {
      ...call.tool,
      toolName: name,
      input,
      action:
        result === undefined
          ? opened
          : completeAction(opened, { text: result.text ?? '', isError: result.isError === true, detail: call.detail }),
      startedAt: timestamp,
    };
    if (parentCallId !== null) tool.parentCallId = parentCallId;
    call.entry = { ...call.entry, timestamp };
    if (metadata !== undefined) call.entry.metadata = metadata;
    this.#put(call, tool);
  }

  /** Uses what arrived of an input that was never sent completely. */
  #parseInputParts(call: Call): void {
    if (call.isWhole || call.pieces.length === 0) return;
    const json = call.pieces.join('');
    call.pieces = [];
    call.isWhole = true;
    let input: unknown = json;
    try {
      input = limitDepth(JSON.parse(json));
    } catch {
      // Half an input stays a text.
    }
    const { toolName } = call.tool;
    call.tool = {
      ...call.tool,
      input,
      action: this.#tasks.startedAction(toolName, toolAction(toolName, input), input),
    };
  }

  #settle(call: Call, tool: ToolUse, note?: string): void {
    const answered = !call.isOpen;
    call.isOpen = false;
    this.#open.delete(call.id);
    this.#put(call, tool, note);
    if (!answered) this.#release(call);
  }

  #put(call: Call, tool: ToolUse, note?: string): void {
    const title = describeCall(tool.toolName, tool.action, this.#workDir);
    const content = note === undefined ? title : `${title}\n\n${note}`;
    call.tool = tool;
    call.entry = { ...call.entry, type: { kind: 'tool_use', tool }, content };
    this.#writer.put(call.entry, call.isOpen);
  }

  /** Ids of calls are unique in a transcript: the second use of an id becomes `id~2`. */
  #makeUniqueId(id: string): string {
    const times = (this.#reuseCounts.get(id) ?? 1) + 1;
    if (this.#reuseCounts.size < maxIds || times > 2) this.#reuseCounts.set(id, times);
    return `${id}~${times}`;
  }

  /** A call was answered: for the oldest of these, only the id is kept. */
  #release(call: Call): void {
    this.#answeredCalls.push(call);
    const oldest = this.#answeredCalls.length > maxAnswered ? this.#answeredCalls.shift() : undefined;
    // Its id may be in use by a newer one.
    if (oldest === undefined || this.#calls.get(oldest.id) !== oldest) return;
    this.#calls.delete(oldest.id);
    this.#releasedIds.add(oldest.id);
    const forgottenId = this.#releasedIds.size > maxIds ? first(this.#releasedIds) : undefined;
    if (forgottenId !== undefined) this.#releasedIds.delete(forgottenId);
  }
}

/** The printed id of a call that is `id~2` in the transcript. */
function printedId(callId: string): string {
  return callId.slice(0, Math.max(0, callId.lastIndexOf('~')));
}

/** Whether a call of another message reuses the id of an answered call. */
function isAnother(known: Call, { messageId }: CallStart): boolean {
  return !known.isOpen && known.messageId !== undefined && messageId !== undefined && known.messageId !== messageId;
}

function first(ids: ReadonlySet<string>): string | undefined {
  for (const id of ids) return id;
  return undefined;
}
