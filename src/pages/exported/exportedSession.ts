import type { SessionSummary } from '../../model/session/summary.ts';
import type { ResultMetadata } from '../../model/session/result.ts';
import type { NormalizedEntry } from '../../model/transcript/entry.ts';
import type { MessageFigure } from '../../model/usage/messageFigure.ts';

/** A run as the record has it, as far as the page needs it. */
interface ExportedRun {
  readonly run_id: string;
  readonly first_index: number;
  readonly end_index?: number;
  readonly status: string;
  readonly created_at: string;
  readonly started_at?: string;
}

/** Secrets that were masked; `null`: the person chose not to mask any. */
export interface ExportedMasks {
  readonly total: number;
  /** Number by kind of secret. */
  readonly byRule: Readonly<Record<string, number>>;
}

/** What `src/formats/export/html` writes into the page, and the page reads. */
export interface ExportedSession {
  readonly summary: SessionSummary;
  readonly runs: readonly ExportedRun[];
  readonly results: readonly { readonly runId: string; readonly metadata: ResultMetadata }[];
  /** Usage of model responses, by the entries that show them; the first shows the figure. */
  readonly figures: readonly { readonly entries: readonly number[]; readonly figure: MessageFigure }[];
  readonly entries: readonly NormalizedEntry[];
  readonly masks: ExportedMasks | null;
  readonly version: string;
  /** ISO 8601. */
  readonly exportedAt: string;
}
