import type { EntryUpdate, NormalizedEntry } from '../../../model/transcript/entry.ts';
import type { ToolCalls } from '../tools/calls.ts';
import type { Line } from '../line.ts';
import type { Texts } from './texts.ts';
import { retractedMessages } from '../wire.ts';
import { nonEmpty } from '../../shared/guards.ts';
import type { EntryWriter } from '../../shared/normalizer/entryWriter.ts';

/** Per generation; two generations are kept. */
const maxMessages = 128;
const maxCharacters = 1024 * 1024;

/** The last messages by `uuid`, with their entries: if a model refuses, the program retracts what it wrote. */
export class Retractions {
  readonly #writer: EntryWriter;
  readonly #texts: Texts;
  readonly #calls: ToolCalls;
  #messages = new Map<string, readonly NormalizedEntry[]>();
  #olderMessages = new Map<string, readonly NormalizedEntry[]>();
  #characters = 0;

  constructor(writer: EntryWriter, texts: Texts, calls: ToolCalls) {
    this.#writer = writer;
    this.#texts = texts;
    this.#calls = calls;
  }

  /** `updates` came from this message. */
  addLine({ message, verbatim }: Line, updates: readonly EntryUpdate[]): void {
    const uuid = nonEmpty(message['uuid']);
    const size = verbatim?.length ?? 0;
    if (uuid === undefined || updates.length === 0 || size > maxCharacters) return;
    if (this.#messages.size >= maxMessages || this.#characters > maxCharacters) {
      this.#olderMessages = this.#messages;
      this.#messages = new Map();
      this.#characters = 0;
    }
    this.#characters += size;
    this.#messages.set(
      uuid,
      updates.flatMap((update) => (update.op === 'put' ? [update.entry] : [])),
    );
  }

  /** Retracts the messages that this line names. `false`: none is known. */
  retract({ message, timestamp }: Line): boolean {
    let some = false;
    for (const uuid of retractedMessages(message)) {
      const entries = this.#messages.get(uuid) ?? this.#olderMessages.get(uuid);
      if (entries === undefined) continue;
      some = true;
      this.#messages.delete(uuid);
      this.#olderMessages.delete(uuid);
      for (const entry of entries) this.#retract(entry, timestamp);
    }
    return some;
  }

  #retract(entry: NormalizedEntry, timestamp: string): void {
    const { kind } = entry.type;
    if (entry.type.kind === 'tool_use') this.#calls.retract(entry.type.tool.callId, entry.index, timestamp);
    if (kind !== 'assistant_message' && kind !== 'thinking') return;
    this.#texts.retract(entry.index);
    this.#writer.put({ ...entry, metadata: { ...entry.metadata, aborted: true } });
  }
}
