import type { Conversation, MessageSource } from '../../insight/recall/querySource.ts';
import type { NormalizedEntry } from '../../model/transcript/entry.ts';
import type { Log } from '../api.ts';
import { logDetection } from '../log/metadataLog.ts';
import type { RecordReader } from '../record/contract.ts';

const pageSize = 100;

/** Reads the messages of a recorded session from the newest back. */
export class Thread {
  /** Number of messages to the agent that were read. */
  messages = 0;
  readonly #reader: RecordReader;
  readonly #log: Log;

  constructor(reader: RecordReader, log: Log) {
    this.#reader = reader;
    this.#log = log;
  }

  /** `newest`: takes the session's last message as the current one. */
  async conversation(message: MessageSource | 'newest' | undefined): Promise<Conversation> {
    const earlier = this.#findReportedSummary();
    const newest = message === 'newest' ? await earlier.next() : undefined;
    const entry = newest?.done === false ? newest.value : undefined;
    const current = message !== 'newest' ? message : entry && { ...entry, text: entry.content };
    return { current, earlier, summary: () => this.#findSummary() };
  }

  async *#findReportedSummary(): AsyncGenerator<NormalizedEntry, undefined> {
    for await (const entry of this.#readBackwards()) {
      if (entry.type.kind !== 'user_message' || entry.metadata?.parentCallId !== undefined) continue;
      this.messages += 1;
      logDetection(this.#log, this.#reader.id, entry.metadata);
      yield entry;
    }
    return undefined;
  }

  /** The agent's own summary from compaction, else its last message. */
  async #findSummary(): Promise<string> {
    let answer = '';
    for await (const { type, content, origin, metadata } of this.#readBackwards()) {
      if (metadata?.parentCallId !== undefined) continue;
      if (origin === 'compaction' && content.trim() !== '') return content;
      if (type.kind === 'assistant_message' && answer === '') answer = content.trim();
    }
    return answer;
  }

  async *#readBackwards(): AsyncGenerator<NormalizedEntry> {
    for (let to = this.#reader.total; to > 0; to -= pageSize) {
      yield* (await this.#reader.read(Math.max(0, to - pageSize), to)).reverse();
    }
  }
}
