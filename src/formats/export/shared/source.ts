import type { NormalizedEntry } from '../../../model/transcript/entry.ts';
import type { CoordinatorEvent } from '../../../model/transcript/event.ts';
import type { ResultMetadata } from '../../../model/session/result.ts';
import type { SessionSummary } from '../../../model/session/summary.ts';
import type { RecordedRun } from '../../record.ts';

export interface ExportedResult {
  readonly runId: string;
  readonly metadata: ResultMetadata;
}

/** A session as input for exporters. Entries are in index order; read them once. */
export interface ExportSource {
  readonly summary: SessionSummary;
  /** Oldest first. */
  readonly runs: readonly RecordedRun[];
  /** Results of runs, oldest first. */
  readonly results: readonly ExportedResult[];
  readonly entries: () => AsyncIterable<NormalizedEntry>;
  /** Recorded events; none for imported sessions. */
  readonly events: () => AsyncIterable<CoordinatorEvent>;
}

/** Dependencies of exporters. */
export interface ExportTools {
  /** Version of Vitrine. */
  readonly version: string;
  /** Time of the export, ISO 8601. */
  readonly at: string;
  /** Hexadecimal, of the UTF-8 bytes. */
  readonly sha256: (text: string) => string;
}

export interface Exporter {
  write(source: ExportSource, tools: ExportTools): AsyncIterable<string>;
}
