import type { NormalizedEntry } from '../../model/entry.ts';
import { isObject, type JsonObject } from '../../model/json.ts';
import type { NormalizedEntryMetadata } from '../../model/metadata.ts';
import type { ToolCalls } from './calls.ts';
import type { Line } from './line.ts';
import type { TextKind, Texts } from './texts.ts';
import type { MessageUsages } from './usage.ts';
import { count, field, list, nonEmpty, text } from './wire.ts';

/** Messages that stream at once, and messages whose streamed blocks could still meet their final line. */
const maxMessages = 256;

interface Block {
  readonly kind: TextKind;
  readonly entry: NormalizedEntry;
  chunks: string[];
  readonly cited: unknown[];
  /** Its text, once nothing more is expected of the stream. */
  settled: string | undefined;
}

interface StreamedMessage {
  readonly id: string | null;
  readonly parentCallId: string | null;
  readonly model: string | undefined;
  /** Blocks by their place in the message; `null` until they have a text. */
  readonly places: Map<number, Block | null>;
  /** Blocks without their final line, in order. */
  readonly waiting: Set<Block>;
  readonly callIds: Map<number, string>;
  /** Blocks of other kinds, shown when their final line comes, or else at the end of the message. */
  readonly whole: unknown[];
  /** Some versions print the message as it was when the line was written: with its first text already in it. */
  early: readonly unknown[];
}

export type WholeBlock = (block: unknown, line: Line, model: string | undefined) => void;

/** Partial messages (`stream_event`): deltas grow open entries until the final line of each block closes them. */
export class Partials {
  readonly #texts: Texts;
  readonly #calls: ToolCalls;
  readonly #usages: MessageUsages;
  readonly #wholeBlock: WholeBlock;
  /** The message that streams now, by the call it belongs to (`''`: the main conversation). */
  readonly #current = new Map<string, StreamedMessage>();
  readonly #byId = new Map<string, StreamedMessage>();

  /** `wholeBlock` shows a block that no `assistant` line brought. */
  constructor(texts: Texts, calls: ToolCalls, usages: MessageUsages, wholeBlock: WholeBlock) {
    this.#texts = texts;
    this.#calls = calls;
    this.#usages = usages;
    this.#wholeBlock = wholeBlock;
  }

  /** `false`: an event of an unknown kind. */
  event(line: Line): boolean {
    const event = line.message['event'];
    if (!isObject(event)) return false;
    switch (event['type']) {
      case 'content_block_delta':
        return this.#delta(event, line);
      case 'content_block_start':
        return this.#blockStart(event, line);
      case 'content_block_stop':
      case 'ping':
        return true;
      case 'message_start':
        return this.#messageStart(event['message'], line);
      case 'message_delta':
        this.#messageDelta(event, line);
        return true;
      case 'message_stop': {
        const message = this.#current.get(line.parentCallId ?? '');
        if (message !== undefined) this.#settle(message, line);
        return true;
      }
      default:
        return false;
    }
  }

  /**
   * Closes the streamed entry that a text of a final line belongs to. `undefined`: this text was not streamed. One that
   * is neither the beginning nor the continuation of what was streamed is another text, and both stay.
   */
  merge(
    messageId: string | undefined,
    kind: TextKind,
    shown: string,
    cited: readonly unknown[],
    line: Line,
    extra?: NormalizedEntryMetadata,
  ): NormalizedEntry | undefined {
    const message = messageId === undefined ? undefined : this.#byId.get(messageId);
    if (message === undefined) return undefined;
    message.early = [];
    for (const block of message.waiting) {
      if (block.kind !== kind) continue;
      const streamed = block.settled ?? block.chunks.join('');
      if (!shown.startsWith(streamed) && !streamed.startsWith(shown)) continue;
      message.waiting.delete(block);
      const entry: NormalizedEntry = { ...block.entry, timestamp: line.timestamp };
      if (extra !== undefined) entry.metadata = { ...entry.metadata, ...extra };
      const longer = shown.length >= streamed.length ? shown : streamed;
      this.#texts.close(entry, kind, longer, cited.length > 0 ? cited : block.cited, line.parentCallId === null);
      block.settled = longer;
      block.chunks = [];
      return entry;
    }
    return undefined;
  }

  /** Notes that the final line of a block came that is neither text nor thinking. */
  meet(messageId: string | undefined, block: unknown): void {
    const message = messageId === undefined ? undefined : this.#byId.get(messageId);
    if (message === undefined) return;
    message.early = [];
    const at = message.whole.findIndex((other) => field(other, 'type') === field(block, 'type'));
    if (at !== -1) message.whole.splice(at, 1);
  }

  /** Closes everything that is still open; what was streamed remains. */
  end(lineOf: (parentCallId: string | null) => Line): void {
    for (const message of this.#current.values()) this.#settle(message, lineOf(message.parentCallId));
    this.#current.clear();
  }

  #messageStart(started: unknown, line: Line): boolean {
    if (!isObject(started)) return false;
    const id = nonEmpty(started['id']) ?? null;
    const model = nonEmpty(started['model']);
    this.#begin(id, model, list(started['content']), line);
    if (id !== null) this.#see(id, model, started['usage'], false, line);
    return true;
  }

