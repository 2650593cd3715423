import type { Session } from '../../model/session.ts';
import type { SessionSummary } from '../../model/summary.ts';
import type { RecordReader, RecordWriter, WriteProblem } from './contract.ts';

export interface StoreDeps {
  /** Epoch milliseconds. */
  readonly clock: () => number;
  readonly log: { warn(message: string): void };
}

export interface WriterOptions {
  /** Called once each time the writer starts to keep lines in memory because they cannot be written. */
  readonly onProblem?: (problem: WriteProblem) => void;
}

/** What is on disk: what can be listed, and what cannot with the reason. */
export interface Survey {
  readonly summaries: readonly SessionSummary[];
  /** Sessions whose last run has no recorded end and that nobody is writing. */
  readonly interrupted: readonly string[];
  readonly unreadable: readonly { readonly id: string; readonly reason: string }[];
}

/** All records below one folder. */
export class RecordStore {
  readonly #dir: string;
  readonly deps: StoreDeps;

  constructor(dir: string, deps: StoreDeps) {
    this.#dir = dir;
    this.deps = deps;
  }

  /** Newest first. */
  async list(): Promise<SessionSummary[]> {
    return [...(await this.survey()).summaries];
  }

  survey(): Promise<Survey> {
    return Promise.reject(new Error('not built yet'));
  }

  /** As `list`, with nothing taken from memory. */
  rebuild(): Promise<SessionSummary[]> {
    return this.list();
  }

  /** Writes header and session. Where the folder cannot be written, the writer starts in memory. @throws RecordBusyError */
  create(session: Session, options: WriterOptions = {}): Promise<RecordWriter> {
    return Promise.reject(new Error(`not built yet: ${session.session_id} ${String(options.onProblem)}`));
  }

  /** @throws RecordBusyError, RecordNotFoundError, RecordVersionError */
  openWriter(id: string, options: WriterOptions = {}): Promise<RecordWriter> {
    return Promise.reject(new Error(`not built yet: ${id} ${String(options.onProblem)}`));
  }

  /** @throws RecordNotFoundError */
  openReader(id: string): Promise<RecordReader> {
    return Promise.reject(new Error(`not built yet: ${id}`));
  }

  /** Deletes the session's files for good. @throws RecordBusyError while somebody writes it */
  remove(id: string): Promise<void> {
    return Promise.reject(new Error(`not built yet: ${id}`));
  }

  /** The record's file; need not exist. @throws where `id` is no session id */
  path(id: string): string {
    return `${this.#dir}/sessions/${id}/record.jsonl`;
  }
}
