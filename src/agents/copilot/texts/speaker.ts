import type { NormalizedEntryMetadata } from '../../../model/transcript/metadata.ts';
import type { SessionMetadata } from '../../shared/normalizer/sessionMetadata.ts';
import type { CopilotEvent } from '../wire.ts';

/** Who wrote a line, and when: the main conversation or a subagent. */
export interface Speaker {
  /** Id of the subagent; '' for the main conversation. */
  readonly agent: string;
  /** The text counts as part of the answer. */
  readonly counted: boolean;
  readonly parentCallId: string | undefined;
  readonly metadata: NormalizedEntryMetadata | undefined;
  readonly timestamp: string;
}

const maxAgents = 10_000;

/** Which calls started subagents, and the metadata for entries of their lines. */
export class Speakers {
  readonly #session: SessionMetadata;
  readonly #parents = new Map<string, string>();
  #last: { base: NormalizedEntryMetadata | undefined; metadata: NormalizedEntryMetadata } | undefined;

  constructor(session: SessionMetadata) {
    this.#session = session;
  }

  /** A subagent was started by this call. */
  linkSubagent(agentId: string | undefined, callId: string | undefined): void {
    if (agentId === undefined || callId === undefined) return;
    if (this.#parents.size < maxAgents) this.#parents.set(agentId, callId);
  }

  speakerOf({ agentId, parentCallId }: CopilotEvent, model: string | undefined, timestamp: string): Speaker {
    if (agentId === undefined && parentCallId === undefined) {
      return { agent: '', counted: true, parentCallId: undefined, metadata: this.#session.metadata(), timestamp };
    }
    const parent = parentCallId ?? this.#parents.get(agentId ?? '');
    if (parent !== undefined) this.linkSubagent(agentId, parent);
    const metadata = this.#subagentMetadata(parent, model);
    return { agent: agentId ?? parentCallId ?? '', counted: false, parentCallId: parent, metadata, timestamp };
  }

  /** The same object for all lines of a subagent, until something changes. */
  #subagentMetadata(parentCallId: string | undefined, model: string | undefined): NormalizedEntryMetadata {
    const base = this.#session.metadata();
    const own = model ?? base?.model ?? null;
    const last = this.#last;
    if (
      last !== undefined &&
      last.base === base &&
      last.metadata.parentCallId === parentCallId &&
      last.metadata.model === own
    ) {
      return last.metadata;
    }
    const metadata: NormalizedEntryMetadata = { ...(base ?? { sessionId: null }), model: own };
    if (parentCallId !== undefined) metadata.parentCallId = parentCallId;
    this.#last = { base, metadata: metadata };
    return metadata;
  }
}
