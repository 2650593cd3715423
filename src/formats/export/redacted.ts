import { eventSchema } from '../../model/event.ts';
import { resultMetadataSchema } from '../../model/result.ts';
import { sessionSummarySchema } from '../../model/summary.ts';
import { recordedRunSchema } from '../record.ts';
import type { Redactor } from '../redaction/redactor.ts';
import type { ExportSource } from './source.ts';

/** The same session with secrets masked, whatever is made of it then. */
export function redactedSource(source: ExportSource, redactor: Redactor): ExportSource {
  return {
    summary: sessionSummarySchema.parse(redactor.json(source.summary, { path: ['session'] })),
    runs: source.runs.map((run) => recordedRunSchema.parse(redactor.json(run, { path: ['runs', run.run_id] }))),
    results: source.results.map(({ runId, metadata }) => ({
      runId,
      metadata: resultMetadataSchema.parse(redactor.json(metadata, { path: ['results', runId] })),
    })),
    entries: async function* () {
      for await (const entry of source.entries()) yield redactor.entry(entry);
    },
    events: async function* () {
      for await (const event of source.events()) yield eventSchema.parse(redactor.json(event, { path: ['events'] }));
    },
  };
}
