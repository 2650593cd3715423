import type { RecordedRun } from '../../formats/record.ts';
import type { EntryUpdate, NormalizedEntry, Origin } from '../../model/transcript/entry.ts';
import type { RunFacts } from '../../model/usage/facts.ts';
import { syntheticSchema } from '../../model/transcript/metadata.ts';
import type { SessionSummary } from '../../model/session/summary.ts';

/** The prompt is in the transcript before the agent reports its session id and model. This adds them later. */
export class PromptMetadata {
  readonly #index: number;
  #prompt: NormalizedEntry | undefined;
  #isComplete = false;

  constructor(index: number) {
    this.#index = index;
  }

  apply(updates: readonly EntryUpdate[]): void {
    for (const update of updates) {
      if (update.op === 'put' && update.entry.index === this.#index) this.#prompt = update.entry;
    }
  }

  /** The prompt with the metadata known so far, if it changed; nothing more after id and model are known. */
  addRunMetadata({ sessionIds, model }: RunFacts): NormalizedEntry | undefined {
    if (this.#isComplete) return undefined;
    const prompt = this.#prompt;
    const sessionId = sessionIds.at(-1);
    if (prompt === undefined || (sessionId === undefined && model === null)) return undefined;
    const { metadata } = prompt;
    this.#isComplete = sessionId !== undefined && model !== null;
    const known = { sessionId: metadata?.sessionId ?? sessionId ?? null, model: metadata?.model ?? model };
    if (metadata?.sessionId === known.sessionId && metadata.model === known.model) return undefined;
    this.#prompt = { ...prompt, metadata: { ...metadata, ...known } };
    return this.#prompt;
  }
}

/** Entry for the prompt of a run; `at` is ISO 8601. */
export function promptEntry(run: RecordedRun, summary: SessionSummary, origin: Origin, at: string): NormalizedEntry {
  const known = summary.executor_session_id !== undefined || summary.model !== null;
  const ids = known ? { sessionId: summary.executor_session_id ?? null, model: summary.model } : {};
  const metadata = { ...ids, ...syntheticSchema.parse(run) };
  return {
    index: run.first_index,
    timestamp: at,
    type: { kind: 'user_message' },
    content: run.prompt,
    ...(Object.keys(metadata).length > 0 && { metadata }),
    origin,
  };
}
