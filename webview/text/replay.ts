import type { Turn } from '../../src/model/session/turn.ts';

interface TimedEntry {
  readonly index: number;
  readonly timestamp: string;
}

/** Maximum entries to search backwards for the beginning of its recording. */
const maxSearched = 50;

/**
 * When a recorded entry was played, ISO 8601; `undefined` if its own time is that already. Entries keep their distance from
 * the first entry of their turn.
 */
export function replayedAt(
  { index, timestamp }: TimedEntry,
  turns: readonly Turn[],
  entryAt: (index: number) => TimedEntry | undefined,
): string | undefined {
  const turn = turns.findLast(({ firstIndex }) => firstIndex <= index);
  if (turn === undefined) return undefined;
  const began = Date.parse(turn.startedAt);
  const own = Date.parse(timestamp);
  if (!(own < began)) return undefined;
  let first = own;
  for (let at = turn.firstIndex; at < Math.min(index, turn.firstIndex + maxSearched); at += 1) {
    const time = Date.parse(entryAt(at)?.timestamp ?? '');
    if (time < first) first = time;
  }
  return new Date(began + own - first).toISOString();
}
