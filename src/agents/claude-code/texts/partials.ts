import type { NormalizedEntry } from '../../../model/transcript/entry.ts';
import { isObject, type JsonObject } from '../../../model/text/json.ts';
import type { NormalizedEntryMetadata } from '../../../model/transcript/metadata.ts';
import type { ToolCalls } from '../tools/calls.ts';
import type { Delta } from './deltaLine.ts';
import type { Line } from '../line.ts';
import type { TextKind, Texts } from './texts.ts';
import type { MessageUsages } from '../figures/usage.ts';
import { count, field, list, nonEmpty, text } from '../../shared/guards.ts';

/** Messages that stream at the same time, and messages whose streamed blocks still expect their final line. */
const maxMessages = 256;

interface Block {
  readonly kind: TextKind;
  readonly entry: NormalizedEntry;
  chunks: string[];
  readonly citations: unknown[];
  /** Final text of the block, once its stream has ended. */
  finalText: string | undefined;
}

interface StreamedMessage {
  readonly id: string | null;
  readonly parentCallId: string | null;
  readonly model: string | undefined;
  /** The block at each position: a text or thought, or the id of a tool call. */
  readonly places: Map<number, Block | string>;
  /** Blocks without their final line, in order. */
  waiting: Block[];
  /** Blocks of other kinds, shown when their final line arrives, or at the end of the message. */
  whole: unknown[];
  /** Some versions print the message as it was when the line was written, with its first text. */
  earlyContent: readonly unknown[];
  /** Whether the end of the block has arrived. */
  hasEnded: boolean;
}

export type WholeBlock = (block: unknown, line: Line, model: string | undefined) => void;

/** Partial messages (`stream_event`): deltas grow open entries until the final line of each block closes them. */
export class Partials {
  readonly #texts: Texts;
  readonly #calls: ToolCalls;
  readonly #usages: MessageUsages;
  readonly #wholeBlock: WholeBlock;
  /** The current message by the call that it belongs to (`''`: the main conversation). */
  readonly #currentMessages = new Map<string, StreamedMessage>();
  readonly #byId = new Map<string, StreamedMessage>();

  /** `wholeBlock` shows a block without an `assistant` line. */
  constructor(texts: Texts, calls: ToolCalls, usages: MessageUsages, wholeBlock: WholeBlock) {
    this.#texts = texts;
    this.#calls = calls;
    this.#usages = usages;
    this.#wholeBlock = wholeBlock;
  }

  /** `false`: an event of an unknown kind. */
  readEvent(line: Line): boolean {
    const event = line.message['event'];
    if (!isObject(event)) return false;
    switch (event['type']) {
      case 'content_block_delta':
        return this.#readDelta(event, line);
      case 'content_block_start':
        return this.#startBlock(event, line);
      case 'content_block_stop':
      case 'ping':
        return true;
      case 'message_start':
        return this.#startMessage(event['message'], line);
      case 'message_delta':
        this.#readMessageDelta(event, line);
        return true;
      case 'message_stop': {
        const message = this.#currentMessages.get(line.parentCallId ?? '');
        if (message !== undefined) {
          message.hasEnded = true;
          // 2.1 prints the end of an interrupted stream, and where the model is asked again.
          const from = count(field(line.message['abandoned_blocks'], 'from_block_index'));
          if (from !== undefined) this.#abandon(message, from, line);
          this.#settle(message, line);
        }
        return true;
      }
      default:
        return false;
    }
  }

  /** Adds the piece if its block exists; `false`: the caller must parse the whole line. */
  appendToBlock({ place, kind, piece, parentCallId }: Delta): boolean {
    const block = this.#currentMessages.get(parentCallId ?? '')?.places.get(place);
    if (typeof block === 'string') {
      if (kind !== 'json') return false;
      this.#calls.piece(block, piece);
      return true;
    }
    if (block === undefined || block.kind !== kind || block.finalText !== undefined) return false;
    if (piece === '') return true;
    block.chunks.push(piece);
    this.#texts.append(block.entry, piece);
    return true;
  }

  /**
   * Closes the streamed entry of a final line's text. `undefined`: this text was not streamed. If the text is neither a
   * beginning nor a continuation of what was streamed, it is another text, and both stay.
   */
  merge(
    messageId: string | undefined,
    kind: TextKind,
    content: string,
    cited: readonly unknown[],
    line: Line,
    extra?: NormalizedEntryMetadata,
  ): NormalizedEntry | undefined {
    const message = this.#findStreamedMessage(messageId, line.parentCallId);
    if (message === undefined) return undefined;
    message.earlyContent = [];
    for (const block of message.waiting) {
      if (block.kind !== kind) continue;
      const streamed = block.finalText ?? block.chunks.join('');
      if (!content.startsWith(streamed) && !streamed.startsWith(content)) continue;
      message.waiting = message.waiting.filter((other) => other !== block);
      const entry: NormalizedEntry = { ...block.entry, timestamp: line.timestamp };
      if (extra !== undefined) entry.metadata = { ...entry.metadata, ...extra };
      const longer = content.length >= streamed.length ? content : streamed;
      this.#texts.close(entry, kind, longer, cited.length > 0 ? cited : block.citations, line.parentCallId === null);
      block.finalText = longer;
      block.chunks = [];
      return entry;
    }
    return undefined;
  }

