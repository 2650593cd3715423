import type { JsonObject } from '../../../model/text/json.ts';
import type { ToolAction, ToolResult, ToolStatus } from '../../../model/transcript/tool.ts';
import { errorReason, resultText } from '../../shared/resultText.ts';
import { parseAmount, field, nonEmpty, text, texts } from '../../shared/guards.ts';
import type { NormalizedRun } from '../../shared/normalizer/normalizedRun.ts';
import { bytesOf, utf8 } from '../../../model/text/bytes.ts';
import { shellWord } from '../../shared/describe.ts';
import { commandAction } from '../threads/items.ts';
import { patchChanges } from './patches.ts';

/** Bytes of output kept of a running call; its end repeats all of it. */
const maxBytes = 1024 * 1024;

interface StartedCall {
  readonly toolName: string;
  readonly action: ToolAction;
  readonly input: unknown;
}

interface CompletedCall {
  readonly action: ToolAction;
  readonly status: ToolStatus;
  readonly result: ToolResult;
}

/** Beginnings of calls, by the event's name without `_begin`. */
const callParsers = new Map<string, (event: JsonObject) => StartedCall>([
  [
    'exec_command',
    (event) => ({ toolName: 'shell', action: command(event), input: pickFields(event, ['command', 'cwd']) }),
  ],
  [
    'patch_apply',
    (event) => ({
      toolName: 'apply_patch',
      action: { kind: 'file_edit', changes: patchChanges(event['changes']) },
      input: pickFields(event, ['changes']),
    }),
  ],
  ['mcp_tool_call', (event) => startedMcpCall(event['invocation'])],
  [
    'web_search',
    (event) => ({
      toolName: 'web_search',
      action: { kind: 'web_search', query: text(event['query']) ?? '' },
      input: pickFields(event, ['query']),
    }),
  ],
]);

/** Ends of calls; `before` is the action at the beginning. */
const resultParsers = new Map<string, (event: JsonObject, before: ToolAction, streamed: string) => CompletedCall>([
  ['exec_command', completedCommandCall],
  [
    'patch_apply',
    (event, before, streamed) => {
      const ok = event['success'] !== false;
      const shown = joinedOutput(event) || streamed;
      return { action: before, status: ok ? 'success' : 'failed', result: { text: shown, isError: !ok } };
    },
  ],
  ['mcp_tool_call', completedMcpCall],
  [
    'web_search',
    (event, before) => {
      const query = nonEmpty(event['query']);
      const action: ToolAction = query === undefined ? before : { kind: 'web_search', query };
      return { action, status: 'success', result: { isError: false } };
    },
  ],
]);

/** Calls in the old format: an event begins each, others have its output, one ends it. */
export class OldCalls {
  readonly #run: NormalizedRun;
  readonly #output = new Map<string, number[]>();

  constructor(run: NormalizedRun) {
    this.#run = run;
  }

  /** `false`: the event is not about a call. */
  readEvent(type: string, event: JsonObject, timestamp: string): boolean {
    if (type === 'exec_command_output_delta') {
      this.#addOutputDelta(event);
      return true;
    }
    const startParser = type.endsWith('_begin') ? callParsers.get(type.slice(0, -'_begin'.length)) : undefined;
    if (startParser !== undefined) {
      this.#begin(startParser(event), nonEmpty(event['call_id']), timestamp);
      return true;
    }
    const kind = type.endsWith('_end') ? type.slice(0, -'_end'.length) : '';
    const resultParser = resultParsers.get(kind);
    if (resultParser === undefined) return false;
    this.#end(event, callParsers.get(kind), resultParser, timestamp);
    return true;
  }

  /** Calls without an end keep what they printed. */
  close(): void {
    for (const [id, bytes] of this.#output) this.#run.calls.update({ id, result: { text: utf8(bytes) } });
  }

  #begin({ toolName, action, input }: StartedCall, id: string | undefined, timestamp: string): string {
    const { calls, session } = this.#run;
    const callId = id ?? calls.makeId();
    calls.start({ id: callId, toolName, action, input, timestamp, metadata: session.metadata() });
    return callId;
  }

  #addOutputDelta(event: JsonObject): void {
    const id = nonEmpty(event['call_id']);
    if (id === undefined) return;
    const bytes = this.#output.get(id) ?? [];
    this.#output.set(id, bytes);
    for (const byte of bytesOf(event['chunk'])) if (bytes.length < maxBytes) bytes.push(byte);
  }

  #end(
    event: JsonObject,
    begin: ((event: JsonObject) => StartedCall) | undefined,
    read: (event: JsonObject, before: ToolAction, streamed: string) => CompletedCall,
    timestamp: string,
  ): void {
    const { calls } = this.#run;
    let id = nonEmpty(event['call_id']) ?? calls.oldestOpenCall();
    if ((id === undefined || calls.get(id) === undefined) && begin !== undefined) {
      id = this.#begin(begin(event), id, timestamp);
    }
    if (id === undefined) return;
    const before = calls.get(id)?.action ?? { kind: 'tool' };
    const streamed = utf8(this.#output.get(id) ?? []);
    this.#output.delete(id);
    calls.finish({ id, ...read(event, before, streamed), timestamp });
  }
}

function pickFields(event: JsonObject, keys: readonly string[]): JsonObject {
  return Object.fromEntries(keys.filter((key) => key in event).map((key) => [key, event[key]]));
}

function command(event: JsonObject): ToolAction {
  const words = texts(event['command']);
  const shown = text(event['command']) ?? words.map(shellWord).join(' ');
  const cwd = nonEmpty(event['cwd']);
  return { ...commandAction(shown, undefined), ...(cwd !== undefined && { cwd }) };
}

function joinedOutput(event: JsonObject): string {
  return (text(event['stdout']) ?? '') + (text(event['stderr']) ?? '');
}

function completedCommandCall(event: JsonObject, before: ToolAction, streamed: string): CompletedCall {
  const stdout = text(event['stdout']);
  const stderr = text(event['stderr']);
  const code = parseAmount(event['exit_code']) ?? event['exit_code'];
  const ok = code === 0 || code === undefined;
  const shown = nonEmpty(event['aggregated_output']) ?? (joinedOutput(event) || streamed);
  const known = before.kind === 'command_run' ? before : { kind: 'command_run' as const, command: '' };
  const action: ToolAction = {
    ...known,
    ...(typeof code === 'number' && Number.isSafeInteger(code) && { exitCode: code }),
    ...(stdout !== undefined && { stdout }),
    ...(stderr !== undefined && { stderr }),
  };
  return { action, status: ok ? 'success' : 'failed', result: { text: shown, isError: !ok } };
}

function startedMcpCall(invocation: unknown): StartedCall {
  const server = text(field(invocation, 'server')) ?? '';
  const tool = text(field(invocation, 'tool')) ?? '';
  const input = field(invocation, 'arguments');
  return { toolName: `${server}.${tool}`, action: { kind: 'mcp', server, tool, input }, input };
}

function completedMcpCall(event: JsonObject, before: ToolAction): CompletedCall {
  const answer = event['result'];
  const ok = field(answer, 'Ok') ?? field(answer, 'ok');
  const error = field(answer, 'Err') ?? field(answer, 'err');
  const isError = error !== undefined || field(ok, 'isError') === true || field(ok, 'is_error') === true;
  const shown = error === undefined ? resultText(field(ok, 'content') ?? ok) : (errorReason(error) ?? '');
  return { action: before, status: isError ? 'failed' : 'success', result: { text: shown, isError } };
}
