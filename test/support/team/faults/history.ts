/** What happened, in the order in which it was seen. `at` in ms on the clock of the test. */
export type HistoryEvent = { readonly at: number } & (
  | { readonly kind: 'queued'; readonly run: string }
  /** A runner received the run and begins. */
  | { readonly kind: 'started'; readonly run: string; readonly token: string; readonly by: string }
  /** It no longer executes it, for whatever reason. */
  | { readonly kind: 'ended'; readonly run: string; readonly token: string }
  /** A write with the number of an earlier claim. */
  | { readonly kind: 'stale'; readonly run: string; readonly token: string; readonly refused: boolean }
  /** A line that its machine has on disk. */
  | { readonly kind: 'written'; readonly session: string; readonly line: number }
  | { readonly kind: 'fault'; readonly name: string; readonly recoveredMs: number }
);

/** What the database says at the end. */
export interface FinalState {
  readonly runs: ReadonlyMap<string, { readonly status: string; readonly completions: number }>;
  /** Numbers of the lines that a reader got after verifying them, in order. */
  readonly lines: ReadonlyMap<string, readonly number[]>;
}

const finalStatuses = new Set(['completed', 'failed', 'stopped']);

/** What the history violates; empty: nothing. */
export function checkHistory(
  events: readonly HistoryEvent[],
  { runs, lines }: FinalState,
  recoveryMs: number,
): readonly string[] {
  const problems: string[] = [];
  const executing = new Map<string, string>();
  const written = new Map<string, number[]>();
  for (const event of events) {
    if (event.kind === 'started') {
      const other = executing.get(event.run);
      if (other !== undefined) problems.push(`${event.run} was executed twice at once: ${other} and ${event.token}`);
      executing.set(event.run, event.token);
    } else if (event.kind === 'ended') {
      if (executing.get(event.run) === event.token) executing.delete(event.run);
    } else if (event.kind === 'queued') {
      const found = runs.get(event.run);
      if (found === undefined) problems.push(`${event.run} was lost`);
      else if (!finalStatuses.has(found.status)) problems.push(`${event.run} is still ${found.status}`);
    } else if (event.kind === 'stale') {
      if (!event.refused) problems.push(`${event.run}: a write of the outdated claim ${event.token} was accepted`);
    } else if (event.kind === 'written') {
      written.set(event.session, [...(written.get(event.session) ?? []), event.line]);
    } else if (event.recoveredMs > recoveryMs) {
      problems.push(`${event.name}: recovered after ${Math.round(event.recoveredMs)} ms`);
    }
  }
  for (const [run, { status, completions }] of runs)
    if (completions !== (status === 'completed' ? 1 : 0)) problems.push(`${run} was completed ${completions} times`);
  for (const [session, expected] of written) {
    const found = lines.get(session) ?? [];
    const wrong = expected.findIndex((line, index) => found[index] !== line);
    if (wrong >= 0) problems.push(`${session}: line ${expected[wrong]} is missing or not in its place`);
    else if (found.length > expected.length) problems.push(`${session}: ${found.length - expected.length} extra lines`);
  }
  return problems;
}
