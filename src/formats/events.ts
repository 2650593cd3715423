import type { EntryUpdate, NormalizedEntry } from '../model/transcript/entry.ts';
import type { CoordinatorEvent } from '../model/transcript/event.ts';
import { isObject } from '../model/text/json.ts';
import { syntheticSchema } from '../model/transcript/metadata.ts';
import { isSynthetic } from '../model/transcript/synthetic.ts';
import type { ToolUse } from '../model/transcript/tool.ts';
import type { RecordedRun, RecordLine } from './record.ts';

/** Maximum number of entries to remember, so that a later correction does not repeat an event. */
const maxTracked = 10_000;

type ToolStage = 'seen' | 'called' | 'answered';

const finalStatuses: ReadonlySet<ToolUse['status']> = new Set(['success', 'failed', 'denied', 'cancelled']);

/**
 * Derives the coordinator's events from a session's updates. `pre_tool`: the input of a call is known. `post_tool`: its
 * result is known or cannot come any more. `message`: a message has settled. Messages and calls of a subagent name the
 * call that they belong to.
 */
export class EventBuilder {
  readonly #sessionId: string;
  readonly #messages = new BoundedMap<number, true>();
  readonly #tools = new BoundedMap<number, ToolStage>();

  constructor(sessionId: string) {
    this.#sessionId = sessionId;
  }

  /** `at`: time of arrival, ISO 8601. */
  eventsOf(updates: readonly EntryUpdate[], at: string): CoordinatorEvent[] {
    return updates.flatMap((update) => {
      if (update.op === 'append') return [];
      const { entry, open } = update;
      if (entry.type.kind === 'tool_use') return this.#addToolEvents(entry, entry.type.tool, at);
      if (entry.type.kind !== 'assistant_message' && entry.type.kind !== 'user_message') return [];
      return open === true ? [] : this.#addMessage(entry, entry.type.kind === 'user_message' ? 'user' : 'assistant');
    });
  }

  start(at: string): CoordinatorEvent {
    return { event_type: 'session_start', session_id: this.#sessionId, timestamp: at };
  }

  stop(at: string, reason: string, exitCode: number | null): CoordinatorEvent {
    const event: CoordinatorEvent = { event_type: 'session_stop', session_id: this.#sessionId, timestamp: at, reason };
    return exitCode === null ? event : { ...event, exit_code: exitCode };
  }

  #addMessage(entry: NormalizedEntry, role: 'user' | 'assistant'): CoordinatorEvent[] {
    if (this.#messages.get(entry.index) === true || entry.content === '') return [];
    this.#messages.set(entry.index, true);
    const parent = entry.metadata?.parentCallId;
    return [
      {
        event_type: 'message',
        session_id: this.#sessionId,
        timestamp: entry.timestamp,
        role,
        content: [{ type: 'text', text: entry.content }],
        ...(parent === undefined ? {} : { parent_tool_call_id: parent }),
        ...(isSynthetic(entry) && { metadata: syntheticSchema.parse(entry.metadata) }),
      },
    ];
  }

  #addToolEvents(entry: NormalizedEntry, tool: ToolUse, at: string): CoordinatorEvent[] {
    const stage = this.#tools.get(entry.index);
    const answered = finalStatuses.has(tool.status);
    const events: CoordinatorEvent[] = [];
    const common = {
      session_id: this.#sessionId,
      tool_name: tool.toolName,
      tool_call_id: tool.callId,
      ...(isObject(tool.input) ? { tool_input: { ...tool.input } } : {}),
      ...(tool.parentCallId === undefined ? {} : { parent_tool_call_id: tool.parentCallId }),
    };
    // An input that is still streamed is empty; if it stays empty, it is seen a second time.
    const known = answered || stage === 'seen' || (isObject(tool.input) && Object.keys(tool.input).length > 0);
    if (known && (stage === undefined || stage === 'seen')) {
      events.push({ event_type: 'pre_tool', timestamp: tool.startedAt ?? entry.timestamp, ...common });
    }
    if (answered && stage !== 'answered') {
      const failed = tool.status !== 'success';
      events.push({
        event_type: 'post_tool',
        timestamp: tool.endedAt ?? at,
        ...common,
        ...(tool.result === undefined ? {} : { tool_output: tool.result.text ?? tool.result.data ?? null }),
        error: failed ? (tool.result?.text ?? tool.status) : null,
      });
    }
    this.#tools.set(entry.index, answered ? 'answered' : known ? 'called' : 'seen');
    return events;
  }
}

/** Events of a record's lines, in file order. */
export async function* eventsIn(sessionId: string, lines: AsyncIterable<RecordLine>): AsyncGenerator<CoordinatorEvent> {
  const builder = new EventBuilder(sessionId);
  let run: RecordedRun | undefined;
  // If a call and its result arrived together, its entry precedes the line of its start.
  let started = new BoundedMap<string, true>();
  const isNew = (event: CoordinatorEvent): boolean => {
    if (event.event_type !== 'pre_tool' || event.tool_call_id === undefined) return true;
    if (started.get(event.tool_call_id) === true) return false;
    started.set(event.tool_call_id, true);
    return true;
  };
  for await (const line of lines) {
    if (line.kind === 'run') {
      if (line.run.run_id !== run?.run_id) started = new BoundedMap();
      run = line.run;
    } else if (line.kind === 'event') {
      if (run?.events_from !== 'entries' || isNew(line.event)) yield line.event;
    } else if (line.kind === 'entry' && run?.events_from === 'entries') {
      const { entry, received_at: at = entry.timestamp } = line;
      yield* builder.eventsOf([{ op: 'put', entry }], at).filter(isNew);
    }
  }
}

/** Messages and results are derived from entries; the start of a call is not, as it precedes its entry. */
export function isDerivedFromEntry({ event_type: type }: CoordinatorEvent): boolean {
  return type === 'message' || type === 'post_tool';
}

class BoundedMap<K, V> {
  readonly #map = new Map<K, V>();

  get(key: K): V | undefined {
    return this.#map.get(key);
  }

  set(key: K, value: V): void {
    this.#map.set(key, value);
    if (this.#map.size <= maxTracked) return;
    const [oldest] = this.#map.keys();
    if (oldest !== undefined) this.#map.delete(oldest);
  }
}
