import type { NormalizedEntry, Origin } from '../../../model/transcript/entry.ts';
import type { JsonObject } from '../../../model/text/json.ts';
import type { NormalizedEntryMetadata } from '../../../model/transcript/metadata.ts';
import type { ToolStatus, ToolUse } from '../../../model/transcript/tool.ts';
import { describeCall } from '../../shared/describe.ts';
import { field, nonEmpty } from '../../shared/guards.ts';
import type { NormalizedRun } from '../../shared/normalizer/normalizedRun.ts';
import { Terminals } from './terminals.ts';
import { actionOf, resultOf, statusOf, toolName } from './toolAction.ts';
import {
  truncateShown,
  fillUnknownFields,
  noFields,
  updateFields,
  withContent,
  type ToolFields,
} from './toolFields.ts';

/** Answered calls that can still change. */
const maxAnswered = 1000;
/** Ids that are remembered, so that a repeated call is recognized. */
const maxCalls = 100_000;

interface Call {
  readonly id: string;
  fields: ToolFields;
  /** Absent until it is written, and when only the id of an old answered call is kept. */
  entry: NormalizedEntry | undefined;
  isForgotten: boolean;
  readonly origin: Origin | undefined;
  startedAt: string;
  endedAt: string | undefined;
  isOpen: boolean;
  /** The agent asked for permission, and sent no update of the call since. */
  isAwaitingUpdate: boolean;
  metadata: NormalizedEntryMetadata | undefined;
  /** Characters of output when the entry was last written. */
  written: number;
}

export interface CallContext {
  readonly timestamp: string;
  readonly metadata: NormalizedEntryMetadata | undefined;
  readonly origin?: Origin | undefined;
}

/** Every tool call of a run, one entry each, whatever mentioned it first. */
export class AcpCalls {
  readonly #run: NormalizedRun;
  readonly #calls = new Map<string, Call>();
  readonly #open = new Set<Call>();
  readonly #answeredCalls = new Set<Call>();
  readonly #terminals = new Terminals();
  readonly #callByTerminal = new Map<string, Call>();
  readonly #deniedIds = new Set<string>();
  #sideCalls = 0;

  constructor(run: NormalizedRun) {
    this.#run = run;
  }

  /** Calls that make the agent use models outside its conversation. */
  get sideCalls(): number {
    return this.#sideCalls;
  }

  /** `tool_call` or `tool_call_update`. */
  update(id: string, update: JsonObject, context: CallContext): void {
    this.#addReview(update);
    const call = this.#get(id, context);
    if (call === undefined) return;
    call.fields = updateFields(call.fields, update);
    call.isAwaitingUpdate = false;
    this.#linkTerminals(call);
    this.#writeCall(call, context);
  }

