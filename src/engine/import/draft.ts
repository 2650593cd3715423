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

/** What an import is written with. */
export interface Draft {
  /** Makes the record, under this id where it is free. Called once, before anything else. */
  readonly begin: (session: NewSession, id?: string) => Promise<RecordWriter>;
  readonly imported: Imported;
  readonly deps: ImportDeps;
  readonly file: string;
  /** What the file holds, unpacked. */
  readonly source: FileHandle;
  /** ISO 8601, of the import. */
  readonly at: string;
}

export interface ImportedDraft {
  readonly problems: number;
  /** Of these, messages of which a mark has a wrong type. */
  readonly mistyped?: number;
  readonly original: string | null;
  /** What lists show beside what the lines add up to. */
  readonly known?: Partial<SessionSummary>;
}
