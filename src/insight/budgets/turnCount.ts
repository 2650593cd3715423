import type { EntryUpdate } from '../../model/transcript/entry.ts';
import type { RunFacts } from '../../model/usage/facts.ts';

/**
 * Model responses in the main conversation of a run. If the agent reports the usage of each, these are counted. Otherwise a
 * response begins with the first text or call after a tool result.
 */
export class TurnCount {
  #responseCount = 0;
  /** A response has begun; what follows belongs to it. */
  #isInResponse = false;
  #last = -1;
  /** Start of the newest response. */
  #responseStart = 0;
  #callsTool = false;

  /** The newest response called a tool, with its complete input. */
  get callsTool(): boolean {
    return this.#callsTool;
  }

  apply(updates: readonly EntryUpdate[]): void {
    for (const update of updates) {
      if (update.op !== 'put') continue;
      const { index, type, metadata } = update.entry;
      if (metadata?.parentCallId !== undefined) continue;
      const isNew = index > this.#last;
      this.#last = Math.max(this.#last, index);
      const tool = type.kind === 'tool_use' ? type.tool : undefined;
      if (tool?.parentCallId !== undefined) continue;
      if (isNew && (tool !== undefined || type.kind === 'assistant_message' || type.kind === 'thinking')) {
        if (!this.#isInResponse) {
          this.#responseCount += 1;
          this.#responseStart = index;
          this.#callsTool = false;
        }
        this.#isInResponse = true;
      }
      if (tool !== undefined && tool.status !== 'created' && index >= this.#responseStart) this.#callsTool = true;
      if (
        type.kind === 'user_message' ||
        (tool !== undefined && tool.status !== 'created' && tool.status !== 'running')
      ) {
        this.#isInResponse = false;
      }
    }
  }

  count({ messages }: Pick<RunFacts, 'messages'>): number {
    const reported = messages.filter(({ parentCallId }) => parentCallId === null).length;
    return reported > 0 ? reported : this.#responseCount;
  }
}
