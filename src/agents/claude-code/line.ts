import type { JsonObject } from '../../model/text/json.ts';
import type { NormalizedEntryMetadata } from '../../model/transcript/metadata.ts';
import type { SessionInfo } from './session.ts';
import { nonEmpty } from '../shared/guards.ts';

/** One message of the wire with what surrounds it. */
export class Line {
  readonly message: JsonObject;
  readonly parentCallId: string | null;
  readonly #at: number;
  readonly #session: SessionInfo;
  readonly #text: string | undefined;
  #timestamp: string | undefined;

  /** `text` is the line verbatim where it holds this message only. */
  constructor(message: JsonObject, at: number, session: SessionInfo, text: string | undefined) {
    this.message = message;
    this.parentCallId = nonEmpty(message['parent_tool_use_id']) ?? null;
    this.#at = at;
    this.#session = session;
    this.#text = text;
  }

  /** Made on demand: most lines of a stream make no entry. */
  get timestamp(): string {
    this.#timestamp ??= this.#session.clock.time(this.message['timestamp'], this.#at);
    return this.#timestamp;
  }

  /** The line letter by letter, where it holds this message only. */
  get verbatim(): string | undefined {
    return this.#text;
  }

  get raw(): string {
    return this.#text ?? JSON.stringify(this.message);
  }

  metadata(model?: string): NormalizedEntryMetadata | undefined {
    return this.#session.metadata(this.parentCallId, model);
  }

  /** Metadata with further keys of this entry alone. */
  metadataWith(extra: NormalizedEntryMetadata, model?: string): NormalizedEntryMetadata {
    return { ...this.metadata(model), ...extra };
  }
}
