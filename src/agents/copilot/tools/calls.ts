import { isObject, type JsonObject } from '../../../model/text/json.ts';
import type { ToolAction } from '../../../model/transcript/tool.ts';
import { nonEmpty, text } from '../../shared/guards.ts';
import type { NormalizedRun } from '../../shared/normalizer/normalizedRun.ts';
import type { Speaker } from '../texts/speaker.ts';
import { TodoTable } from './todos.ts';
import { outcomeOf, toolAction, type Streams } from './tools.ts';
import { toolOutcome, type ToolCall } from '../wire.ts';

/** Characters of a running command's output that are shown, from its end. */
const maxPartial = 4096;
/** Characters kept per stream of a command; the result has what the model was given. */
const maxStream = 1024 * 1024;
const maxAnnounced = 1000;

interface RequestedCall {
  readonly name: string;
  readonly speaker: Speaker;
  input: string;
}

/** Tool calls: requested by a message, started, printing, completed. One entry each. */
export class Calls {
  readonly #run: NormalizedRun;
  readonly #todos = new TodoTable();
  readonly #streams = new Map<string, { stdout: string; stderr: string }>();
  /** Calls of which only pieces have arrived. */
  readonly #announcedCalls = new Map<string, RequestedCall>();
  /** Calls of tools that use a model outside the conversation. */
  sideCalls = 0;

  constructor(run: NormalizedRun) {
    this.#run = run;
  }

  /** A piece of a call's input; the call itself arrives with its message. */
  piece(data: JsonObject, speaker: Speaker): void {
    const id = nonEmpty(data['toolCallId']);
    if (id === undefined || this.#run.calls.get(id) !== undefined) return;
    const known = this.#announcedCalls.get(id);
    const delta = text(data['inputDelta']) ?? '';
    if (known !== undefined) known.input = (known.input + delta).slice(0, maxStream);
    else if (this.#announcedCalls.size < maxAnnounced) {
      this.#announcedCalls.set(id, { name: nonEmpty(data['toolName']) ?? 'unknown', speaker, input: delta });
    }
  }

  /** A call from its message or its start: the first of them creates the entry. */
  start(call: ToolCall, { timestamp, metadata, parentCallId }: Speaker): void {
    const { calls } = this.#run;
    const id = call.id ?? calls.makeId();
    this.#announcedCalls.delete(id);
    if (calls.hasBegun({ id, toolName: call.name, input: call.input })) {
      // A hook may have changed the command.
      if (calls.get(id)?.action.kind !== 'todo') calls.update({ id, action: toolAction(call) });
      return;
    }
    const action = this.#actionOf(call);
    if (action.kind === 'task') this.sideCalls += 1;
    calls.start({ id, toolName: call.name, action, input: call.input, parentCallId, timestamp, metadata });
  }

  /** The complete output so far. */
  setPartialOutput(data: JsonObject): void {
    const id = nonEmpty(data['toolCallId']);
    const shown = nonEmpty(data['partialOutput']) ?? nonEmpty(data['progressMessage']);
    if (id === undefined || shown === undefined) return;
    const cut = shown.length > maxPartial ? `…${shown.slice(-maxPartial)}` : shown;
    this.#run.calls.update({ id, result: { text: cut } });
  }

  /** New output, by stream. */
  appendOutput(data: JsonObject): void {
    const id = nonEmpty(data['toolCallId']);
    const shown = text(data['text']);
    if (id === undefined || shown === undefined || this.#run.calls.get(id)?.status !== 'running') return;
    const streams = this.#streams.get(id) ?? { stdout: '', stderr: '' };
    const name = data['stream'] === 'stderr' ? 'stderr' : 'stdout';
    streams[name] = (streams[name] + shown).slice(0, maxStream);
    this.#streams.set(id, streams);
  }

  completeCall(data: JsonObject, { timestamp, metadata }: Speaker): void {
    const { calls } = this.#run;
    const outcome = toolOutcome(data);
    const id = outcome.id ?? calls.oldestOpenCall() ?? calls.makeId();
    const call = calls.get(id);
    const streams: Streams | undefined = this.#streams.get(id);
    this.#streams.delete(id);
    if (call === undefined) {
      this.#announcedCalls.delete(id);
      const { status, result } = outcomeOf({ kind: 'tool' }, outcome, undefined);
      calls.addOrphanedResult({ id, status, result, timestamp }, metadata);
      return;
    }
    calls.finish({ id, ...outcomeOf(call.action, outcome, streams), timestamp });
  }

  /** Shows incomplete calls of a model that was stopped. */
  end(): void {
    for (const [id, { name, speaker, input }] of this.#announcedCalls) {
      const { timestamp, metadata, parentCallId } = speaker;
      const action = toolAction({ name, input: undefined, mcp: undefined });
      this.#run.calls.start({ id, toolName: name, action, input, parentCallId, timestamp, metadata });
    }
    this.#announcedCalls.clear();
  }

  #actionOf(call: ToolCall): ToolAction {
    const query = call.name === 'sql' && isObject(call.input) ? text(call.input['query']) : undefined;
    const todos = query === undefined ? undefined : this.#todos.apply(query);
    return todos ?? toolAction(call);
  }
}