  #messageDelta(event: JsonObject, line: Line): void {
    const message = this.#current.get(line.parentCallId ?? '');
    if (message !== undefined && message.id !== null) this.#see(message.id, message.model, event['usage'], true, line);
  }

  #see(messageId: string, model: string | undefined, usage: unknown, settled: boolean, line: Line): void {
    this.#usages.see({ messageId, model: model ?? null, parentCallId: line.parentCallId, usage, settled });
  }

  #begin(id: string | null, model: string | undefined, early: readonly unknown[], line: Line): StreamedMessage {
    const key = line.parentCallId ?? '';
    const before = this.#current.get(key);
    if (before !== undefined) this.#settle(before, line);
    const message: StreamedMessage = {
      id,
      parentCallId: line.parentCallId,
      model,
      places: new Map(),
      waiting: new Set(),
      callIds: new Map(),
      whole: [],
      early,
    };
    if (line.parentCallId === null) this.#texts.message(id ?? undefined);
    this.#current.delete(key);
    this.#current.set(key, message);
    const oldest = this.#current.entries().next().value;
    if (this.#current.size > maxMessages && oldest !== undefined) {
      this.#settle(oldest[1], line);
      this.#current.delete(oldest[0]);
    }
    if (id === null) return message;
    this.#byId.delete(id);
    this.#byId.set(id, message);
    const oldestId = this.#byId.keys().next().value;
    if (this.#byId.size > maxMessages && oldestId !== undefined) this.#byId.delete(oldestId);
    return message;
  }

  #message(line: Line): StreamedMessage {
    const known = this.#current.get(line.parentCallId ?? '');
    return known ?? this.#begin(nonEmpty(line.message['api_message_id']) ?? null, undefined, [], line);
  }

  #blockStart(event: JsonObject, line: Line): boolean {
    const block = event['content_block'];
    const place = count(event['index']);
    if (!isObject(block) || place === undefined) return false;
    const message = this.#message(line);
    message.early = [];
    const kind = block['type'];
    if (kind === 'text' || kind === 'thinking') {
      this.#settleBlock(message, message.places.get(place));
      message.places.set(place, null);
      this.#grow(message, place, kind, text(block[kind]) ?? '', line);
      message.places.get(place)?.cited.push(...list(block['citations']));
      return true;
    }
    const id = nonEmpty(block['id']);
    if (id === undefined || typeof kind !== 'string' || !kind.endsWith('tool_use')) {
      message.whole.push(block);
      return true;
    }
    message.callIds.set(place, id);
    this.#calls.start({
      id,
      name: nonEmpty(block['name']) ?? 'unknown',
      input: block['input'],
      parentCallId: line.parentCallId,
      timestamp: line.timestamp,
      metadata: line.metadata(message.model),
      whole: false,
    });
    return true;
  }

  #delta(event: JsonObject, line: Line): boolean {
    const delta = event['delta'];
    const place = count(event['index']);
    if (!isObject(delta) || place === undefined) return false;
    const message = this.#message(line);
    switch (delta['type']) {
      case 'text_delta':
        return this.#textDelta(message, place, 'text', delta['text'], line);
      case 'thinking_delta':
        return this.#textDelta(message, place, 'thinking', delta['thinking'], line);
      case 'input_json_delta': {
        const id = message.callIds.get(place);
        const json = text(delta['partial_json']);
        if (id === undefined || json === undefined) return false;
        this.#calls.piece(id, json);
        return true;
      }
      case 'citations_delta': {
        const block = message.places.get(place);
        block?.cited.push(delta['citation']);
        return block !== undefined && block !== null;
      }
      case 'signature_delta':
        return true;
      default:
        return false;
    }
  }

  #textDelta(message: StreamedMessage, place: number, kind: TextKind, more: unknown, line: Line): boolean {
    if (typeof more !== 'string') return false;
    this.#grow(message, place, kind, more, line);
    return true;
  }

  /** An entry begins with its first text: a block that stays empty is none. */
  #grow(message: StreamedMessage, place: number, kind: TextKind, more: string, line: Line): void {
    if (more === '') return;
    const block = message.places.get(place) ?? undefined;
    if (block?.kind === kind && block.settled === undefined) {
      block.chunks.push(more);
      this.#texts.append(block.entry, more);
      return;
    }
    this.#settleBlock(message, block);
    const entry = this.#texts.open(kind, more, line, message.model);
    const begun: Block = { kind, entry, chunks: [more], cited: [], settled: undefined };
    message.places.set(place, begun);
    message.waiting.add(begun);
  }

  #settle(message: StreamedMessage, line: Line): void {
    for (const block of message.waiting) this.#settleBlock(message, block);
    for (const block of [...message.early, ...message.whole.splice(0)]) this.#wholeBlock(block, line, message.model);
    message.early = [];
  }

  #settleBlock(message: StreamedMessage, block: Block | null | undefined): void {
    if (block === undefined || block === null || block.settled !== undefined) return;
    block.settled = block.chunks.join('');
    block.chunks = [];
    this.#texts.close(block.entry, block.kind, block.settled, block.cited, message.parentCallId === null);
  }
}
