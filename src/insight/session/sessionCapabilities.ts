import { capabilityNames, type Capabilities, type CapabilityName } from '../../model/session/capabilities.ts';
import type { NormalizedEntry } from '../../model/transcript/entry.ts';
import type { SessionSummary } from '../../model/session/summary.ts';

/**
 * One capability in one session. `carried`: used `count` times, of `of` if known; `absent`: possible but not used;
 * `unsupported`: `reason` says why. The `reason` of a used one is its limit.
 */
export interface SessionCapabilities {
  readonly name: CapabilityName;
  readonly state: 'carried' | 'absent' | 'unsupported';
  readonly count: number;
  readonly of?: number;
  readonly reason?: string;
}

/** Counts the capabilities that entries show. Add every entry once. */
export class CapabilityCount {
  readonly #models = new Set<string>();
  readonly #subagents = new Set<string>();
  #requests = 0;
  #thinkingCount = 0;
  #calls = 0;
  #results = 0;
  #mcp = 0;
  #messages = 0;
  #newConversations = 0;

  add({ type, metadata, origin }: NormalizedEntry): void {
    if (typeof metadata?.model === 'string') this.#models.add(metadata.model);
    if (metadata?.parentCallId !== undefined) this.#subagents.add(metadata.parentCallId);
    switch (type.kind) {
      case 'system_message':
        if (type.subtype === 'request') this.#requests += 1;
        if (type.subtype === 'fresh_start') this.#newConversations += 1;
        return;
      case 'thinking':
        this.#thinkingCount += 1;
        return;
      case 'user_message':
        if (origin === 'human') this.#messages += 1;
        return;
      case 'tool_use': {
        const { action, callId, parentCallId, result } = type.tool;
        this.#calls += 1;
        if (result !== undefined) this.#results += 1;
        if (action.kind === 'mcp') this.#mcp += 1;
        if (action.kind === 'task') this.#subagents.add(callId);
        if (parentCallId !== undefined) this.#subagents.add(parentCallId);
        return;
      }
      case 'assistant_message':
      case 'error':
    }
  }

  /** `capabilities` are those of the agent in the version that ran. */
  all(
    summary: Pick<SessionSummary, 'runs' | 'total_usage' | 'total_cost'>,
    capabilities: Capabilities,
  ): readonly SessionCapabilities[] {
    const { runs, total_usage: usage, total_cost: cost } = summary;
    const figures = Object.values(usage).filter((figure) => figure !== undefined);
    const counts: Readonly<Record<CapabilityName, number>> = {
      resume: Math.max(0, runs - 1 - this.#newConversations),
      fork: 0,
      approvals: this.#requests,
      thinking: this.#thinkingCount,
      toolResults: this.#results,
      usage: figures.length,
      cost: cost.provenance === 'reported' ? 1 : 0,
      subagents: this.#subagents.size,
      // Each run begins with its own prompt.
      midRunMessages: Math.max(0, this.#messages - runs),
      modelChoice: this.#models.size,
      mcp: this.#mcp,
    };
    return capabilityNames.map((name) => {
      const { supported, reason } = capabilities[name];
      const why = name === 'cost' && cost.provenance === 'unknown' ? cost.reason : reason;
      return {
        name,
        state: counts[name] > 0 ? 'carried' : supported ? 'absent' : 'unsupported',
        count: counts[name],
        ...(name === 'toolResults' && { of: this.#calls }),
        ...(why !== undefined && { reason: why }),
      };
    });
  }
}
