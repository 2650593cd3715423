import type { LineOf, RecordedRun, RecordedTurn, RecordLine } from '../../formats/record.ts';
import type { NormalizedEntry } from '../../model/transcript/entry.ts';
import type { ResultMetadata, Unrecorded } from '../../model/session/result.ts';
import type { SessionSummary } from '../../model/session/summary.ts';

/** `client`: what Vitrine itself said and decided, one `ClientLine` per line. */
export type RawStream = 'stdout' | 'stderr' | 'client';

/**
 * A stretch of a record that could not be read. `offset` and `bytes` are in the file; `head` is its beginning (at most 80
 * characters); `afterIndex` is the entry it follows, `null` where that is not known or there is none.
 */
export interface RecordProblem {
  readonly offset: number;
  readonly bytes: number;
  readonly reason:
    /** The file has no bytes, and no one writes it. */
    | 'empty'
    | 'torn'
    /** The archive was cut off, and what stood behind it is missing; or it is damaged, and this is what came out of it. */
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

/** Why lines are kept in memory for now. `code` is the system's ("ENOSPC", "EROFS", …). */
export interface WriteProblem {
  readonly path: string;
  readonly code: string;
  readonly message: string;
}

/** Bytes of one stream of a run, as they came. */
export interface RawLog {
  /** Resolves when the bytes are in the file (or kept in memory while it cannot be written). Never rejects. */
  write(chunk: Uint8Array): Promise<void>;
  close(): Promise<void>;
}

/** The only writer of a record, by lease. */
export interface RecordWriter {
  readonly id: string;
  /** True while lines are kept in memory because they cannot be written. The next `flush` tries again. */
  readonly memoryOnly: boolean;
  /** What was appended and is in no file: kept in memory for now, or lost. */
  readonly unrecorded: Unrecorded | null;
  /** Resolves when the line is in the file (or kept in memory while it cannot be written). Never rejects; await it. */
  append(line: RecordLine): Promise<void>;
  /** The same for several lines in one write: what one chunk of output gave. */
  appendAll(lines: readonly RecordLine[]): Promise<void>;
  /** Makes everything appended so far durable (fsync), record and raw logs. For prompts and ends of turns. Never rejects. */
  flush(): Promise<void>;
  rawStream(runId: string, stream: RawStream): RawLog;
  /** Flushes, closes the files and gives the lease back. */
  close(): Promise<void>;
}

export interface RecordedResult {
  readonly runId: string;
  readonly metadata: ResultMetadata;
}

export interface FindResult {
  /** Indexes of entries, ascending. */
  readonly indexes: readonly number[];
  /** True where there may be more. */
  readonly truncated: boolean;
}

export interface FindOptions {
  /** Index of the first entry to look at; default 0. */
  readonly from?: number;
  readonly signal?: AbortSignal;
}

export interface RecordReader {
  readonly id: string;
  readonly summary: SessionSummary;
  /** The newest turns, oldest first, at most 100; `turnsOmitted` counts those before. */
  readonly turns: readonly RecordedTurn[];
  readonly turnsOmitted: number;
  /** Index of the last entry + 1. */
  readonly total: number;
  /** True where the last run has no recorded end and no one is writing. */
  readonly interrupted: boolean;
  /** Set where a newer Vitrine wrote this: read as far as understood, not to be written. */
  readonly newerVersion: number | null;
  /** Damage seen so far, in file order, at most 1,000. */
  readonly problems: readonly RecordProblem[];
  /** Intact lines of kinds this version does not know, seen so far. */
  readonly unknownLines: number;

  /** Every run, oldest first. */
  runs(): Promise<RecordedRun[]>;
  /** What runs came to, oldest first. */
  results(): Promise<RecordedResult[]>;
  /** What single messages used, in file order. */
  usage(): Promise<LineOf<'usage'>[]>;
  lastRun(): Promise<RecordedRun | null>;
  /** Intact entries with `from <= index < to`, in index order. Reads no more than these, once the offsets are known. */
  read(from: number, to: number): Promise<NormalizedEntry[]>;
  /** Entries that answer a query (`insight/search`), from `from` on. @throws the reason of the signal */
  find(query: string, limit: number, options?: FindOptions): Promise<FindResult>;
  /** Indexes of entries that were written, for the first time or again, after the file had that size; ascending. */
  changedSince(size: number): Promise<number[]>;
  /** Every intact line in file order, and all problems with it. */
  lines(): AsyncIterable<RecordLine>;
  /** What the agent printed, verbatim; empty where it printed nothing. */
  raw(runId: string, stream: RawStream): AsyncIterable<Buffer>;
  /** Bytes of that, 0 where there is none. */
  rawSize(runId: string, stream: RawStream): Promise<number>;
  /** SHA-256 of the last intact line, which the next one will name; `null` where there is none. */
  head(): Promise<string | null>;
  /** Takes in what was appended since; true where something was. */
  refresh(): Promise<boolean>;
  close(): Promise<void>;
}
