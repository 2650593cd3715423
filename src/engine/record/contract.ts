import type { LineOf, RecordedRun, RecordedTurn, RecordLine } from '../../formats/record.ts';
import type { NormalizedEntry } from '../../model/transcript/entry.ts';
import type { ResultMetadata, Unrecorded } from '../../model/session/result.ts';
import type { SessionSummary } from '../../model/session/summary.ts';

/** `client`: Vitrine's own messages and decisions, one `ClientLine` per line. */
export type RawStream = 'stdout' | 'stderr' | 'client';

/**
 * An unreadable part of a record. `offset` and `bytes`: position in the file. `head`: its first 80 characters at most.
 * `afterIndex`: the entry before it; `null` if unknown or none.
 */
export interface RecordProblem {
  readonly offset: number;
  readonly bytes: number;
  readonly reason:
    /** The file is empty and has no writer. */
    | 'empty'
    | 'torn'
    /** The packed file is truncated (its rest is missing), or damaged (only part of it can be read). */
    | 'cut_off'
    | 'not_json'
    | 'invalid'
    | 'nul_bytes'
    | 'invalid_utf8'
    | 'too_long'
    | 'index_out_of_range'
    /** The line was read without it. */
    | 'mistyped_metadata';
  readonly head: string;
  readonly afterIndex: number | null;
}

/** Why lines are only in memory for now. `code`: system error code, such as "ENOSPC" or "EROFS". */
export interface WriteProblem {
  readonly path: string;
  readonly code: string;
  readonly message: string;
}

/** Log of one output stream of a run, byte by byte. */
export interface RawLog {
  /** Resolves when the bytes are in the file, or in memory while the file cannot be written. Never rejects. */
  write(chunk: Uint8Array): Promise<void>;
  close(): Promise<void>;
}

/** Writes a record exclusively, under a lease. */
export interface RecordWriter {
  readonly id: string;
  /** Some lines are only in memory because they cannot be written. The next `flush` tries again. */
  readonly hasMemoryOnlyLines: boolean;
  /** Appended lines that are in no file: still in memory, or lost. */
  readonly unrecorded: Unrecorded | null;
  /** Resolves when the line is in the file, or in memory while the file cannot be written. Never rejects; await it. */
  append(line: RecordLine): Promise<void>;
  /** Appends several lines in one write. */
  appendAll(lines: readonly RecordLine[]): Promise<void>;
  /** Makes all appended lines and raw logs durable (fsync). For prompts and ends of turns. Never rejects. */
  flush(): Promise<void>;
  rawStream(runId: string, stream: RawStream): RawLog;
  /** Flushes, closes the files and releases the lease. */
  close(): Promise<void>;
}

export interface RecordedResult {
  readonly runId: string;
  readonly metadata: ResultMetadata;
}

export interface FindResult {
  /** Entry indexes, ascending. */
  readonly indexes: readonly number[];
  /** There may be more matches. */
  readonly truncated: boolean;
}

export interface FindOptions {
  /** Index of the first entry to search; default 0. */
  readonly from?: number;
  readonly signal?: AbortSignal;
}

export interface RecordReader {
  readonly id: string;
  readonly summary: SessionSummary;
  /** The newest turns, oldest first, at most 100; `turnsOmitted` counts earlier ones. */
  readonly turns: readonly RecordedTurn[];
  readonly turnsOmitted: number;
  /** Index of the last entry + 1. */
  readonly total: number;
  /** The last run has no recorded end, and there is no writer. */
  readonly interrupted: boolean;
  /** Set if a newer Vitrine wrote this: readable as far as understood, not writable. */
  readonly newerVersion: number | null;
  /** Damage found so far, in file order, at most 1,000. */
  readonly problems: readonly RecordProblem[];
  /** Number of intact lines of unknown kinds found so far. */
  readonly unknownLines: number;

  /** Every run, oldest first. */
  runs(): Promise<RecordedRun[]>;
  /** Results of runs, oldest first. */
  results(): Promise<RecordedResult[]>;
  /** Usage per message, in file order. */
  usage(): Promise<LineOf<'usage'>[]>;
  lastRun(): Promise<RecordedRun | null>;
  /** Intact entries with `from <= index < to`, in index order. Once the offsets are known, reads only these. */
  read(from: number, to: number): Promise<NormalizedEntry[]>;
  /** Entries that match a query (`insight/search`), starting at `from`. @throws the signal's abort reason */
  find(query: string, limit: number, options?: FindOptions): Promise<FindResult>;
  /** Indexes of entries that were added or rewritten since the file had that size, ascending. */
  changedSince(size: number): Promise<number[]>;
  /** All intact lines in file order. Collects all problems on the way. */
  lines(): AsyncIterable<RecordLine>;
  /** Unmodified output of the agent; empty if it printed nothing. */
  raw(runId: string, stream: RawStream): AsyncIterable<Buffer>;
  /** Size of that output in bytes, 0 if there is none. */
  rawSize(runId: string, stream: RawStream): Promise<number>;
  /** SHA-256 of the last intact line, which the next line links to; `null` if there is none. */
  head(): Promise<string | null>;
  /** Reads appended lines; returns whether there were any. */
  refresh(): Promise<boolean>;
  close(): Promise<void>;
}
