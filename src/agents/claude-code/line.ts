import type { JsonObject } from '../../model/text/json.ts';
import type { NormalizedEntryMetadata } from '../../model/transcript/metadata.ts';
import type { SessionInfo } from './session.ts';
import { nonEmpty } from '../shared/guards.ts';

/** One message with its context. */
export class Line {
  readonly message: JsonObject;
  readonly parentCallId: string | null;
  readonly #at: number;
  readonly #session: SessionInfo;
  readonly #text: string | undefined;
  #timestamp: string | undefined;

  /** `text` is the original line, if it has only this message. */
  constructor(message: JsonObject, at: number, session: SessionInfo, text: string | undefined) {
    this.message = message;
    this.parentCallId = nonEmpty(message['parent_tool_use_id']) ?? null;
    this.#at = at;
    this.#session = session;
    this.#text = text;
  }

  /** A getter, because most streamed lines create no entry. */
  get timestamp(): string {
    this.#timestamp ??= this.#session.clock.time(this.message['timestamp'], this.#at);
    return this.#timestamp;
  }

  /** The original line, if it has only this message. */
  get verbatim(): string | undefined {
    return this.#text;
  }

  get raw(): string {
    return this.#text ?? JSON.stringify(this.message);
  }

  metadata(model?: string): NormalizedEntryMetadata | undefined {
    return this.#session.metadata(this.parentCallId, model);
  }

  /** Metadata with further keys for this entry. */
  metadataWith(extra: NormalizedEntryMetadata, model?: string): NormalizedEntryMetadata {
    return { ...this.metadata(model), ...extra };
  }
}
