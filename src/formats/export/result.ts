import type { NormalizedEntry } from '../../model/transcript/entry.ts';
import type { RunResult } from '../../model/session/result.ts';
import { isRunOver } from '../../model/session/status.ts';
import type { RecordedRun } from '../record.ts';
import { resultEvents } from '../resultEvents.ts';
import { jsonLines } from './shared/jsonText.ts';
import type { Exporter, ExportSource } from './shared/source.ts';

/** Results of runs, one JSON object per line, oldest first, each with its own events. */
export const result: Exporter = {
  write: (source) => jsonLines(results(source)),
};

async function* results({ runs, results: known, entries }: ExportSource): AsyncGenerator<RunResult> {
  const left = [...runs];
  const figures = new Map(known.map(({ runId, metadata }) => [runId, metadata]));
  const resultOf = (run: RecordedRun, own: readonly NormalizedEntry[]): RunResult => {
    const metadata = figures.get(run.run_id);
    const success = run.status === 'completed';
    const data = own.filter(isAnswer).map(({ content }) => content);
    return {
      success,
      ...(data.length > 0 && { data: data.join('\n\n') }),
      ...(!success && { error: run.error ?? failureReason(run, metadata?.endReason) }),
      ...(metadata !== undefined && { metadata }),
      events: resultEvents(own),
    };
  };
  let own: NormalizedEntry[] = [];
  for await (const entry of entries()) {
    for (let next = left[1]; next !== undefined && entry.index >= next.first_index; next = left[1]) {
      const run = left.shift();
      if (run !== undefined) yield resultOf(run, own);
      own = [];
    }
    own.push(entry);
  }
  for (const run of left) {
    yield resultOf(run, own);
    own = [];
  }
}

function isAnswer({ type, metadata }: NormalizedEntry): boolean {
  return type.kind === 'assistant_message' && metadata?.parentCallId === undefined;
}

function failureReason({ status }: RecordedRun, endReason: string | undefined): string {
  if (!isRunOver(status)) return 'The run has no recorded end.';
  return endReason ?? status;
}