  /** Notes the final line of a block that is neither text nor thinking. */
  handleFinalBlock(messageId: string | undefined, block: unknown, line: Line): void {
    const message = this.#findStreamedMessage(messageId, line.parentCallId);
    if (message === undefined) return;
    message.earlyContent = [];
    if (message.whole.length === 0) return;
    const at = message.whole.findIndex((other) => field(other, 'type') === field(block, 'type'));
    message.whole = message.whole.filter((_, other) => other !== at);
  }

  /**
   * Another message of the conversation arrived complete. An unfinished streaming one was interrupted: the program asks
   * again, up to 2.0 without a stream.
   */
  follows(messageId: string, line: Line): void {
    const message = this.#currentMessages.get(line.parentCallId ?? '');
    if (message === undefined || message.id === null || this.#byId.has(messageId)) return;
    this.#endPrevious(message, line);
  }

  /** The streamed message that a final line belongs to; the last one if either has no id. */
  #findStreamedMessage(messageId: string | undefined, parentCallId: string | null): StreamedMessage | undefined {
    const known = messageId === undefined ? undefined : this.#byId.get(messageId);
    if (known !== undefined) return known;
    const last = this.#currentMessages.get(parentCallId ?? '');
    return messageId === undefined || last?.id === null ? last : undefined;
  }

  /** Closes everything that is open and keeps the streamed text. */
  end(lineOf: (parentCallId: string | null) => Line): void {
    for (const message of this.#currentMessages.values()) this.#settle(message, lineOf(message.parentCallId));
    this.#currentMessages.clear();
  }

  #startMessage(started: unknown, line: Line): boolean {
    if (!isObject(started)) return false;
    const id = nonEmpty(started['id']) ?? null;
    const model = nonEmpty(started['model']);
    this.#begin(id, model, list(started['content']), line);
    if (id !== null) this.#addUsage(id, model, started['usage'], false, line);
    return true;
  }

