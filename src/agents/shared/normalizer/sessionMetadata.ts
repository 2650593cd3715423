import type { NormalizedEntryMetadata } from '../../../model/transcript/metadata.ts';

const maxSessionIds = 1000;

/** What is known of the conversation, and the metadata for entries. */
export class SessionMetadata {
  readonly ids: string[] = [];
  #id: string | null = null;
  #model: string | null = null;
  #ownFields: Readonly<Record<string, unknown>> = {};
  #cached: NormalizedEntryMetadata | undefined;

  get id(): string | null {
    return this.#id;
  }

  get model(): string | null {
    return this.#model;
  }

  /** `false` if the id is missing or already known. */
  setId(id: unknown): boolean {
    if (typeof id !== 'string' || id === '' || id === this.#id) return false;
    this.#id = id;
    this.#cached = undefined;
    if (this.ids.length < maxSessionIds && !this.ids.includes(id)) this.ids.push(id);
    return true;
  }

  setModel(model: string | undefined): void {
    if (model === undefined || model === '' || model === this.#model) return;
    this.#model = model;
    this.#cached = undefined;
  }

  /** Sets the agent's own keys, which its README documents. */
  setOwn(own: Readonly<Record<string, unknown>>): void {
    this.#ownFields = own;
    this.#cached = undefined;
  }

  /**
   * Metadata for an entry created now: the same object until something changes; nothing before the first line with
   * information.
   */
  metadata(): NormalizedEntryMetadata | undefined {
    if (this.#id === null && this.#model === null) return undefined;
    this.#cached ??= { sessionId: this.#id, model: this.#model, ...this.#ownFields };
    return this.#cached;
  }
}
