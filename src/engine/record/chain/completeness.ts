import type { RecordProblem, RecordReader } from '../contract.ts';
import type { Verification } from './verify.ts';

/** Entries from one index to another, both included. */
export interface EntryRange {
  readonly first: number;
  readonly last: number;
}

/** What a record lacks, as far as the record itself, its chain and its head show it. */
export interface Completeness {
  /** True where entries are missing or cannot be trusted to be all there. */
  readonly isIncomplete: boolean;
  /** No line of the record can be read. */
  readonly isEmpty: boolean;
  /** Indexes below the last entry that no readable line has, ascending. */
  readonly missing: readonly EntryRange[];
  /** Ids of runs whose output is kept in `runs/`, and of which the record does not say that they began: their entries are missing. */
  readonly unrecordedRuns: readonly string[];
  /** Parts of the file that cannot be read, in file order; at most 1,000. */
  readonly problems: readonly RecordProblem[];
  /** What the chain shows. */
  readonly chain: Pick<Verification, 'verdict' | 'breaks' | 'lines' | 'cutAfter' | 'chainedFrom'>;
}

interface Evidence {
  readonly chain: Completeness['chain'];
  /** Entries of calls that have not ended are not written yet, so gaps are no loss. */
  readonly isLive: boolean;
  /** Ids of runs that printed something. */
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
  // The other values of such a line are there.
  const problems = reader.problems.filter(({ reason }) => reason !== 'mistyped_metadata');
  // A writer is about to begin it.
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