  addContent(id: string, item: unknown, context: CallContext): void {
    const call = this.#get(id, context);
    if (call === undefined) return;
    call.fields = withContent(call.fields, item);
    this.#linkTerminals(call);
    if (this.#hasGrownEnough(call, call.fields.content?.length ?? 0)) this.#writeCall(call, context);
  }

  /** The agent asks for permission: the call exists from now on, and waits. */
  permission(id: string, shown: JsonObject, request: JsonObject, context: CallContext): void {
    const call = this.#get(id, context);
    if (call === undefined) return;
    call.fields = fillUnknownFields(call.fields, shown);
    call.isAwaitingUpdate = true;
    call.metadata = { ...(call.metadata ?? context.metadata), permission: request };
    this.#writeCall(call, context);
  }

  terminal(update: JsonObject, context: CallContext): void {
    const id = this.#terminals.update(update);
    const call = id === undefined ? undefined : this.#callByTerminal.get(id);
    if (call !== undefined) this.#writeCall(call, context);
  }

  terminalOutput(update: JsonObject, context: CallContext): void {
    const id = this.#terminals.chunk(update);
    const call = id === undefined ? undefined : this.#callByTerminal.get(id);
    if (call === undefined || id === undefined) return;
    if (this.#hasGrownEnough(call, this.#terminals.combinedOutput(call.fields.terminalIds).output.length))
      this.#writeCall(call, context);
  }

  /** Whether the call may run was decided. */
  setDecision(id: string, allowed: boolean): void {
    if (allowed) this.#deniedIds.delete(id);
    else if (this.#deniedIds.size < maxAnswered) this.#deniedIds.add(id);
  }

  /** Output and exit code of a terminal that the client ran for the call. `false`: there is no such call. */
  setOutput(id: string, stdout: string, exitCode: number | null, context: CallContext): boolean {
    const call = this.#calls.get(id);
    if (call === undefined || call.isForgotten) return false;
    const streamed = truncateShown(call.fields.streamed + stdout);
    call.fields = { ...call.fields, streamed, exitCode: exitCode ?? call.fields.exitCode };
    this.#writeCall(call, context);
    return true;
  }

  /** A turn has ended: calls without an answer are no longer expected to get one. */
  settle(reason: string, timestamp: string, refused = false): void {
    for (const call of [...this.#open]) {
      const denied = this.#deniedIds.has(call.id) || (refused && call.isAwaitingUpdate);
      const text = denied ? 'The agent did not run this, because it was not permitted.' : reason;
      this.#close(call, denied ? 'denied' : 'cancelled', text, timestamp);
    }
  }

  #get(id: string, context: CallContext): Call | undefined {
    const known = this.#calls.get(id);
    if (known !== undefined) return known.isForgotten ? undefined : known;
    const { timestamp, metadata, origin } = context;
    const call: Call = {
      id,
      fields: noFields,
      entry: undefined,
      isForgotten: false,
      origin,
      startedAt: timestamp,
      endedAt: undefined,
      isOpen: true,
      isAwaitingUpdate: false,
      metadata,
      written: 0,
    };
    this.#calls.set(id, call);
    this.#open.add(call);
    this.#forgetOldest();
    return call;
  }

  #writeCall(call: Call, { timestamp }: CallContext): void {
    const shown = this.#terminals.combinedOutput(call.fields.terminalIds);
    const status = statusOf(call.fields, shown, this.#deniedIds.has(call.id));
    const open = status === 'created' || status === 'running';
    if (!open) call.endedAt ??= timestamp;
    else call.endedAt = undefined;
    this.#put(call, status, open);
  }

  #close(call: Call, status: ToolStatus, reason: string, timestamp: string): void {
    call.endedAt = timestamp;
    this.#put(call, status, false, reason);
  }

  #put(call: Call, status: ToolStatus, open: boolean, note?: string): void {
    const shown = this.#terminals.combinedOutput(call.fields.terminalIds);
    const { fields, entry } = call;
    const before = entry?.type.kind === 'tool_use' ? entry.type.tool.action : undefined;
    const action = actionOf(fields, shown);
    const saved = action.kind === 'tool' && before !== undefined && before.kind !== 'tool' ? before : action;
    const printed = resultOf(fields, shown, status);
    const result = note === undefined ? printed : { text: note, ...printed };
    if (asksModels.has(saved.kind) && !asksModels.has(before?.kind)) this.#sideCalls += 1;
    const parentCallId = fields.claude?.parentCallId;
    const tool: ToolUse = {
      toolName: toolName(fields),
      callId: call.id,
      ...(parentCallId !== undefined && { parentCallId }),
      action: saved,
      ...(fields.input !== undefined && { input: fields.input }),
      status,
      ...(result !== undefined && (!open || result.text !== undefined) && { result }),
      startedAt: call.startedAt,
      ...(call.endedAt !== undefined && { endedAt: call.endedAt }),
    };
    const title = this.#titleOf(tool, fields);
    const content = note === undefined ? title : `${title}\n\n${note}`;
    const type = { kind: 'tool_use', tool } as const;
    const metadata = this.#metadata(call);
    if (entry === undefined) {
      const from = call.origin === undefined ? {} : { origin: call.origin };
      call.entry = this.#run.writer.add({ type, content, timestamp: call.startedAt, metadata, open, ...from });
    } else {
      call.entry = { ...entry, type, content, ...(metadata !== undefined && { metadata }) };
      this.#run.writer.put(call.entry, open);
    }
    this.#sort(call, open);
  }

  #titleOf(tool: ToolUse, { title }: ToolFields): string {
    if (tool.action.kind === 'tool' && title !== undefined) return title;
    return describeCall(tool.toolName, tool.action, this.#run.context.workDir);
  }

  #metadata({ metadata, fields }: Call): NormalizedEntryMetadata | undefined {
    const extra = {
      ...(fields.locations.length > 0 && { locations: fields.locations.map(plainLocation) }),
      ...(fields.claude?.parentCallId !== undefined && { parentCallId: fields.claude.parentCallId }),
    };
    return Object.keys(extra).length === 0 ? metadata : { ...metadata, ...extra };
  }

  #sort(call: Call, open: boolean): void {
    if (open === call.isOpen) return;
    call.isOpen = open;
    if (open) {
      this.#answeredCalls.delete(call);
      this.#open.add(call);
      return;
    }
    this.#open.delete(call);
    this.#answeredCalls.add(call);
    for (const old of this.#answeredCalls) {
      if (this.#answeredCalls.size <= maxAnswered) break;
      this.#answeredCalls.delete(old);
      for (const id of old.fields.terminalIds) this.#callByTerminal.delete(id);
      old.entry = undefined;
      old.isForgotten = true;
      old.fields = noFields;
    }
  }

  #linkTerminals(call: Call): void {
    for (const id of call.fields.terminalIds) this.#callByTerminal.set(id, call);
  }

  /** Streamed output is written again when it has grown by half, so that long output stays cheap. */
  #hasGrownEnough(call: Call, length: number): boolean {
    if (call.written > 0 && length < 1.5 * call.written) return false;
    call.written = length;
    return true;
  }

  /** Codex lets a model review calls, and prints the review as a call. */
  #addReview(update: JsonObject): void {
    const output = update['rawOutput'];
    const target = nonEmpty(field(output, 'targetItemId'));
    if (target === undefined || field(field(output, 'review'), 'status') !== 'denied') return;
    if (this.#deniedIds.size < maxAnswered) this.#deniedIds.add(target);
  }

  #forgetOldest(): void {
    if (this.#calls.size <= maxCalls) return;
    for (const [id, call] of this.#calls) {
      this.#calls.delete(id);
      this.#answeredCalls.delete(call);
      if (call.isOpen) this.#calls.set(id, call);
      return;
    }
  }
}

const asksModels: ReadonlySet<string | undefined> = new Set(['task', 'web_search', 'web_fetch']);

function plainLocation({ path, line }: { path: string; line: number | undefined }): JsonObject {
  return line === undefined ? { path } : { path, line };
}
