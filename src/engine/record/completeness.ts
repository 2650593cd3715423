import type { RecordProblem, RecordReader } from './contract.ts';
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
  /** Parts of the file that cannot be read, in file order; at most 1,000. */
  readonly problems: readonly RecordProblem[];
  /** What the chain shows. */
  readonly chain: Pick<Verification, 'verdict' | 'breaks' | 'lines' | 'cutAfter' | 'chainedFrom'>;
}

/**
 * Reads the whole record once. `isLive`: entries of calls that have not ended are not written yet, so gaps are no loss.
 * @throws file system errors
 */
export async function checkCompleteness(
  reader: RecordReader,
  chain: Completeness['chain'],
  isLive: boolean,
): Promise<Completeness> {
  const present = new Set<number>();
  let lines = 0;
  for await (const line of reader.lines()) {
    lines += 1;
    if (line.kind === 'entry') present.add(line.entry.index);
  }
  const missing = isLive ? [] : gapsIn(present, reader.total);
  // The other values of such a line are there.
  const problems = reader.problems.filter(({ reason }) => reason !== 'mistyped_metadata');
  // A writer is about to begin it.
  const isEmpty = lines === 0 && !isLive;
  const isBroken = chain.verdict === 'altered' || (chain.verdict === 'truncated' && (lines > 0 || !isLive));
  return {
    isIncomplete: isEmpty || isBroken || missing.length > 0 || problems.length > 0,
    isEmpty,
    missing,
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
