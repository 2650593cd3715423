import type { UnreportedChange, UnreportedChanges } from '../../model/transcript/unreported.ts';

/** A folder as it was at one moment. */
export interface Snapshot {
  /** What has changed since, in the order of the paths; throws where that cannot be told. */
  changes(): Promise<Changes>;
  /** The text of a file then: `null` where there was none, `undefined` where it was not kept. Throws where it is too large. */
  textBefore(path: string): Promise<string | null | undefined>;
}

export interface Changes extends Pick<UnreportedChanges, 'how' | 'head'> {
  readonly changes: readonly Omit<UnreportedChange, 'besides'>[];
}

/** Bytes, or characters, of a text that is compared with what reported edits come to. */
export const longestCompared = 4 << 20;

/** Why a folder could not be looked at: it is too large, or it took too long. */
export class SnapshotProblem extends Error {
  override readonly name = 'SnapshotProblem';

  static is(error: unknown): error is SnapshotProblem {
    return error instanceof SnapshotProblem;
  }
}

export interface SnapshotLimits {
  /** Milliseconds for one look. */
  readonly timeMs: number;
  readonly files: number;
  /** To be read, without git. */
  readonly bytes: number;
}

export const defaultLimits: SnapshotLimits = { timeMs: 5000, files: 10_000, bytes: 64 << 20 };

/** Throws when the time of one look has ended. */
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