  #readMessageDelta(event: JsonObject, line: Line): void {
    const message = this.#currentMessages.get(line.parentCallId ?? '');
    if (message !== undefined && message.id !== null)
      this.#addUsage(message.id, message.model, event['usage'], true, line);
  }

  #addUsage(messageId: string, model: string | undefined, usage: unknown, isFinal: boolean, line: Line): void {
    this.#usages.addUsage({ messageId, model: model ?? null, parentCallId: line.parentCallId, usage, isFinal });
  }

  #begin(id: string | null, model: string | undefined, earlyContent: readonly unknown[], line: Line): StreamedMessage {
    const key = line.parentCallId ?? '';
    const before = this.#currentMessages.get(key);
    if (before !== undefined) this.#endPrevious(before, line);
    const message: StreamedMessage = {
      id,
      parentCallId: line.parentCallId,
      model,
      places: new Map(),
      waiting: [],
      whole: [],
      earlyContent,
      hasEnded: false,
    };
    if (line.parentCallId === null) this.#texts.message(id ?? undefined);
    this.#currentMessages.delete(key);
    this.#currentMessages.set(key, message);
    if (this.#currentMessages.size > maxMessages) this.#settleOldest(line);
    if (id === null) return message;
    this.#byId.delete(id);
    this.#byId.set(id, message);
    if (this.#byId.size > maxMessages) this.#forgetOldest();
    return message;
  }

  #forgetOldest(): void {
    for (const oldest of this.#byId.keys()) {
      this.#byId.delete(oldest);
      return;
    }
  }

  #settleOldest(line: Line): void {
    for (const [key, oldest] of this.#currentMessages) {
      this.#settle(oldest, line);
      this.#currentMessages.delete(key);
      return;
    }
  }

  #currentMessage(line: Line): StreamedMessage {
    const known = this.#currentMessages.get(line.parentCallId ?? '');
    return known ?? this.#begin(nonEmpty(line.message['api_message_id']) ?? null, undefined, [], line);
  }

  #startBlock(event: JsonObject, line: Line): boolean {
    const block = event['content_block'];
    const place = count(event['index']);
    if (!isObject(block) || place === undefined) return false;
    const message = this.#currentMessage(line);
    message.earlyContent = [];
    const kind = block['type'];
    if (kind === 'text' || kind === 'thinking') {
      this.#settleBlock(message, message.places.get(place));
      message.places.delete(place);
      this.#grow(message, place, kind, text(block[kind]) ?? '', line);
      addCitations(message.places.get(place), list(block['citations']));
      return true;
    }
    const id = nonEmpty(block['id']);
    if (id === undefined || typeof kind !== 'string' || !kind.endsWith('tool_use')) {
      message.whole.push(block);
      return true;
    }
    message.places.set(place, id);
    this.#calls.start({
      id,
      messageId: message.id ?? undefined,
      name: nonEmpty(block['name']) ?? 'unknown',
      input: block['input'],
      parentCallId: line.parentCallId,
      timestamp: line.timestamp,
      metadata: line.metadata(message.model),
      isWhole: false,
    });
    return true;
  }

  #readDelta(event: JsonObject, line: Line): boolean {
    const delta = event['delta'];
    const place = count(event['index']);
    if (!isObject(delta) || place === undefined) return false;
    const message = this.#currentMessage(line);
    switch (delta['type']) {
      case 'text_delta':
        return this.#addTextDelta(message, place, 'text', delta['text'], line);
      case 'thinking_delta':
        return this.#addTextDelta(message, place, 'thinking', delta['thinking'], line);
      case 'input_json_delta': {
        const id = message.places.get(place);
        const json = text(delta['partial_json']);
        if (typeof id !== 'string' || json === undefined) return false;
        this.#calls.piece(id, json);
        return true;
      }
      case 'citations_delta':
        return addCitations(message.places.get(place), [delta['citation']]);
      case 'signature_delta':
        return true;
      default:
        return false;
    }
  }

  #addTextDelta(message: StreamedMessage, place: number, kind: TextKind, delta: unknown, line: Line): boolean {
    if (typeof delta !== 'string') return false;
    this.#grow(message, place, kind, delta, line);
    return true;
  }

  /** An entry begins with its first text, so that empty blocks add none. */
  #grow(message: StreamedMessage, place: number, kind: TextKind, delta: string, line: Line): void {
    if (delta === '') return;
    const block = message.places.get(place);
    if (typeof block === 'object' && block.kind === kind && block.finalText === undefined) {
      block.chunks.push(delta);
      this.#texts.append(block.entry, delta);
      return;
    }
    this.#settleBlock(message, block);
    const entry = this.#texts.open(kind, delta, line, message.model);
    if (kind === 'text' && message.id !== null) this.#usages.addEntry(message.id, entry.index);
    const opened: Block = { kind, entry, chunks: [delta], citations: [], finalText: undefined };
    message.places.set(place, opened);
    message.waiting.push(opened);
  }

  /**
   * The next message has begun: if the end of this one did not arrive, blocks without a final line are not part of the
   * answer.
   */
  #endPrevious(message: StreamedMessage, line: Line): void {
    if (!message.hasEnded) this.#abandon(message, 0, line);
    message.hasEnded = true;
    this.#settle(message, line);
  }

  #abandon(message: StreamedMessage, from: number, line: Line): void {
    for (const [place, block] of message.places) {
      if (place < from) continue;
      if (typeof block === 'string') this.#calls.abortCall(block, line.timestamp);
      else if (message.waiting.includes(block)) this.#abortBlock(block);
    }
  }

  #abortBlock(block: Block): void {
    if (block.finalText !== undefined) return;
    block.finalText = block.chunks.join('');
    block.chunks = [];
    const entry = { ...block.entry, metadata: { ...block.entry.metadata, aborted: true } };
    this.#texts.close(entry, block.kind, block.finalText, block.citations, false);
  }

  #settle(message: StreamedMessage, line: Line): void {
    for (const block of message.waiting) this.#settleBlock(message, block);
    if (message.earlyContent.length + message.whole.length === 0) return;
    const unmatchedBlocks = [...message.earlyContent, ...message.whole];
    message.earlyContent = [];
    message.whole = [];
    for (const block of unmatchedBlocks) this.#wholeBlock(block, line, message.model);
  }

  #settleBlock(message: StreamedMessage, block: Block | string | undefined): void {
    if (typeof block !== 'object' || block.finalText !== undefined) return;
    block.finalText = block.chunks.join('');
    block.chunks = [];
    this.#texts.close(block.entry, block.kind, block.finalText, block.citations, message.parentCallId === null);
  }
}

/** Adds citations to a text; `false` if there are none. */
function addCitations(block: Block | string | undefined, cited: readonly unknown[]): boolean {
  if (typeof block !== 'object') return false;
  for (const citation of cited) block.citations.push(citation);
  return true;
}
