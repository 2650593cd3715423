import type { NormalizedEntry, Origin } from '../../model/transcript/entry.ts';
import type { JsonObject } from '../../model/text/json.ts';
import type { NormalizedEntryMetadata } from '../../model/transcript/metadata.ts';
import { nonEmpty } from '../shared/guards.ts';
import type { NormalizedRun } from '../shared/normalizer/normalizedRun.ts';
import type { TextKind } from '../shared/normalizer/spokenTexts.ts';
import { contentText, contentsText } from './wire.ts';

/** Messages that a later line can replace completely (version 2). */
const maxWhole = 256;

export interface MessageSource {
  readonly timestamp: string;
  readonly metadata: NormalizedEntryMetadata | undefined;
  /** Who caused it, unless it is the agent's own live answer. */
  readonly origin: Origin | undefined;
  /** Conversation of the subagent that it belongs to. */
  readonly child: string | undefined;
  /** Part of the answer to this run's prompt. */
  readonly isPartOfAnswer: boolean;
}

interface StreamedText {
  readonly key: string;
  readonly entry: NormalizedEntry;
  readonly isPartOfAnswer: boolean;
  text: string;
}

/**
 * Messages and thoughts. Chunks of one message form one entry until something else arrives; a message without an id continues
 * until then.
 */
export class Messages {
  readonly #run: NormalizedRun;
  readonly #streamedTexts = new Map<string, StreamedText>();
  #currentKey: string | undefined;
  #echo: { id: string | undefined; text: string; timestamp: string } | undefined;

  constructor(run: NormalizedRun) {
    this.#run = run;
  }

  /** `false` if the content is of an unknown kind. */
  readChunk(kind: TextKind, update: JsonObject, speaker: MessageSource): boolean {
    const shown = contentText(update['content']);
    if (shown === undefined) return false;
    const id = nonEmpty(update['messageId']);
    if (kind === 'user' && speaker.origin === undefined) {
      this.#addEcho(id, shown, speaker.timestamp);
      return true;
    }
    this.flushEcho();
    if (shown === '') return true;
    this.#addChunk(kind, id, shown, speaker);
    return true;
  }

  /** A complete message, new or replacing its streamed text (version 2). */
  addWholeMessage(kind: TextKind, update: JsonObject, speaker: MessageSource): void {
    const id = nonEmpty(update['messageId']);
    const { content } = update;
    if (content === undefined) return;
    const shown = contentsText(content);
    if (kind === 'user' && speaker.origin === undefined) {
      this.flushEcho();
      this.#run.texts.close();
      this.#run.addEchoedPrompt(shown, speaker.timestamp);
      return;
    }
    this.flushEcho();
    const known = id === undefined ? undefined : this.#streamedTexts.get(keyOf(kind, id, speaker));
    if (known === undefined) {
      this.#run.texts.close();
      this.#currentKey = undefined;
      if (shown !== '') this.#addChunk(kind, id, shown, speaker);
    } else if (known.text !== shown) {
      if (this.#currentKey === known.key && this.#run.texts.streaming === kind) this.#run.texts.close(shown);
      else this.#run.texts.replace(known.entry, kind, shown, { counted: known.isPartOfAnswer });
      known.text = shown;
    }
  }

  /** Something else arrived: the next chunk begins a new entry. */
  interrupt(): void {
    this.flushEcho();
    this.#run.texts.close();
    this.#currentKey = undefined;
  }

  /** A repeated prompt is recognized when it is complete. */
  flushEcho(): void {
    const echo = this.#echo;
    if (echo === undefined) return;
    this.#echo = undefined;
    this.#run.texts.close();
    this.#run.addEchoedPrompt(echo.text, echo.timestamp);
  }

  #addEcho(id: string | undefined, content: string, timestamp: string): void {
    if (this.#echo !== undefined && this.#echo.id !== id) this.flushEcho();
    this.#echo ??= { id, text: '', timestamp };
    this.#echo.text += content;
  }

  #addChunk(kind: TextKind, id: string | undefined, content: string, speaker: MessageSource): void {
    const key = keyOf(kind, id ?? '', speaker);
    const { texts } = this.#run;
    if (texts.streaming !== kind || this.#currentKey !== key) {
      texts.close();
      this.#currentKey = key;
      const { timestamp, metadata, origin, isPartOfAnswer } = speaker;
      const entry = texts.piece(kind, content, timestamp, metadata, { origin, counted: isPartOfAnswer });
      if (id !== undefined) this.#remember({ key, entry, isPartOfAnswer, text: content });
      return;
    }
    texts.piece(kind, content, speaker.timestamp, speaker.metadata);
    const known = this.#streamedTexts.get(key);
    if (known !== undefined) known.text += content;
  }

  #remember(message: StreamedText): void {
    this.#streamedTexts.delete(message.key);
    this.#streamedTexts.set(message.key, message);
    for (const oldest of this.#streamedTexts.keys()) {
      if (this.#streamedTexts.size <= maxWhole) break;
      this.#streamedTexts.delete(oldest);
    }
  }
}

function keyOf(kind: TextKind, id: string, { origin, child }: MessageSource): string {
  return JSON.stringify([kind, id, origin, child]);
}
