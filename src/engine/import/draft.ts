import type { FileHandle } from 'node:fs/promises';
import type { AgentAdapter } from '../../agents/adapter.ts';
import type { PriceTable } from '../../insight/prices/prices.ts';
import type { Imported, Session } from '../../model/session/session.ts';
import type { SessionSummary } from '../../model/session/summary.ts';
import type { RecordWriter } from '../record/contract.ts';
import type { RecordStore } from '../record/recordStore.ts';

export interface ImportDeps {
  readonly store: RecordStore;
  readonly adapters: readonly AgentAdapter[];
  readonly prices: PriceTable;
  /** Epoch milliseconds. */
  readonly clock: () => number;
  readonly randomHex: (digits: number) => string;
}

export type NewSession = Omit<Session, 'session_id' | 'imported' | 'status'>;

/** Inputs for writing an import. */
export interface Draft {
  /** Creates the record, with this id if it is free. Call it once, first. */
  readonly begin: (session: NewSession, id?: string) => Promise<RecordWriter>;
  readonly imported: Imported;
  readonly deps: ImportDeps;
  readonly file: string;
  /** The unpacked file. */
  readonly source: FileHandle;
  /** Time of the import, ISO 8601. */
  readonly at: string;
}

export interface ImportedDraft {
  readonly problems: number;
  /** Of these, the number of messages with a mark of the wrong type. */
  readonly mistyped?: number;
  readonly original: string | null;
  /** Additions to the summary that is computed from the lines. */
  readonly known?: Partial<SessionSummary>;
}
