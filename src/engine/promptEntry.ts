import type { RecordedRun } from '../formats/record.ts';
import type { NormalizedEntry, Origin } from '../model/entry.ts';
import { syntheticSchema } from '../model/metadata.ts';
import type { SessionSummary } from '../model/summary.ts';

/** The prompt of a run as the first of its entries; `at` is ISO 8601. */
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
