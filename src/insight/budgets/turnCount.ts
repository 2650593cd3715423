import type { EntryUpdate } from '../../model/transcript/entry.ts';
import type { RunFacts } from '../../model/usage/facts.ts';

/**
 * Responses of the model in the main conversation of a run. Where the agent tells the usage of each, these are counted; else
 * a response begins with what the agent says or calls first after a result of a tool.
 */
export class TurnCount {
  #seen = 0;
  /** A response continues: what comes belongs to it. */
  #within = false;
  #last = -1;
  /** Where the newest response begins. */
  #begins = 0;
  #called = false;

  /** The newest response has called a tool, with all of its input. */
  get callsTool(): boolean {
    return this.#called;
  }

  see(updates: readonly EntryUpdate[]): void {
    for (const update of updates) {
      if (update.op !== 'put') continue;
      const { index, type, metadata } = update.entry;
      if (metadata?.parentCallId !== undefined) continue;
      const isNew = index > this.#last;
      this.#last = Math.max(this.#last, index);
      const tool = type.kind === 'tool_use' ? type.tool : undefined;
      if (tool?.parentCallId !== undefined) continue;
      if (isNew && (tool !== undefined || type.kind === 'assistant_message' || type.kind === 'thinking')) {
        if (!this.#within) {
          this.#seen += 1;
          this.#begins = index;
          this.#called = false;
        }
        this.#within = true;
      }
      if (tool !== undefined && tool.status !== 'created' && index >= this.#begins) this.#called = true;
      if (
        type.kind === 'user_message' ||
        (tool !== undefined && tool.status !== 'created' && tool.status !== 'running')
      ) {
        this.#within = false;
      }
    }
  }

  count({ messages }: Pick<RunFacts, 'messages'>): number {
    const reported = messages.filter(({ parentCallId }) => parentCallId === null).length;
    return reported > 0 ? reported : this.#seen;
  }
}
