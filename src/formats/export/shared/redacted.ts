import { eventSchema } from '../../../model/transcript/event.ts';
import { resultMetadataSchema } from '../../../model/session/result.ts';
import { sessionSummarySchema, type SessionSummary } from '../../../model/session/summary.ts';
import { recordedRunSchema } from '../../record.ts';
import type { Redactor } from '../../redaction/redactor.ts';
import type { ExportSource } from './source.ts';

type Children = NonNullable<ExportSource['children']>;

/** The same session with secrets masked, for any format. */
export function redactedSource(source: ExportSource, redactor: Redactor): ExportSource {
  return {
    summary: sessionSummarySchema.parse(redactor.redactJson(maskWholeSecrets(source, redactor), { path: ['session'] })),
    runs: source.runs.map((run) => recordedRunSchema.parse(redactor.redactJson(run, { path: ['runs', run.run_id] }))),
    results: source.results.map(({ runId, metadata }) => ({
      runId,
      metadata: resultMetadataSchema.parse(redactor.redactJson(metadata, { path: ['results', runId] })),
    })),
    ...(source.figures !== undefined && { figures: source.figures }),
    ...(source.children !== undefined && { children: redactedChildren(source.children, redactor) }),
    entries: async function* () {
      for await (const entry of source.entries()) yield redactor.entry(entry);
    },
    events: async function* () {
      for await (const event of source.events())
        yield eventSchema.parse(redactor.redactJson(event, { path: ['events'] }));
    },
  };
}

function redactedChildren({ sources, omitted }: Children, redactor: Redactor): Children {
  return {
    omitted,
    sources: async function* () {
      for await (const child of sources()) yield redactedSource(child, redactor);
    },
  };
}

/** Title and prompt are cut from the first prompt, possibly within a secret, so the whole prompt is masked first. */
function maskWholeSecrets({ summary, runs }: ExportSource, redactor: Redactor): SessionSummary {
  const whole = runs[0]?.prompt ?? '';
  const { title, prompt } = summary;
  return {
    ...summary,
    ...(title !== undefined && { title: redactBeginning(title, whole.trimStart(), 'title', redactor) }),
    prompt: redactBeginning(prompt, whole, 'prompt', redactor),
  };
}

function redactBeginning(text: string, whole: string, field: string, redactor: Redactor): string {
  const cut = text.replace(/…$/, '');
  if (whole.length <= cut.length || !whole.startsWith(cut)) return text;
  return redactor.redactBeginning(whole, cut.length, { path: ['session', field] }) + text.slice(cut.length);
}
