import type { NormalizedEntry } from '../../../model/transcript/entry.ts';
import type { CoordinatorEvent } from '../../../model/transcript/event.ts';
import type { ResultMetadata } from '../../../model/session/result.ts';
import type { MessageFigure } from '../../../model/usage/messageFigure.ts';
import type { SessionSummary } from '../../../model/session/summary.ts';
import type { RecordedRun } from '../../record.ts';

export interface ExportedResult {
  readonly runId: string;
  readonly metadata: ResultMetadata;
}

/** Usage of a model response whose text these entries show. */
export interface ExportedFigure {
  readonly entries: readonly number[];
  readonly figure: MessageFigure;
}

/** Secrets that were masked. */
interface Masks {
  readonly total: number;
  readonly byRule: Readonly<Record<string, number>>;
}

/** A session as input for exporters. Entries are in index order; read them once. */
export interface ExportSource {
  readonly summary: SessionSummary;
  /** Oldest first. */
  readonly runs: readonly RecordedRun[];
  /** Results of runs, oldest first. */
  readonly results: readonly ExportedResult[];
  readonly entries: () => AsyncIterable<NormalizedEntry>;
  /** Usage of model responses, by the entries that show them; absent: not known. */
  readonly figures?: () => Promise<readonly ExportedFigure[]>;
  /** Child sessions, their children, and so on, for formats with several sessions; `omitted`: those beyond a limit. */
  readonly children?: { readonly sources: () => AsyncIterable<ExportSource>; readonly omitted: () => number };
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
  /** The page that an HTML export writes its data into, as it was built. */
  readonly page: () => Promise<string>;
  /** What was masked so far; `null` if nothing is masked. */
  readonly masks: () => Masks | null;
}

export interface Exporter {
  write(source: ExportSource, tools: ExportTools): AsyncIterable<string>;
}
