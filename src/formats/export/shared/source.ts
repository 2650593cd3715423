import type { NormalizedEntry } from '../../../model/transcript/entry.ts';
import type { CoordinatorEvent } from '../../../model/transcript/event.ts';
import type { ResultMetadata } from '../../../model/session/result.ts';
import type { SessionSummary } from '../../../model/session/summary.ts';
import type { RecordedRun } from '../../record.ts';

export interface ExportedResult {
  readonly runId: string;
  readonly metadata: ResultMetadata;
}

/** A session as exporters read it. Entries come in index order; a format walks them once. */
export interface ExportSource {
  readonly summary: SessionSummary;
  /** Oldest first. */
  readonly runs: readonly RecordedRun[];
  /** What runs came to, oldest first. */
  readonly results: readonly ExportedResult[];
  readonly entries: () => AsyncIterable<NormalizedEntry>;
  /** As they were recorded; none for what was imported. */
  readonly events: () => AsyncIterable<CoordinatorEvent>;
}

/** What pure code has to be given. */
export interface ExportTools {
  /** Of Vitrine. */
  readonly version: string;
  /** ISO 8601. */
  readonly at: string;
  /** Hexadecimal, of the UTF-8 bytes. */
  readonly sha256: (text: string) => string;
}

export interface Exporter {
  write(source: ExportSource, tools: ExportTools): AsyncIterable<string>;
}
