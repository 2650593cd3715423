import type { NormalizedEntryMetadata } from '../../model/transcript/metadata.ts';
import type { InitLine, McpServer } from './wire.ts';
import { Clock } from '../shared/normalizer/entryWriter.ts';

/** Model name of messages that the program wrote itself. */
export const syntheticModel = '<synthetic>';

const maxSessionIds = 1000;
const maxServers = 100;

/** What is known of the conversation, and the metadata for entries. */
export class SessionInfo {
  readonly clock = new Clock();
  readonly ids: string[] = [];
  model: string | null = null;
  permissionMode: string | null = null;
  version: string | null = null;
  #id: string | null = null;
  #servers: readonly McpServer[] | null = null;
  #baseMetadata: NormalizedEntryMetadata | undefined;
  #subagent: NormalizedEntryMetadata | undefined;

  setId(id: unknown): void {
    if (typeof id !== 'string' || id === '' || id === this.#id) return;
    this.#id = id;
    this.#forget();
    if (this.ids.length < maxSessionIds && !this.ids.includes(id)) this.ids.push(id);
  }

  setModel(model: string | undefined): void {
    if (model === undefined || model === '' || model === syntheticModel || model === this.model) return;
    this.model = model;
    this.#forget();
  }

  setMode(mode: string | undefined): void {
    if (mode === undefined || mode === this.permissionMode) return;
    this.permissionMode = mode;
    this.#forget();
  }

  setInit(init: InitLine): void {
    this.setModel(init.model);
    this.setMode(init.permissionMode);
    this.version = init.version ?? this.version;
    this.#servers = init.servers?.slice(0, maxServers) ?? this.#servers;
    this.#forget();
  }

  /** Metadata of an entry; the same object for all entries between two changes. */
  metadata(parentCallId?: string | null, model?: string | null): NormalizedEntryMetadata | undefined {
    const base = this.#commonMetadata();
    const own = model === undefined || model === syntheticModel ? this.model : model;
    if ((parentCallId === undefined || parentCallId === null) && own === this.model) return base;
    const parent = parentCallId ?? undefined;
    if (this.#subagent === undefined || this.#subagent.parentCallId !== parent || this.#subagent.model !== own) {
      this.#subagent = { ...(base ?? { sessionId: null }), model: own };
      if (parent !== undefined) this.#subagent.parentCallId = parent;
    }
    return this.#subagent;
  }

  #commonMetadata(): NormalizedEntryMetadata | undefined {
    if (this.#baseMetadata !== undefined) return this.#baseMetadata;
    if (this.#id === null && this.model === null) return undefined;
    this.#baseMetadata = { sessionId: this.#id, model: this.model, permissionMode: this.permissionMode };
    if (this.#servers !== null) this.#baseMetadata['mcpServers'] = this.#servers;
    return this.#baseMetadata;
  }

  #forget(): void {
    this.#baseMetadata = undefined;
    this.#subagent = undefined;
  }
}
