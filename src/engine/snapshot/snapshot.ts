import type { UnreportedChange, UnreportedChanges } from '../../model/transcript/unreported.ts';

/** State of a folder at one moment. */
export interface Snapshot {
  /** Changes since then, in path order. Throws if they cannot be determined. */
  changes(): Promise<Changes>;
  /** Former text of a file: `null` if it did not exist, `undefined` if it was not kept. Throws if it is too large. */
  textBefore(path: string): Promise<string | null | undefined>;
}

export interface Changes extends Pick<UnreportedChanges, 'how' | 'head'> {
  readonly changes: readonly Omit<UnreportedChange, 'besides'>[];
}

/** Maximum size of a text that is compared with reported edits. */
export const longestCompared = 4 << 20;

/** The folder is too large, or reading it took too long. */
export class SnapshotProblem extends Error {
  override readonly name = 'SnapshotProblem';

  static is(error: unknown): error is SnapshotProblem {
    return error instanceof SnapshotProblem;
  }
}

export interface SnapshotLimits {
  /** Time limit in milliseconds. */
  readonly timeMs: number;
  readonly files: number;
  /** Maximum bytes to read without git. */
  readonly bytes: number;
}

export const defaultLimits: SnapshotLimits = { timeMs: 5000, files: 10_000, bytes: 64 << 20 };

/** Throws after the time limit. */
export class Deadline {
  readonly #end: number;

  constructor(timeMs: number) {
    this.#end = performance.now() + timeMs;
  }

  check(): void {
    if (performance.now() >= this.#end) throw new SnapshotProblem('It took too long.');
  }

  get leftMs(): number {
    this.check();
    return Math.max(1, Math.ceil(this.#end - performance.now()));
  }
}
