import type { EntryUpdate, NormalizedEntry } from '../../../model/transcript/entry.ts';
import { isObject, type JsonObject } from '../../../model/text/json.ts';
import type { StoreFacts } from '../../../model/session/observed.ts';
import { field, nonEmpty, texts } from '../../shared/guards.ts';
import { parse } from '../../shared/normalizer/lineLog.ts';
import { Clock } from '../../shared/normalizer/entryWriter.ts';
import type { StoreParser, StoreParserOptions, StoreRecord } from '../../stores/storeFormat.ts';
import { EntryMerger, asSubagentEntry } from '../../stores/entryMerger.ts';
import { CodexFacts } from './facts.ts';
import { wrapPlainRecord } from './plainRecords.ts';
import { StoredThread } from './thread.ts';

const nothing: readonly EntryUpdate[] = [];
const main = '';
const maxThreads = 1000;

/** Reads the rollouts of one session of Codex: of its thread, and of the threads that it started. */
export class CodexStoreParser implements StoreParser {
  readonly #options: StoreParserOptions;
  readonly #facts: CodexFacts;
  readonly #clock = new Clock();
  readonly #threads = new Map<string, StoredThread>();
  readonly #transcript = new EntryMerger();
  /** The call that started each thread. */
  readonly #callByThread = new Map<string, string>();
  #timestamp = this.#clock.arrivalTime(0);

  constructor(options: StoreParserOptions) {
    this.#options = options;
    this.#facts = new CodexFacts(options.session, options.notes);
  }

  push(record: StoreRecord): readonly EntryUpdate[] {
    const thread = record.part.role === 'subagent' ? record.part.agent : undefined;
    const { records } = this.#facts;
    if (record.kind === 'oversize') {
      records.total += 1;
      records.malformed += 1;
      return this.#write(thread, (storedThread) => storedThread.oversize(record, this.#timestamp));
    }
    if (record.kind !== 'line' || record.text.trim() === '') return nothing;
    records.total += 1;
    const read = parse(record.text);
    const value = isObject(read) ? wrapPlainRecord(read) : read;
    if (!isObject(value)) {
      records.malformed += 1;
      return this.#write(thread, (storedThread) => storedThread.malformed(record.text, this.#timestamp));
    }
    this.#timestamp = this.#clock.time(value['timestamp'], 0);
    this.#facts.addRecord(value, thread);
    if (!this.#options.needsEntries) return nothing;
    this.#readStart(value);
    return this.#write(thread, (storedThread) =>
      storedThread.push(value, { raw: record.text, timestamp: this.#timestamp }),
    );
  }

  end(isLive: boolean): readonly EntryUpdate[] {
    if (!this.#options.needsEntries) return nothing;
    return [...this.#threads.keys()].flatMap((id) =>
      this.#write(id === main ? undefined : id, (thread) => thread.end(isLive, this.#timestamp)),
    );
  }

  facts(): StoreFacts {
    const { records } = this.#facts;
    records.unknown = [...this.#threads.values()].reduce((sum, { unknown }) => sum + unknown, 0);
    return this.#facts.facts();
  }

  #write(id: string | undefined, push: (thread: StoredThread) => readonly EntryUpdate[]): readonly EntryUpdate[] {
    if (!this.#options.needsEntries) return nothing;
    const key = id ?? main;
    const known = this.#threads.get(key);
    if (known === undefined && this.#threads.size >= maxThreads) return nothing;
    const thread = known ?? new StoredThread();
    this.#threads.set(key, thread);
    const mark = (entry: NormalizedEntry): NormalizedEntry =>
      id === undefined ? entry : asSubagentEntry(entry, this.#callByThread.get(id) ?? `thread-${id}`);
    return this.#transcript.add(key, push(thread), mark);
  }

  #readStart(record: JsonObject): void {
    const item = field(record['payload'], 'item');
    const callId = nonEmpty(field(item, 'id'));
    if (field(item, 'type') !== 'CollabAgentToolCall' || field(item, 'tool') !== 'spawn_agent' || callId === undefined)
      return;
    for (const thread of texts(field(item, 'receiver_thread_ids'))) {
      if (this.#callByThread.size < maxThreads) this.#callByThread.set(thread, callId);
    }
  }
}
