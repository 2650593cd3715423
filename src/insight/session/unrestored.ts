import type { NormalizedEntry } from '../../model/transcript/entry.ts';
import { requestMetadataSchema } from '../../model/agent/request.ts';

/** State of the newest run that a resume does not restore. */
export interface UnrestoredState {
  /** Background commands: they ended with the agent. */
  readonly background: readonly string[];
  /** Interrupted calls. */
  readonly cutOff: number;
  /** Answers that applied only to that run. */
  readonly allowed: number;
  /** Number of compactions: the agent has only a summary of earlier messages. */
  readonly compactions: number;
}

const maxCommands = 5;

/** Add every entry of a session in order; a later form of an entry replaces the earlier one. */
export class UnrestoredCount {
  readonly #background = new Map<string, string>();
  readonly #interruptedCalls = new Set<string>();
  readonly #allowedRequests = new Set<string>();
  readonly #compactions = new Set<number>();

  add(entry: NormalizedEntry): void {
    const { type, index } = entry;
    if (type.kind === 'system_message') {
      if (type.subtype === 'compact_boundary') this.#compactions.add(index);
      if (type.subtype === 'request') this.#request(entry);
    }
    if (type.kind !== 'tool_use') return;
    const { callId, action, status } = type.tool;
    if (status === 'cancelled') this.#interruptedCalls.add(callId);
    else this.#interruptedCalls.delete(callId);
    if (action.kind === 'command_run' && action.background === true && status !== 'denied') {
      this.#background.set(callId, action.command);
    }
  }

  /** Another run begins: what the one before had is already lost. */
  nextRun(): void {
    this.#background.clear();
    this.#interruptedCalls.clear();
    this.#allowedRequests.clear();
  }

  all(): UnrestoredState {
    return {
      background: [...this.#background.values()].slice(-maxCommands),
      cutOff: this.#interruptedCalls.size,
      allowed: this.#allowedRequests.size,
      compactions: this.#compactions.size,
    };
  }

  #request({ metadata }: NormalizedEntry): void {
    const request = requestMetadataSchema.safeParse(metadata).data;
    const answer = request?.decision?.answer;
    if (answer?.kind === 'allow' && answer.scope === 'session') this.#allowedRequests.add(request?.request.id ?? '');
  }
}
