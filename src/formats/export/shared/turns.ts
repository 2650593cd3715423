import type { NormalizedEntry } from '../../../model/transcript/entry.ts';
import { costText, durationText } from './facts.ts';
import type { ExportSource } from './source.ts';

interface TurnHeading {
  /** 1-based. */
  readonly turn: number;
  /** Status, duration and cost, for display. */
  readonly figures: string;
}

/** Entries in order, with a heading before each run. */
export async function* turnsAndEntries(
  source: ExportSource,
): AsyncGenerator<{ readonly heading?: TurnHeading; readonly entry?: NormalizedEntry }> {
  const left = [...source.runs];
  let turn = 0;
  for await (const entry of source.entries()) {
    for (let next = left[0]; next !== undefined && entry.index >= next.first_index; next = left[0]) {
      left.shift();
      turn += 1;
      const { run_id, status } = next;
      const result = source.results.findLast(({ runId }) => runId === run_id)?.metadata;
      const figures = [status, durationText(result?.duration ?? null), costText(result?.costProvenance)];
      yield { heading: { turn, figures: figures.filter((figure) => figure !== '').join(', ') } };
    }
    yield { entry };
  }
}
