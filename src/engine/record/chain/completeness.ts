import type { RecordProblem, RecordReader } from '../contract.ts';
import type { Verification } from './verify.ts';

/** Inclusive range of entry indexes. */
export interface EntryRange {
  readonly first: number;
  readonly last: number;
}

/** What a record lacks, according to its lines, its hash chain and its head. */
export interface Completeness {
  /** Entries are missing, or it is not certain that all are there. */
  readonly isIncomplete: boolean;
  /** The record has no readable line. */
  readonly isEmpty: boolean;
  /** Indexes below the last entry without a readable line, ascending. */
  readonly missing: readonly EntryRange[];
  /** Ids of runs with output in `runs/` but no start in the record, so their entries are missing. */
  readonly unrecordedRuns: readonly string[];
  /** Unreadable parts of the file, in file order; at most 1,000. */
  readonly problems: readonly RecordProblem[];
  /** Result of the chain check. */
  readonly chain: Pick<Verification, 'verdict' | 'breaks' | 'lines' | 'cutAfter' | 'chainedFrom'>;
}

interface Evidence {
  readonly chain: Completeness['chain'];
  /** Running tool calls are not written yet, so gaps are normal. */
  readonly isLive: boolean;
  /** Ids of runs with output. */
  readonly outputs: readonly string[];
}

/** Reads the whole record once. @throws file system errors */
export async function checkCompleteness(
  reader: RecordReader,
  { chain, isLive, outputs }: Evidence,
): Promise<Completeness> {
  const present = new Set<number>();
  const started = new Set<unknown>();
  let lines = 0;
  for await (const line of reader.lines()) {
    lines += 1;
    if (line.kind === 'entry') present.add(line.entry.index);
    else if (line.kind === 'decision' && line.decision.type === 'attempt') started.add(line.decision['run_id']);
  }
  const unrecordedRuns = isLive ? [] : outputs.filter((id) => !started.has(id));
  const missing = isLive ? [] : gapsIn(present, reader.total);
  // The other fields of such a line are intact.
  const problems = reader.problems.filter(({ reason }) => reason !== 'mistyped_metadata');
  // A writer is about to write the first line.
  const isEmpty = lines === 0 && !isLive;
  const isBroken = chain.verdict === 'altered' || (chain.verdict === 'truncated' && (lines > 0 || !isLive));
  return {
    isIncomplete: [isEmpty, isBroken, missing.length > 0, unrecordedRuns.length > 0, problems.length > 0].includes(
      true,
    ),
    isEmpty,
    missing,
    unrecordedRuns,
    problems,
    chain,
  };
}

function gapsIn(present: ReadonlySet<number>, total: number): EntryRange[] {
  const gaps: EntryRange[] = [];
  let expected = 0;
  for (const index of [...present, total].sort((a, b) => a - b)) {
    if (index > expected) gaps.push({ first: expected, last: index - 1 });
    expected = Math.max(expected, index + 1);
  }
  return gaps;
}
