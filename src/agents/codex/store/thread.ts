import type { EntryUpdate } from '../../../model/transcript/entry.ts';
import type { JsonObject } from '../../../model/text/json.ts';
import { field, nonEmpty, text } from '../../shared/guards.ts';
import { unknownLine } from '../../shared/normalizer/lineLog.ts';
import { errorReason } from '../../shared/resultText.ts';
import { NormalizedRun, type SourceLine } from '../../shared/normalizer/normalizedRun.ts';
import { ThreadEvents } from '../threads/threadEvents.ts';
import { StoredCalls } from './calls.ts';
import { toPrintedItem, userText } from './items.ts';

/** Records that repeat others or are not about the conversation. */
const quiet = new Set([
  'turn_context',
  'world_state',
  'token_usage_record',
  'session_meta',
  'inter_agent_communication',
  'inter_agent_communication_metadata',
]);
const quietEvents = new Set([
  'token_count',
  'thread_settings_applied',
  'thread_name_updated',
  'task_complete',
  'user_message',
  'agent_reasoning_section_break',
  'context_compacted',
  'entered_review_mode',
  'exited_review_mode',
  'thread_rolled_back',
  'thread_goal_updated',
]);
const quietItems = new Set(['message', 'reasoning', 'ghost_snapshot', 'compaction', 'context_compaction', 'other']);

/** The transcript of one thread: its records in the form of `codex exec --json`. */
export class StoredThread {
  readonly #run = new NormalizedRun({ workDir: '', firstIndex: 0 });
  readonly #events = new ThreadEvents(this.#run);
  readonly #calls = new StoredCalls(this.#run);
  /** Metadata for prompts of the current turn. */
  #turn: { readonly turnId?: string } = {};

  get unknown(): number {
    return this.#run.lines.counts.unknown;
  }

  push(record: JsonObject, line: SourceLine): readonly EntryUpdate[] {
    try {
      this.#readRecord(record, line);
    } catch (error) {
      this.#run.lines.logFailure(error, { stream: 'stdout', text: line.raw }, line.timestamp);
    }
    return this.#run.writer.take();
  }

  malformed(raw: string, timestamp: string): readonly EntryUpdate[] {
    this.#run.lines.addMalformed(raw, timestamp);
    return this.#run.writer.take();
  }

  oversize(stub: { readonly bytes: number; readonly head: string }, timestamp: string): readonly EntryUpdate[] {
    this.#run.lines.addOversize(stub, timestamp);
    return this.#run.writer.take();
  }

  end(isLive: boolean, timestamp: string): readonly EntryUpdate[] {
    this.#calls.showWaiting();
    this.#run.texts.end();
    if (!isLive) this.#run.calls.end('No result: the agent ended before the tool returned.', timestamp);
    return this.#run.writer.take();
  }

  #readRecord(record: JsonObject, line: SourceLine): void {
    const { type } = record;
    const payload = isRecord(record['payload']) ? record['payload'] : {};
    if (type === 'session_meta') this.#readMeta(payload, line);
    else if (type === 'turn_context') this.#run.session.setModel(nonEmpty(payload['model']));
    else if (type === 'response_item') this.#readItem(payload, record, line);
    else if (type === 'event_msg') this.#readEvent(payload, record, line);
    else if (type === 'compacted') this.#run.system('compact_boundary', 'Conversation compacted', line.timestamp);
    else if (typeof type !== 'string' || !quiet.has(type)) this.#addUnknownRecord(record, line);
  }

  #readMeta(payload: JsonObject, { timestamp }: SourceLine): void {
    this.#run.setSession(payload['id'], timestamp);
    if (payload['history_mode'] === 'paginated') this.#calls.hasItems = true;
  }

  #readItem(payload: JsonObject, record: JsonObject, line: SourceLine): void {
    const type = nonEmpty(payload['type']) ?? '';
    if (type.endsWith('_call_output')) this.#calls.finishCall(payload, line);
    else if (type === 'web_search_call') this.#addWebSearch(payload, line);
    else if (type.endsWith('_call')) this.#calls.addCall(payload, line);
    else if (!quietItems.has(type)) this.#addUnknownRecord(record, line);
  }

  /** If the store has items, it is one of them. */
  #addWebSearch(payload: JsonObject, line: SourceLine): void {
    if (this.#calls.hasItems) return;
    const item = { ...payload, type: 'web_search', query: field(payload['action'], 'query') };
    this.#events.readLine({ type: 'item.completed', item }, line);
  }

  #readEvent(payload: JsonObject, record: JsonObject, line: SourceLine): void {
    const run = this.#run;
    switch (payload['type']) {
      case 'task_started': {
        const turnId = nonEmpty(payload['turn_id']);
        this.#turn = turnId === undefined ? {} : { turnId };
        this.#events.readLine({ type: 'turn.started' }, line);
        return;
      }
      case 'task_complete':
        if (isRecord(payload['error'])) this.#failTurn(payload['error'], line);
        run.isInTurn = false;
        return;
      case 'turn_aborted':
        run.calls.end('No result: the turn was interrupted.', line.timestamp);
        run.system('interrupted', 'The turn was interrupted.', line.timestamp);
        return;
      case 'error':
      case 'stream_error':
        this.#events.readLine({ type: 'error', message: payload['message'] }, line);
        return;
      case 'user_message':
        if (!this.#calls.hasItems) run.addEchoedPrompt(userText(payload), line.timestamp, this.#turn);
        return;
      case 'agent_message':
        this.#addText('agent_message', payload['message'], line);
        return;
      case 'agent_reasoning':
        this.#addText('reasoning', payload['text'], line);
        return;
      case 'item_completed':
        if (isRecord(payload['item'])) this.#completeItem(payload['item'], line);
        return;
      default:
    }
    if (!quietEvents.has(String(payload['type']))) this.#addUnknownRecord(record, line);
  }

  #failTurn(error: JsonObject, line: SourceLine): void {
    const message = errorReason(error) ?? 'The turn failed; the agent gave no reason.';
    this.#events.readLine({ type: 'turn.failed', error: { message } }, line);
  }

  /** For stores without items, where each text has its own event. */
  #addText(type: string, shown: unknown, line: SourceLine): void {
    if (this.#calls.hasItems || text(shown) === undefined) return;
    this.#events.readLine({ type: 'item.completed', item: { type, text: shown } }, line);
  }

  #completeItem(item: JsonObject, line: SourceLine): void {
    this.#calls.hasItems = true;
    this.#calls.removeCompleted(nonEmpty(item['id']));
    // It has its own record.
    if (item['type'] === 'ContextCompaction') return;
    const printed = toPrintedItem(item);
    if (printed === undefined) this.#run.addEchoedPrompt(userText(item), line.timestamp, this.#turn);
    else this.#events.readLine({ type: 'item.completed', item: printed }, line);
  }

  #addUnknownRecord(record: JsonObject, line: SourceLine): void {
    const payload = record['payload'];
    const shown = { type: record['type'], subtype: field(payload, 'type') };
    this.#run.texts.close();
    this.#run.lines.addUnknown(unknownLine(shown), line.raw, line.timestamp);
  }
}

function isRecord(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
