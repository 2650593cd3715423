import type { CoordinatorEvent } from '../../model/transcript/event.ts';
import { EventBuilder } from '../events.ts';
import { jsonLines } from './shared/jsonText.ts';
import type { Exporter, ExportSource } from './shared/source.ts';

/** The coordinator's events, one JSON object per line. */
export const events: Exporter = {
  write: (source) => jsonLines(eventsOf(source)),
};

async function* eventsOf(source: ExportSource): AsyncGenerator<CoordinatorEvent> {
  let recorded = false;
  for await (const event of source.events()) {
    recorded = true;
    yield event;
  }
  if (!recorded) yield* eventsFromEntries(source);
}

/** Derives events from entries if none were recorded. Their times are those of the entries. */
async function* eventsFromEntries({ summary, runs, entries }: ExportSource): AsyncGenerator<CoordinatorEvent> {
  const builder = new EventBuilder(summary.session_id);
  yield builder.start(summary.created_at);
  let at = summary.created_at;
  for await (const entry of entries()) {
    at = entry.timestamp;
    yield* builder.eventsOf([{ op: 'put', entry }], at);
  }
  const last = runs.at(-1);
  if (last?.completed_at !== undefined) yield builder.stop(last.completed_at, last.status, null);
}
